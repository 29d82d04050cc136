//! Seeds about Iceberg tables: documents and files of the sample tables, and values made by hand.

use std::error::Error;
use std::path::{Path, PathBuf};

use apache_avro::Schema;
use apache_avro::types::Value as Avro;
use apache_avro::writer::datum::GenericDatumWriter;
use growler_fuzz::{LIST_SCHEMA, MANIFEST_SCHEMA, Target};

use super::write;

const ANSWERS: &str = include_str!("answers.txt");
/// Longest file that becomes a seed, in bytes: what libFuzzer is told to make at most.
const LONGEST: usize = 4000;
/// Most seeds of one kind of file and one writer.
const EACH: usize = 3;

type Done = Result<(), Box<dyn Error>>;

pub(super) fn tables() -> Done {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/iceberg");
    for writer in sorted(&samples)? {
        let name = writer
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut files = Vec::new();
        below(&writer, &mut files)?;
        files_of(&name, &files)?;
    }
    for (number, values) in manifest_values().into_iter().enumerate() {
        let (spec, values) = values;
        let bytes = datum(MANIFEST_SCHEMA, values)?;
        let input = [&[1, spec, 2][..], &bytes].concat();
        write(Target::ManifestFile, &format!("values_{number}"), &input)?;
    }
    let list = datum(LIST_SCHEMA, list_value())?;
    write(
        Target::ManifestFile,
        "list_values",
        &[&[2, 2][..], &list].concat(),
    )?;
    for (number, line) in ANSWERS.lines().enumerate() {
        let input = line.replace('|', "\0");
        write(
            Target::CatalogAnswer,
            &format!("answers_{number}"),
            input.as_bytes(),
        )?;
    }
    Ok(())
}

fn files_of(writer: &str, files: &[PathBuf]) -> Done {
    let (mut documents, mut manifests, mut vectors) = (0, 0, 0);
    for path in files {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let bytes = std::fs::read(path)?;
        if name.ends_with(".metadata.json") && documents < EACH {
            let document: serde_json::Value = serde_json::from_slice(&bytes)?;
            let text = document.to_string();
            if text.len() <= LONGEST {
                write(
                    Target::TableMetadata,
                    &format!("{writer}_{documents}"),
                    text.as_bytes(),
                )?;
                documents += 1;
            }
        } else if name.ends_with(".avro") && manifests < EACH && bytes.len() <= LONGEST {
            let input = [&[0][..], &bytes].concat();
            write(
                Target::ManifestFile,
                &format!("{writer}_{manifests}"),
                &input,
            )?;
            manifests += 1;
        } else if let Some((blob, bitmaps)) = vector(&name, &bytes).filter(|_| vectors < EACH) {
            // How many rows each deletes is the first thing to be found out.
            for (kind, number, bytes) in [("blob", 4, blob), ("rows", 3, bitmaps)] {
                let input = [&[number, 1][..], bytes].concat();
                let name = format!("{writer}_{kind}_{vectors}");
                write(Target::ManifestFile, &name, &input)?;
            }
            vectors += 1;
        }
    }
    Ok(())
}

/// The first deletion vector of a Puffin file, and the bitmaps in it.
fn vector<'f>(name: &str, file: &'f [u8]) -> Option<(&'f [u8], &'f [u8])> {
    name.ends_with(".puffin").then_some(())?;
    let magic = [0xd1, 0xd3, 0x39, 0x64];
    let at = file.windows(4).position(|window| window == magic)?;
    let start = at.checked_sub(4)?;
    let len = u32::from_be_bytes(file.get(start..at)?.try_into().ok()?) as usize;
    let end = at + len + 4;
    Some((file.get(start..end)?, file.get(at + 4..end - 4)?))
}

/// Entries of each kind, with the spec they are under.
fn manifest_values() -> Vec<(u8, Avro)> {
    let long = |value: i64| value.to_le_bytes().to_vec();
    let bounds = |id: i64, text: &str| {
        vec![
            (1, long(id)),
            (2, long(id)),
            (3, text.as_bytes().to_vec()),
            (5, 1.5_f64.to_le_bytes().to_vec()),
            (6, vec![100]),
            (7, 7_i32.to_le_bytes().to_vec()),
            (8, vec![1]),
        ]
    };
    let data = File {
        lower: bounds(1, "aa"),
        upper: bounds(9, "az"),
        ..File::default()
    };
    vec![
        (0, entry(data.clone())),
        (
            1,
            entry(File {
                partition: Some(("ab", 20_000, 3)),
                ..data
            }),
        ),
        (
            0,
            entry(File {
                content: 1,
                referenced: Some("/lake/t/d"),
                ..File::default()
            }),
        ),
        (
            1,
            entry(File {
                content: 2,
                equality: vec![1, 3],
                partition: Some(("ab", -1, 0)),
                ..File::default()
            }),
        ),
        (
            0,
            entry(File {
                content: 1,
                format: "PUFFIN",
                referenced: Some("/lake/t/d"),
                place: Some((4, 40)),
                ..File::default()
            }),
        ),
    ]
}

#[derive(Clone)]
struct File {
    content: i32,
    format: &'static str,
    partition: Option<(&'static str, i32, i32)>,
    lower: Vec<(i32, Vec<u8>)>,
    upper: Vec<(i32, Vec<u8>)>,
    equality: Vec<i32>,
    referenced: Option<&'static str>,
    place: Option<(i64, i64)>,
}

impl Default for File {
    fn default() -> Self {
        Self {
            content: 0,
            format: "PARQUET",
            partition: None,
            lower: Vec::new(),
            upper: Vec::new(),
            equality: Vec::new(),
            referenced: None,
            place: None,
        }
    }
}

fn entry(file: File) -> Avro {
    let text = |text: &str| Avro::String(text.to_owned());
    let part = |value: Option<Avro>| optional(value);
    let (s, day, bucket) = match file.partition {
        Some((s, day, bucket)) => (
            Some(text(s)),
            Some(Avro::Date(day)),
            Some(Avro::Int(bucket)),
        ),
        None => (None, None, None),
    };
    let counts = |count: i64| {
        let items = file
            .lower
            .iter()
            .map(|(id, _)| pair(*id, Avro::Long(count)));
        some_of(items.collect())
    };
    let bounds = |bounds: &[(i32, Vec<u8>)]| {
        let items = bounds
            .iter()
            .map(|(id, bytes)| pair(*id, Avro::Bytes(bytes.clone())));
        some_of(items.collect())
    };
    let place = |place: Option<i64>| optional(place.map(Avro::Long));
    let data_file = record(vec![
        ("content", Avro::Int(file.content)),
        ("file_path", text("/lake/t/d")),
        ("file_format", text(file.format)),
        (
            "partition",
            record(vec![
                ("s", part(s.clone())),
                ("day", part(day)),
                ("id_bucket", part(bucket)),
                ("s_trunc", part(s)),
            ]),
        ),
        ("record_count", Avro::Long(10)),
        ("file_size_in_bytes", Avro::Long(1000)),
        ("value_counts", counts(10)),
        ("null_value_counts", counts(0)),
        ("lower_bounds", bounds(&file.lower)),
        ("upper_bounds", bounds(&file.upper)),
        (
            "equality_ids",
            some_of(file.equality.iter().map(|id| Avro::Int(*id)).collect()),
        ),
        ("first_row_id", optional(None)),
        ("referenced_data_file", optional(file.referenced.map(text))),
        ("content_offset", place(file.place.map(|place| place.0))),
        (
            "content_size_in_bytes",
            place(file.place.map(|place| place.1)),
        ),
    ]);
    record(vec![
        ("status", Avro::Int(1)),
        ("snapshot_id", optional(Some(Avro::Long(7)))),
        ("sequence_number", optional(Some(Avro::Long(3)))),
        ("data_file", data_file),
    ])
}

fn list_value() -> Avro {
    let bound = |text: &str| optional(Some(Avro::Bytes(text.as_bytes().to_vec())));
    let summary = |low: &str, high: &str| {
        record(vec![
            ("contains_null", Avro::Boolean(true)),
            ("contains_nan", optional(None)),
            ("lower_bound", bound(low)),
            ("upper_bound", bound(high)),
        ])
    };
    record(vec![
        ("manifest_path", Avro::String("/m".to_owned())),
        ("manifest_length", Avro::Long(9)),
        ("partition_spec_id", Avro::Int(1)),
        ("content", Avro::Int(0)),
        ("sequence_number", Avro::Long(4)),
        ("added_snapshot_id", Avro::Long(7)),
        ("added_files_count", optional(Some(Avro::Int(1)))),
        ("existing_files_count", optional(Some(Avro::Int(0)))),
        (
            "partitions",
            some_of(vec![
                summary("aa", "ab"),
                summary("\0\0\0\0", "\0\0\0\0"),
                summary("\0\0\0\0", "\x07\0\0\0"),
                summary("aa", "ab"),
            ]),
        ),
        ("first_row_id", optional(Some(Avro::Long(0)))),
    ])
}

fn pair(key: i32, value: Avro) -> Avro {
    record(vec![("key", Avro::Int(key)), ("value", value)])
}

fn some_of(items: Vec<Avro>) -> Avro {
    optional((!items.is_empty()).then_some(Avro::Array(items)))
}

fn optional(value: Option<Avro>) -> Avro {
    match value {
        Some(value) => Avro::Union(1, Box::new(value)),
        None => Avro::Union(0, Box::new(Avro::Null)),
    }
}

fn record(fields: Vec<(&str, Avro)>) -> Avro {
    let owned = fields
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    Avro::Record(owned.collect())
}

/// A value twice, so that there are two entries.
fn datum(schema: &str, value: Avro) -> Result<Vec<u8>, Box<dyn Error>> {
    let schema = Schema::parse_str(schema)?;
    let writer = GenericDatumWriter::builder(&schema).build()?;
    let mut bytes = Vec::new();
    writer.write_value(&mut bytes, value)?;
    Ok([&bytes[..], &bytes].concat())
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let entries = std::fs::read_dir(folder)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>, std::io::Error>>()?;
    paths.retain(|path| path.is_dir() || path.is_file());
    paths.sort();
    Ok(paths)
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) -> Done {
    if folder.is_file() {
        return Ok(());
    }
    for path in sorted(folder)? {
        match path.is_dir() {
            true => below(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}
