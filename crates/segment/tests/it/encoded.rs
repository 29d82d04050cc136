//! Rows read as ids are the rows read as arrays.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use arrow_array::{
    Array, ArrayRef, Int32Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow_buffer::BooleanBuffer;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use growler_base::{RowGroupIdx, RowRanges};
use growler_schema::{DataType, KeyType};
use growler_segment::{
    Bits, EncodedStop, IdSet, KeyOutput, KeyPath, NonObjectRoot, ReadOptions, Segment, Source,
};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{WriterProperties, WriterVersion};

use crate::reading::{field, open, testdata};

/// Returns every value as text.
fn shown(array: &ArrayRef) -> Result<Vec<Option<String>>> {
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(array.as_ref(), &options)?;
    let text = |row| {
        let value = array
            .is_valid(row)
            .then(|| formatter.value(row).to_string());
        value.filter(|value| !value.is_empty() || array.logical_nulls().is_none())
    };
    Ok((0..array.len()).map(text).collect())
}

/// Reads a row group as arrays.
fn rows(segment: &Segment, group: RowGroupIdx, source: &Source) -> Result<Vec<Option<String>>> {
    let all = RowRanges::all(segment.row_group(group).row_count);
    let mut rows = Vec::new();
    for batch in segment.read(
        group,
        std::slice::from_ref(source),
        &all,
        &ReadOptions::default(),
    )? {
        rows.extend(shown(&batch?.columns[0])?);
    }
    Ok(rows)
}

/// Compares a row group with its ids, as far as these go; returns how many rows they went.
fn check(segment: &Segment, group: RowGroupIdx, source: &Source, step: usize) -> Result<usize> {
    let Some(mut reader) = segment.read_encoded(group, source)? else {
        return Ok(0);
    };
    let expected = rows(segment, group, source)?;
    let values = shown(reader.dictionary())?;
    let mut found = Vec::new();
    loop {
        match reader.next_block(step) {
            Ok(Some(block)) => {
                ensure!(block.row_count <= step, "block: {}", block.row_count);
                let value = |id: Option<i32>| values[usize::try_from(id?).ok()?].clone();
                found.extend(block.row_ids().iter().map(value));
            }
            Ok(None) => break,
            Err(EncodedStop::Untold) => break,
            Err(EncodedStop::Failed(error)) => return Err(error.into()),
        }
    }
    ensure!(found.len() + reader.rows_left() == expected.len());
    ensure!(found == expected[..found.len()], "rows differ");
    check_skipping(segment, (group, source), step, &expected)?;
    check_tests(segment, (group, source), step)?;
    Ok(found.len())
}

/// Compares which rows pass with what their ids say, for sets of every form.
fn check_tests(
    segment: &Segment,
    (group, source): (RowGroupIdx, &Source),
    step: usize,
) -> Result<()> {
    let rules: [&dyn Fn(usize) -> bool; 5] = [
        &|_| false,
        &|_| true,
        &|id| id == 2,
        &|id| (1..7).contains(&id),
        &|id| id % 3 == 0,
    ];
    for rule in rules {
        let readers = (
            segment.read_encoded(group, source)?,
            segment.read_encoded(group, source)?,
        );
        let (Some(mut read), Some(mut tested)) = readers else {
            return Ok(());
        };
        let set = BooleanBuffer::collect_bool(read.dictionary().len(), rule);
        let set = IdSet::new(&set);
        let (mut passed, mut valid) = (Bits::default(), Bits::default());
        let (mut expected, mut expected_valid) = (Vec::new(), Vec::new());
        while let Ok(Some(block)) = read.next_block(step) {
            for id in block.row_ids().iter() {
                let passes = |id: i32| u32::try_from(id).is_ok_and(|id| set.contains(id));
                expected.push(id.is_some_and(passes));
                expected_valid.push(id.is_some());
            }
        }
        while let Ok(1..) = tested.test(&set, step + 3, &mut passed, &mut valid) {}
        if tested.rows_left() == read.rows_left() {
            ensure!(BooleanBuffer::from(passed) == expected.into(), "{set:?}");
            ensure!(
                BooleanBuffer::from(valid) == expected_valid.into(),
                "{set:?}"
            );
        } else {
            // Blocks end before a row that is told otherwise, at other rows.
            let len = passed.len().min(expected.len());
            expected.truncate(len);
            let passed = BooleanBuffer::from(passed).slice(0, len);
            ensure!(passed == expected.into(), "{set:?}");
        }
    }
    Ok(())
}

/// Compares every other few rows with those read, as far as ids go.
fn check_skipping(
    segment: &Segment,
    (group, source): (RowGroupIdx, &Source),
    step: usize,
    expected: &[Option<String>],
) -> Result<()> {
    let Some(mut reader) = segment.read_encoded(group, source)? else {
        return Ok(());
    };
    let values = shown(reader.dictionary())?;
    loop {
        match reader.skip(step.saturating_mul(3)) {
            Ok(()) => {}
            Err(EncodedStop::Untold) => return Ok(()),
            Err(EncodedStop::Failed(error)) => return Err(error.into()),
        }
        let first = expected.len() - reader.rows_left();
        match reader.next_block(step) {
            Ok(Some(block)) => {
                let value = |id: Option<i32>| values[usize::try_from(id?).ok()?].clone();
                let found: Vec<_> = block.row_ids().iter().map(value).collect();
                ensure!(found == expected[first..][..found.len()], "rows differ");
            }
            Ok(None) | Err(EncodedStop::Untold) => return Ok(()),
            Err(EncodedStop::Failed(error)) => return Err(error.into()),
        }
    }
}

/// Sources of every column and typed key, in every type that may be asked for.
fn sources(segment: &Segment) -> Result<Vec<(String, Source)>> {
    let mut sources = Vec::new();
    for field in segment.fields()? {
        if field.column_type.data_type != DataType::OpenStruct {
            if let Ok(source) = segment.bind_column(&field) {
                sources.push((field.name.to_string(), source));
            }
            continue;
        }
        let layout = segment.field_layout(&field)?.context("layout")?;
        for key in layout.keys() {
            let path = KeyPath::parse(&key.path)?;
            let own = segment.key_type(&field, &path)?.unwrap_or(DataType::String);
            let typed = |data_type| {
                KeyOutput::Typed(KeyType {
                    data_type,
                    typed: true,
                })
            };
            for output in [
                typed(own),
                typed(DataType::String),
                KeyOutput::Json,
                KeyOutput::Number,
            ] {
                let source = segment.bind_key(&field, &path, output, NonObjectRoot::Null)?;
                sources.push((format!("{} {output:?}", key.path), source));
            }
        }
    }
    Ok(sources)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, found)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "parquet")
        {
            found.push(path);
        }
    }
    Ok(())
}

#[test]
fn ids_of_sample_files_are_their_rows() -> Result<()> {
    let mut paths = Vec::new();
    for folder in ["spark", "duckdb", "numbers", "iceberg"] {
        files(&testdata(folder), &mut paths)?;
    }
    let (mut told, mut untold) = (0, 0);
    for path in paths {
        let segment = open(&path)?;
        for (name, source) in sources(&segment)? {
            for (group, _) in segment.row_groups() {
                if rows(&segment, group, &source).is_err() {
                    continue;
                }
                for step in [1000, 7] {
                    let read = check(&segment, group, &source, step);
                    let read = read.with_context(|| format!("{} {name}", path.display()))?;
                    (told, untold) = match read {
                        0 => (told, untold + 1),
                        _ => (told + 1, untold),
                    };
                }
            }
        }
    }
    ensure!(told > 100, "told={told} untold={untold}");
    Ok(())
}

#[test]
fn a_shredded_key_is_read_as_ids() -> Result<()> {
    for name in ["spark/seed4_typed.parquet", "duckdb/seed4_typed.parquet"] {
        let segment = open(&testdata(name))?;
        let source = crate::reading::typed_key(&segment, "props", "page_type", DataType::String);
        let (group, rows) = segment.row_groups().next().context("no row group")?;
        let read = check(&segment, group, &source.context(name)?, 1000)?;
        ensure!(read == rows.row_count || read == 0, "{name}: {read}");
    }
    Ok(())
}

/// Writes columns with few values, one of them with nulls, in several pages.
fn write(path: &Path, version: WriterVersion) -> Result<()> {
    let rows = 0..10_000;
    let text = rows
        .clone()
        .map(|row| Some(format!("value {}", row * 7 % 300)));
    let some = rows
        .clone()
        .map(|row| (row % 7 != 3).then_some(row * row % 1000));
    let time = rows.map(|row| Some(i64::from(row / 100) * 1000));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("text", Arc::new(text.collect::<StringArray>())),
        ("some", Arc::new(some.collect::<Int32Array>())),
        (
            "time",
            Arc::new(time.collect::<TimestampMillisecondArray>()),
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns)?;
    let properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_data_page_row_count_limit(3000)
        .set_write_batch_size(500)
        .build();
    let mut writer = ArrowWriter::try_new(File::create(path)?, batch.schema(), Some(properties))?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}

#[test]
fn columns_are_read_as_ids_of_the_tables_type() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let path = folder.path().join("t.parquet");
        write(&path, version)?;
        let segment = open(&path)?;
        for (name, data_type) in [
            ("text", DataType::String),
            ("some", DataType::Int),
            ("some", DataType::Double),
            ("some", DataType::String),
            ("time", DataType::Long),
        ] {
            let mut field = field(&segment, name)?;
            field.column_type = data_type.single();
            let source = segment.bind_column(&field)?;
            for step in [1, 999, 100_000] {
                let read = check(&segment, RowGroupIdx(0), &source, step)?;
                ensure!(read == 10_000, "{name} {data_type:?} {read}");
            }
            let reader = segment.read_encoded(RowGroupIdx(0), &source)?;
            let reader = reader.context("not read as ids")?;
            ensure!(*reader.dictionary().data_type() == data_type.arrow_type());
        }
    }
    Ok(())
}
