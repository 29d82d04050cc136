//! Chosen rows read as the same rows of the whole, whatever the pages, batches and row groups.

use anyhow::Result;
use growler_base::{RowGroupIdx, RowRanges};
use growler_schema::DataType;
use growler_segment::{NonObjectRoot, ReadOptions, Segment, Source};
use parquet::file::properties::{WriterProperties, WriterVersion};

use crate::reading::{
    column_texts, documents, field, json_key, open, pack, read, testdata, texts, typed_key,
};
use crate::writing::{Column, write};

/// Draws numbers from a seed.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

pub fn some_ranges(rows: usize, dice: &mut Dice) -> RowRanges {
    let mut ranges = RowRanges::default();
    let mut next = 0;
    let stride = [1, 3, 40, 1000][dice.roll(4)];
    while next < rows {
        let start = next + dice.roll(stride * 2);
        let end = (start + 1 + dice.roll(stride)).min(rows);
        if start < end {
            ranges.push(start..end);
        }
        next = end.max(start) + 1;
    }
    ranges
}

/// Reads chosen rows of one row group; the texts of each source.
pub fn chosen(
    segment: &Segment,
    group: RowGroupIdx,
    sources: &[Source],
    rows: &RowRanges,
    batch_rows: usize,
) -> Result<Vec<Vec<Option<String>>>> {
    let mut found = vec![Vec::new(); sources.len()];
    let mut left = rows.iter().flatten();
    for batch in segment.read(group, sources, rows, &ReadOptions { batch_rows })? {
        let batch = batch?;
        assert!(batch.row_count > 0 && batch.row_count <= batch_rows);
        assert_eq!(batch.rows.row_count(), batch.row_count);
        for row in batch.rows.iter().flatten() {
            assert_eq!(left.next(), Some(row));
        }
        for (texts, array) in found.iter_mut().zip(&batch.columns) {
            assert_eq!(array.len(), batch.row_count);
            texts.extend(column_texts(array));
        }
    }
    assert_eq!(left.next(), None);
    Ok(found)
}

fn check(segment: &Segment, sources: &[Source], rounds: usize) -> Result<()> {
    let mut dice = Dice(7);
    let whole: Vec<Vec<Option<String>>> = sources
        .iter()
        .map(|source| texts(segment, source))
        .collect::<Result<_>>()?;
    for round in 0..rounds {
        for (group, rows) in segment.row_groups() {
            let ranges = some_ranges(rows.row_count, &mut dice);
            let batch_rows = [9, 64, 1000, 8192][round % 4];
            let found = chosen(segment, group, sources, &ranges, batch_rows)?;
            for (found, whole) in found.iter().zip(&whole) {
                let rows = ranges
                    .iter()
                    .flatten()
                    .map(|row| row + rows.first_row.index());
                let expected: Vec<_> = rows.map(|row| whole[row].clone()).collect();
                assert_eq!(*found, expected, "round={round}");
            }
        }
    }
    Ok(())
}

#[test]
fn chosen_rows_of_variants_are_those_of_the_whole() -> Result<()> {
    let mut files = Vec::new();
    for folder in ["spark", "duckdb"] {
        for name in ["seed4_typed", "seed4_none", "seed4_v2pages"] {
            files.push(testdata(folder).join(format!("{name}.parquet")));
        }
        for name in [
            "rg_many__none",
            "rg_many__typed",
            "rg_many_v2__typed",
            "pages_v2__typed",
        ] {
            files.push(pack(folder).join(format!("{name}.parquet")));
        }
    }
    for file in files.iter().filter(|file| file.exists()) {
        let segment = open(file)?;
        let mut sources = vec![documents(&segment, "props", NonObjectRoot::Fail)?];
        for key in [
            "page_type",
            "latency_ms",
            "device.os",
            "tags",
            "items",
            "user_tier",
            "no",
        ] {
            sources.push(json_key(&segment, "props", key, NonObjectRoot::Fail)?);
            sources.push(typed_key(&segment, "props", key, DataType::String)?);
        }
        check(&segment, &sources, 4)?;
    }
    Ok(())
}

/// A file of many small pages: numbers as text, a third of them null, and few distinct words.
fn paged(
    path: &std::path::Path,
    version: WriterVersion,
    dictionary: bool,
    index: bool,
) -> Result<()> {
    let message = "message m { optional binary t (STRING); optional binary w (STRING); }";
    let rows = 0..5000_u32;
    let text = |row: u32| (!row.is_multiple_of(3)).then(|| format!("{row:05}").into_bytes());
    let word = |row: u32| Some(format!("word number {}", row % 7).into_bytes());
    let columns = [
        Column::Bytes(rows.clone().map(text).collect()),
        Column::Bytes(rows.map(word).collect()),
    ];
    let properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_dictionary_enabled(dictionary)
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(50)
        .set_offset_index_disabled(!index)
        .set_statistics_enabled(match index {
            true => parquet::file::properties::EnabledStatistics::Page,
            false => parquet::file::properties::EnabledStatistics::Chunk,
        })
        .build();
    write(path, message, &columns, properties)
}

#[test]
fn chosen_rows_of_plain_columns_are_those_of_the_whole() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for (dictionary, index) in [(true, true), (false, true), (true, false), (false, false)] {
            let path = folder
                .path()
                .join(format!("{version:?}_{dictionary}_{index}.parquet"));
            paged(&path, version, dictionary, index)?;
            let segment = open(&path)?;
            let sources = [
                segment.bind_column(&field(&segment, "t")?)?,
                segment.bind_column(&field(&segment, "w")?)?,
            ];
            check(&segment, &sources, 8)?;
        }
    }
    Ok(())
}

#[test]
fn pages_without_asked_rows_are_not_read() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("c.parquet");
    paged(&path, WriterVersion::PARQUET_1_0, false, true)?;
    let segment = open(&path)?;
    let source = segment.bind_column(&field(&segment, "t")?)?;
    let pages = |rows: &RowRanges| {
        let options = ReadOptions::default();
        let mut reader = segment.read(
            RowGroupIdx(0),
            std::slice::from_ref(&source),
            rows,
            &options,
        )?;
        assert_eq!(reader.leaves().len(), 1);
        for batch in reader.by_ref() {
            batch?;
        }
        anyhow::Ok(reader.pages_read())
    };
    assert_eq!(pages(&RowRanges::all(5000))?, 50);
    assert_eq!(pages(&std::iter::once(4210..4220).collect())?, 1);
    assert_eq!(
        pages(&[0..1, 2050..2150, 4999..5000].into_iter().collect())?,
        4
    );

    // The page index chooses the same pages.
    let wanted = growler_schema::Value::String("04214".to_owned());
    let text = |value: &growler_schema::Value| match value {
        growler_schema::Value::String(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    let ranges = segment.page_ranges(RowGroupIdx(0), &source, &|page| {
        assert!(page.null_count.is_some() && page.row_count == 100);
        let (Some(min), Some(max)) = (&page.min, &page.max) else {
            return true;
        };
        (text(min)..=text(max)).contains(&text(&wanted))
    });
    assert_eq!(ranges, std::iter::once(4200..4300).collect());
    Ok(())
}

#[test]
fn a_key_reads_only_its_own_leaves() -> Result<()> {
    let segment = open(&testdata("spark").join("seed4_typed.parquet"))?;
    let names = |source: &Source| {
        let all = RowRanges::all(segment.row_count());
        let reader = segment.read(
            RowGroupIdx(0),
            std::slice::from_ref(source),
            &all,
            &ReadOptions::default(),
        )?;
        let description = segment.describe();
        let leaves: Vec<_> = description
            .columns
            .iter()
            .flat_map(|column| &column.leaves)
            .collect();
        let names = reader
            .leaves()
            .iter()
            .map(|leaf| leaves[leaf.index()].path.clone());
        anyhow::Ok(names.collect::<Vec<_>>())
    };
    let page_type = typed_key(&segment, "props", "page_type", DataType::String)?;
    assert_eq!(
        names(&page_type)?,
        ["props.typed_value.page_type.typed_value"]
    );
    let os = typed_key(&segment, "props", "device.os", DataType::String)?;
    assert_eq!(
        names(&os)?,
        ["props.typed_value.device.typed_value.os.typed_value"]
    );
    let tier = typed_key(&segment, "props", "user_tier", DataType::String)?;
    assert_eq!(names(&tier)?[..2], ["props.metadata", "props.value"]);
    assert_eq!(names(&Source::row_id())?, [""; 0]);
    Ok(())
}

#[test]
fn row_ids_count_over_row_groups() -> Result<()> {
    let path = pack("spark").join("rg_many__typed.parquet");
    if !path.exists() {
        eprintln!("skipped: no {}", path.display());
        return Ok(());
    }
    let segment = open(&path)?;
    assert!(segment.row_group_count() > 1);
    let mut next = 0;
    for columns in read(&segment, &[Source::row_id()], 1000)? {
        use arrow_array::cast::AsArray;
        for id in columns[0]
            .as_primitive::<arrow_array::types::Int32Type>()
            .values()
        {
            assert_eq!(*id, next);
            next += 1;
        }
    }
    assert_eq!(usize::try_from(next)?, segment.row_count());
    Ok(())
}
