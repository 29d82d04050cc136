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
/// its residual; a shredded commit.
///
/// Leaves: 0 metadata, 1 value, commit: 2 value, collection: 3 value, 4 typed.
fn write(path: &Path, statistics: EnabledStatistics) -> Result<()> {
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, None, Some("d")]));
    let nothing = new_null_array(&ArrowType::Binary, 4);
    let collection = group(vec![("value", nothing), ("typed_value", texts)], None);
    let shredded = Some([true, false, false, true]);
    let rev: &[u8] = b"\x02\x01\x03\x00\x02\x0c\x01";
    let in_residual: &[u8] = b"\x02\x01\x01\x00\x02\x05c";
    let commit = group(
        vec![
            ("value", bytes([Some(rev), None, Some(in_residual), None])),
            (
                "typed_value",
                group(vec![("collection", collection)], shredded),
            ),
        ],
        None,
    );
    let kind: &[u8] = b"\x02\x01\x02\x00\x02\x0c\x07";
    let props = group(
        vec![
            ("metadata", bytes([Some(NAMES); 4])),
            ("value", bytes([None, Some(kind), None, None])),
            ("typed_value", group(vec![("commit", commit)], None)),
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
    let source = typed_key(segment, "props", "commit.collection", DataType::String)?;
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
    write(&path, EnabledStatistics::Chunk)?;
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
    write(&path, EnabledStatistics::Chunk)?;
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
    write(&path, EnabledStatistics::None)?;
    let segment = open(&path)?;
    for batch_rows in [1, 3, 100] {
        let found = read(&segment, &[0, 1, 2, 3], batch_rows)?;
        let texts = [Some("a"), None, Some("c"), Some("d")];
        assert_eq!(found.texts, texts.map(|text| text.map(str::to_owned)));
        assert!(!found.last.contains(&LeafIdx(1)), "{:?}", found.last);
    }
    Ok(())
}
