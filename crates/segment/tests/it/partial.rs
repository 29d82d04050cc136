//! Keys of objects that are shredded in part: which residuals are read for them.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use arrow_array::{
    Array, ArrayRef, BinaryArray, RecordBatch, StringArray, StructArray, new_null_array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType as ArrowType, Field, Schema};
use growler_base::{LeafIdx, RowGroupIdx, RowRanges};
use growler_schema::DataType;
use growler_segment::{ReadOptions, Segment};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use crate::reading::{column_texts, open, typed_key};

/// Names of the one dictionary.
const NAMES: &[u8] = b"\x01\x04\x00\x06\x10\x14\x17commitcollectionkindrev";

fn group(children: Vec<(&str, ArrayRef)>, nulls: Option<[bool; 4]>) -> ArrayRef {
    let field = |(name, array): &(&str, ArrayRef)| {
        Arc::new(Field::new(*name, array.data_type().clone(), true))
    };
    let fields: Vec<_> = children.iter().map(field).collect();
    let arrays = children.into_iter().map(|(_, array)| array).collect();
    let nulls = nulls.map(|bits| NullBuffer::from(bits.to_vec()));
    Arc::new(StructArray::new(fields.into(), arrays, nulls))
}

fn bytes(rows: [Option<&[u8]>; 4]) -> ArrayRef {
    Arc::new(BinaryArray::from_iter(rows))
}

/// Rows: a shredded commit with a residual; none, but another key; a commit that is an object all in
/// its residual, or none if it is not `hidden`; a shredded commit.
///
/// Leaves: 0 metadata, 1 value, commit: 2 value, collection: 3 value, 4 typed.
fn write(path: &Path, statistics: EnabledStatistics, hidden: bool) -> Result<()> {
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, None, Some("d")]));
    let nothing = new_null_array(&ArrowType::Binary, 4);
    let collection = group(vec![("value", nothing), ("typed_value", texts)], None);
    let shredded = Some([true, false, false, true]);
    let rev: &[u8] = b"\x02\x01\x03\x00\x02\x0c\x01";
    let in_residual: &[u8] = b"\x02\x01\x01\x00\x02\x05c";
    let in_residual = Some(in_residual).filter(|_| hidden);
    let commit = group(
        vec![
            ("value", bytes([Some(rev), None, in_residual, None])),
            (
                "typed_value",
                group(vec![("collection", collection)], shredded),
            ),
        ],
        None,
    );
    let kind: &[u8] = b"\x02\x01\x02\x00\x02\x0c\x07";
    let residuals = bytes([None, Some(kind), None, None]);
    write_props(path, residuals, vec![("commit", commit)], statistics)
}

fn write_props(
    path: &Path,
    residuals: ArrayRef,
    fields: Vec<(&str, ArrayRef)>,
    statistics: EnabledStatistics,
) -> Result<()> {
    let props = group(
        vec![
            ("metadata", bytes([Some(NAMES); 4])),
            ("value", residuals),
            ("typed_value", group(fields, None)),
        ],
        None,
    );
    let schema = Schema::new(vec![Field::new("props", props.data_type().clone(), true)]);
    let batch = RecordBatch::try_new(Arc::new(schema), vec![props])?;
    let properties = WriterProperties::builder().set_statistics_enabled(statistics);
    let file = std::fs::File::create(path)?;
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build()))?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}

struct Read {
    first: Vec<LeafIdx>,
    last: Vec<LeafIdx>,
    texts: Vec<Option<String>>,
}

fn read(segment: &Segment, rows: &[usize], batch_rows: usize) -> Result<Read> {
    read_key(segment, "commit.collection", rows, batch_rows)
}

fn read_key(segment: &Segment, key: &str, rows: &[usize], batch_rows: usize) -> Result<Read> {
    let source = typed_key(segment, "props", key, DataType::String)?;
    let rows: RowRanges = rows.iter().map(|row| *row..*row + 1).collect();
    let mut reader = segment.read(
        RowGroupIdx(0),
        std::slice::from_ref(&source),
        &rows,
        &ReadOptions { batch_rows },
    )?;
    let first = reader.leaves().to_vec();
    let mut texts = Vec::new();
    for batch in reader.by_ref() {
        texts.extend(column_texts(&batch?.columns[0]));
    }
    let last = reader.leaves().to_vec();
    Ok(Read { first, last, texts })
}

fn check(found: &Read, first: &[u32], last: &[u32], texts: &[Option<&str>]) {
    let leaves = |leaves: &[u32]| leaves.iter().copied().map(LeafIdx).collect::<Vec<_>>();
    let owned: Vec<_> = texts.iter().map(|text| text.map(str::to_owned)).collect();
    assert_eq!(found.texts, owned);
    assert_eq!(found.first, leaves(first), "first");
    assert_eq!(found.last, leaves(last), "last");
}

#[test]
fn only_the_residual_that_rows_depend_on_is_read() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("partial.parquet");
    write(&path, EnabledStatistics::Chunk, true)?;
    let segment = open(&path)?;
    let (a, c, d) = (Some("a"), Some("c"), Some("d"));
    for batch_rows in [1, 2, 100] {
        let read = |rows: &[usize]| read(&segment, rows, batch_rows);
        // Definition levels tell up front that some row has no shredded commit.
        let whole = read(&[0, 1, 2, 3])?;
        check(&whole, &[0, 2, 4], &[0, 2, 4], &[a, None, c, d]);
        // Such a row need not be among those asked for.
        check(&read(&[0, 3])?, &[4], &[4], &[a, d]);
        check(&read(&[0, 1])?, &[4], &[0, 2, 4], &[a, None]);
        check(&read(&[0, 2, 3])?, &[4], &[0, 2, 4], &[a, c, d]);
    }
    Ok(())
}

/// The residual hides a value that is not between the bounds of the leaf.
#[test]
fn statistics_of_a_leaf_are_those_of_the_key_only_where_no_row_hides_it() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("partial.parquet");
    write(&path, EnabledStatistics::Chunk, true)?;
    let segment = open(&path)?;
    let source = typed_key(&segment, "props", "commit.collection", DataType::String)?;
    let found = segment.statistics(RowGroupIdx(0), &source);
    assert_eq!(found, growler_segment::Statistics::unknown(4));
    Ok(())
}

#[test]
fn without_statistics_rows_tell_what_they_need() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("partial.parquet");
    write(&path, EnabledStatistics::None, true)?;
    let segment = open(&path)?;
    for batch_rows in [1, 3, 100] {
        let found = read(&segment, &[0, 1, 2, 3], batch_rows)?;
        let texts = [Some("a"), None, Some("c"), Some("d")];
        assert_eq!(found.texts, texts.map(|text| text.map(str::to_owned)));
        assert!(!found.last.contains(&LeafIdx(1)), "{:?}", found.last);
    }
    Ok(())
}

/// Once rows were seen to have nothing beside a null object, nobody looks there again.
#[test]
fn a_residual_that_hides_nothing_is_read_once() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("partial.parquet");
    let texts = [Some("a"), None, None, Some("d")];
    for statistics in [EnabledStatistics::None, EnabledStatistics::Chunk] {
        write(&path, statistics, false)?;
        // All at once, or part by part, each in one batch or in several.
        for (parts, batch_rows) in [
            (vec![vec![0, 1, 2, 3]], 100),
            (vec![vec![0, 1, 2, 3]], 1),
            (vec![vec![0, 1], vec![2, 3]], 100),
            (vec![vec![2, 3], vec![0, 3], vec![0, 1]], 1),
        ] {
            let segment = open(&path)?;
            for rows in &parts {
                assert!(read(&segment, rows, batch_rows)?.texts.len() == rows.len());
                let source = typed_key(&segment, "props", "commit.collection", DataType::String)?;
                let is_known = segment.statistics(RowGroupIdx(0), &source).max.is_some();
                let is_last = Some(rows) == parts.last();
                assert_eq!(is_known, is_last && statistics != EnabledStatistics::None);
            }
            let found = read(&segment, &[0, 1, 2, 3], batch_rows)?;
            assert_eq!(found.texts, texts.map(|text| text.map(str::to_owned)));
            let leaves = &found.last;
            assert!(!leaves.contains(&LeafIdx(2)), "{leaves:?} {parts:?}");
        }
    }
    // Where it hides something it is read again and again.
    write(&path, EnabledStatistics::Chunk, true)?;
    let segment = open(&path)?;
    for _ in 0..3 {
        let found = read(&segment, &[0, 1, 2, 3], 100)?;
        check(
            &found,
            &[0, 2, 4],
            &[0, 2, 4],
            &[Some("a"), None, Some("c"), Some("d")],
        );
    }
    Ok(())
}

/// A row that ends at a dotted name was not looked at any further, so it may hide other keys.
#[test]
fn a_row_with_a_dotted_name_hides_other_keys() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("partial.parquet");
    let scalar = |texts: [Option<&str>; 4]| {
        let texts: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
        let nothing = new_null_array(&ArrowType::Binary, 4);
        group(vec![("value", nothing), ("typed_value", texts)], None)
    };
    // Its first row: the name "commit.collection", and an object {"rev": "x"} that is not typed.
    let hidden: &[u8] = b"\x02\x01\x03\x00\x02\x05x";
    let fields = vec![
        ("collection", scalar([None, Some("b"), None, Some("d")])),
        ("rev", scalar([None, Some("1"), None, None])),
    ];
    let shredded = Some([false, true, false, true]);
    let commit = group(
        vec![
            ("value", bytes([Some(hidden), None, None, None])),
            ("typed_value", group(fields, shredded)),
        ],
        None,
    );
    let fields = vec![
        ("commit", commit),
        (
            "commit.collection",
            scalar([Some("dotted"), None, None, None]),
        ),
    ];
    write_props(&path, bytes([None; 4]), fields, EnabledStatistics::Chunk)?;
    let segment = open(&path)?;
    for _ in 0..3 {
        for (key, texts) in [
            (
                "commit.collection",
                [Some("dotted"), Some("b"), None, Some("d")],
            ),
            ("commit.rev", [Some("x"), Some("1"), None, None]),
        ] {
            let found = read_key(&segment, key, &[0, 1, 2, 3], 100)?;
            assert_eq!(
                found.texts,
                texts.map(|text| text.map(str::to_owned)),
                "{key}"
            );
        }
    }
    Ok(())
}
