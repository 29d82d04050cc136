//! Tables made in memory, with manifests written by `apache-avro`.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use apache_avro::types::Value as Avro;
use apache_avro::{Schema, Writer};
use bytes::Bytes;
use growler_catalog::{Error, Files, IcebergTable};
use serde_json::{Value, json};

/// Files in memory; counts how often each is read.
#[derive(Default)]
pub struct MemoryFiles {
    pub files: HashMap<String, Bytes>,
    pub reads: Mutex<Vec<String>>,
}

impl MemoryFiles {
    fn get(&self, path: &str) -> Result<&Bytes, Error> {
        self.files.get(path).ok_or_else(|| Error::Unreadable {
            path: path.into(),
            source: std::io::ErrorKind::NotFound.into(),
        })
    }
}

impl Files for MemoryFiles {
    fn len_bytes(&self, path: &str) -> Result<u64, Error> {
        Ok(self.get(path)?.len() as u64)
    }

    fn read(&self, path: &str, range: Range<u64>) -> Result<Bytes, Error> {
        self.reads.lock().unwrap().push(path.to_owned());
        let bytes = self.get(path)?;
        let end = bytes.len().min(range.end as usize);
        Ok(bytes.slice(end.min(range.start as usize)..end))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, Error> {
        let inside = |path: &String| Some(path.strip_prefix(folder)?.strip_prefix('/')?.to_owned());
        Ok(self.files.keys().filter_map(inside).collect())
    }
}

/// One file of a manifest.
#[derive(Clone)]
pub struct Made {
    pub content: i32,
    pub path: String,
    pub format: &'static str,
    /// None to inherit.
    pub sequence: Option<i64>,
    pub status: i32,
    pub partition: Vec<(&'static str, Avro)>,
    pub rows: i64,
    pub lower: Vec<(i32, Vec<u8>)>,
    pub upper: Vec<(i32, Vec<u8>)>,
    pub nulls: Vec<(i32, i64)>,
    pub equality_ids: Vec<i32>,
    pub referenced: Option<String>,
    pub place: Option<(i64, i64)>,
    pub first_row_id: Option<i64>,
}

impl Made {
    pub fn data(path: &str) -> Self {
        Self {
            content: 0,
            path: path.to_owned(),
            format: "parquet",
            sequence: None,
            status: 1,
            partition: Vec::new(),
            rows: 10,
            lower: Vec::new(),
            upper: Vec::new(),
            nulls: Vec::new(),
            equality_ids: Vec::new(),
            referenced: None,
            place: None,
            first_row_id: None,
        }
    }

    pub fn positions(path: &str, referenced: Option<&str>) -> Self {
        Self {
            content: 1,
            referenced: referenced.map(str::to_owned),
            ..Self::data(path)
        }
    }

    pub fn vector(path: &str, referenced: &str, place: (i64, i64), rows: i64) -> Self {
        Self {
            format: "PUFFIN",
            place: Some(place),
            rows,
            ..Self::positions(path, Some(referenced))
        }
    }

    pub fn equality(path: &str, ids: &[i32]) -> Self {
        Self {
            content: 2,
            equality_ids: ids.to_vec(),
            ..Self::data(path)
        }
    }

    pub fn at(mut self, sequence: i64) -> Self {
        self.sequence = Some(sequence);
        self.status = 0;
        self
    }

    pub fn partition(mut self, partition: &[(&'static str, Avro)]) -> Self {
        self.partition = partition.to_vec();
        self
    }
}

/// A manifest of a made table.
pub struct MadeManifest {
    pub spec: i32,
    pub sequence: i64,
    pub first_row_id: Option<i64>,
    /// Avro types of the partition: name, field id, type.
    pub partition: Vec<(&'static str, i32, Value)>,
    /// Bounds of the partition's fields, as the list has them.
    pub summaries: Vec<(Vec<u8>, Vec<u8>)>,
    pub files: Vec<Made>,
}

impl MadeManifest {
    pub fn new(sequence: i64, files: Vec<Made>) -> Self {
        Self {
            spec: 0,
            sequence,
            first_row_id: None,
            partition: Vec::new(),
            summaries: Vec::new(),
            files,
        }
    }
}

/// Makes a table of one snapshot.
pub fn table(schema_fields: Value, specs: Value, manifests: &[MadeManifest]) -> IcebergTable {
    let (files, _) = files(schema_fields, specs, manifests);
    IcebergTable::open(Arc::new(files), "/lake/t").unwrap()
}

/// Makes the files of a table of one snapshot; its metadata too.
pub fn files(
    schema_fields: Value,
    specs: Value,
    manifests: &[MadeManifest],
) -> (MemoryFiles, Value) {
    let mut files = MemoryFiles::default();
    for (number, manifest) in manifests.iter().enumerate() {
        let bytes = write_manifest(manifest).into();
        files.files.insert(manifest_path(number), bytes);
    }
    let list = list(&files, manifests);
    let path = "/lake/t/metadata/snap.avro".to_owned();
    files.files.insert(path, list);
    let metadata = json!({
        "format-version": 3, "table-uuid": "u", "location": "/lake/t", "last-column-id": 99,
        "current-schema-id": 0,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": schema_fields}],
        "partition-specs": specs, "default-spec-id": 0, "current-snapshot-id": 7,
        "snapshots": [{"snapshot-id": 7, "sequence-number": 9, "timestamp-ms": 1,
                       "schema-id": 0, "manifest-list": "/lake/t/metadata/snap.avro"}]
    });
    put_metadata(&mut files, &metadata);
    (files, metadata)
}

fn manifest_path(number: usize) -> String {
    format!("/lake/t/metadata/m{number}.avro")
}

/// Makes the list of manifests that are among the files.
pub fn list(files: &MemoryFiles, manifests: &[MadeManifest]) -> Bytes {
    let entries = manifests.iter().enumerate().map(|(number, manifest)| {
        let path = manifest_path(number);
        list_entry(&path, files.files[&path].len(), manifest)
    });
    write(LIST, entries.collect()).into()
}

pub fn put_metadata(files: &mut MemoryFiles, metadata: &Value) {
    let path = "/lake/t/metadata/v1.metadata.json".to_owned();
    files.files.insert(path, metadata.to_string().into());
}

const LIST: &str = r#"{"type":"record","name":"manifest_file","fields":[
    {"name":"manifest_path","type":"string","field-id":500},
    {"name":"manifest_length","type":"long","field-id":501},
    {"name":"partition_spec_id","type":"int","field-id":502},
    {"name":"content","type":"int","field-id":517},
    {"name":"sequence_number","type":"long","field-id":515},
    {"name":"added_snapshot_id","type":"long","field-id":503},
    {"name":"partitions","type":["null",{"type":"array","element-id":508,"items":
        {"type":"record","name":"r508","fields":[
            {"name":"contains_null","type":"boolean","field-id":509},
            {"name":"lower_bound","type":["null","bytes"],"field-id":510},
            {"name":"upper_bound","type":["null","bytes"],"field-id":511}]}}],"field-id":507},
    {"name":"first_row_id","type":["null","long"],"field-id":520}]}"#;

fn list_entry(path: &str, len: usize, manifest: &MadeManifest) -> Avro {
    let is_data = manifest.files.iter().all(|file| file.content == 0);
    let bytes = |bytes: &Vec<u8>| Avro::Union(1, Box::new(Avro::Bytes(bytes.clone())));
    let is_null = |file: &Made, at: usize| matches!(file.partition.get(at), Some((_, Avro::Null)));
    let summaries = manifest.summaries.iter().enumerate();
    let summaries = summaries.map(|(at, (lower, upper))| {
        let contains_null = manifest.files.iter().any(|file| is_null(file, at));
        record(vec![
            ("contains_null", Avro::Boolean(contains_null)),
            ("lower_bound", bytes(lower)),
            ("upper_bound", bytes(upper)),
        ])
    });
    let summaries: Vec<Avro> = summaries.collect();
    record(vec![
        ("manifest_path", Avro::String(path.to_owned())),
        ("manifest_length", Avro::Long(len as i64)),
        ("partition_spec_id", Avro::Int(manifest.spec)),
        ("content", Avro::Int(i32::from(!is_data))),
        ("sequence_number", Avro::Long(manifest.sequence)),
        ("added_snapshot_id", Avro::Long(7)),
        (
            "partitions",
            optional((!summaries.is_empty()).then_some(Avro::Array(summaries))),
        ),
        (
            "first_row_id",
            optional(manifest.first_row_id.map(Avro::Long)),
        ),
    ])
}

fn write_manifest(manifest: &MadeManifest) -> Vec<u8> {
    let map = |key: i32, value: i32, value_type: &str| {
        json!(["null", {"type": "array", "logicalType": "map", "items": {
            "type": "record", "name": format!("k{key}_v{value}"), "fields": [
                {"name": "key", "type": "int", "field-id": key},
                {"name": "value", "type": value_type, "field-id": value}]}}])
    };
    let partition: Vec<Value> = manifest
        .partition
        .iter()
        .map(|(name, id, value_type)| {
            json!({"name": name, "type": ["null", value_type], "field-id": id})
        })
        .collect();
    let schema = json!({"type": "record", "name": "manifest_entry", "fields": [
    {"name": "status", "type": "int", "field-id": 0},
    {"name": "snapshot_id", "type": ["null", "long"], "field-id": 1},
    {"name": "sequence_number", "type": ["null", "long"], "field-id": 3},
    {"name": "file_sequence_number", "type": ["null", "long"], "field-id": 4},
    {"name": "data_file", "field-id": 2, "type": {"type": "record", "name": "r2", "fields": [
        {"name": "content", "type": "int", "field-id": 134},
        {"name": "file_path", "type": "string", "field-id": 100},
        {"name": "file_format", "type": "string", "field-id": 101},
        {"name": "partition", "field-id": 102, "type":
            {"type": "record", "name": "r102", "fields": partition}},
        {"name": "record_count", "type": "long", "field-id": 103},
        {"name": "file_size_in_bytes", "type": "long", "field-id": 104},
        {"name": "null_value_counts", "type": map(121, 122, "long"), "field-id": 110},
        {"name": "lower_bounds", "type": map(126, 127, "bytes"), "field-id": 125},
        {"name": "upper_bounds", "type": map(129, 130, "bytes"), "field-id": 128},
        {"name": "equality_ids", "field-id": 135, "type":
            ["null", {"type": "array", "items": "int", "element-id": 136}]},
        {"name": "first_row_id", "type": ["null", "long"], "field-id": 142},
        {"name": "referenced_data_file", "type": ["null", "string"], "field-id": 143},
        {"name": "content_offset", "type": ["null", "long"], "field-id": 144},
        {"name": "content_size_in_bytes", "type": ["null", "long"], "field-id": 145}
    ]}}]});
    write(
        &schema.to_string(),
        manifest.files.iter().map(entry).collect(),
    )
}

fn entry(made: &Made) -> Avro {
    let pairs = |items: Vec<(i32, Avro)>| {
        let pair = |(key, value)| record(vec![("key", Avro::Int(key)), ("value", value)]);
        let items: Vec<Avro> = items.into_iter().map(pair).collect();
        optional((!items.is_empty()).then_some(Avro::Array(items)))
    };
    let bytes = |items: &[(i32, Vec<u8>)]| {
        pairs(
            items
                .iter()
                .map(|(id, b)| (*id, Avro::Bytes(b.clone())))
                .collect(),
        )
    };
    let nulls = made
        .nulls
        .iter()
        .map(|(id, count)| (*id, Avro::Long(*count)));
    let ids: Vec<Avro> = made.equality_ids.iter().copied().map(Avro::Int).collect();
    let partition = made.partition.iter().map(|(name, value)| {
        let is_null = *value == Avro::Null;
        (*name, optional((!is_null).then(|| value.clone())))
    });
    record(vec![
        ("status", Avro::Int(made.status)),
        ("snapshot_id", optional(None)),
        ("sequence_number", optional(made.sequence.map(Avro::Long))),
        (
            "file_sequence_number",
            optional(made.sequence.map(Avro::Long)),
        ),
        (
            "data_file",
            record(vec![
                ("content", Avro::Int(made.content)),
                ("file_path", Avro::String(made.path.clone())),
                ("file_format", Avro::String(made.format.to_owned())),
                ("partition", record(partition.collect())),
                ("record_count", Avro::Long(made.rows)),
                ("file_size_in_bytes", Avro::Long(100)),
                ("null_value_counts", pairs(nulls.collect())),
                ("lower_bounds", bytes(&made.lower)),
                ("upper_bounds", bytes(&made.upper)),
                (
                    "equality_ids",
                    optional((!ids.is_empty()).then_some(Avro::Array(ids))),
                ),
                ("first_row_id", optional(made.first_row_id.map(Avro::Long))),
                // As DuckDB does: the empty text for none.
                (
                    "referenced_data_file",
                    optional(Some(Avro::String(
                        made.referenced.clone().unwrap_or_default(),
                    ))),
                ),
                (
                    "content_offset",
                    optional(made.place.map(|(offset, _)| Avro::Long(offset))),
                ),
                (
                    "content_size_in_bytes",
                    optional(made.place.map(|(_, len)| Avro::Long(len))),
                ),
            ]),
        ),
    ])
}

fn optional(value: Option<Avro>) -> Avro {
    match value {
        None => Avro::Union(0, Box::new(Avro::Null)),
        Some(value) => Avro::Union(1, Box::new(value)),
    }
}

fn record(fields: Vec<(&str, Avro)>) -> Avro {
    let owned = fields
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    Avro::Record(owned.collect())
}

fn write(schema: &str, values: Vec<Avro>) -> Vec<u8> {
    let schema = Schema::parse_str(schema).unwrap();
    let mut writer = Writer::new(&schema, Vec::new()).unwrap();
    for value in values {
        writer.append_value(value).unwrap();
    }
    writer.into_inner().unwrap()
}
