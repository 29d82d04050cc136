//! Files of our own writer: annotated as the format wants, and read back.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::Schema;
use growler_schema::DataType;
use growler_segment::NonObjectRoot;
use growler_segment::write::{WriteOptions, Writer, variant_field};
use growler_variant::build::{ColumnBuilder, Dictionary};
use growler_variant::shred::{ScalarType, Shape, split};
use parquet::basic::{LogicalType, Repetition};
use parquet::file::properties::{EnabledStatistics, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::reading::{documents, open, texts, typed_key};

const ROWS: [&str; 5] = [
    r#"{"a":1,"id":"x"}"#,
    "",
    r#"{"a":"n/a","b":[1,2],"id":"y"}"#,
    r#"{"id":"z"}"#,
    r#"{"a":3}"#,
];

fn column() -> Result<StructArray> {
    let mut column = ColumnBuilder::new(Dictionary::Shared);
    for row in ROWS {
        match row {
            "" => column.push_null()?,
            text => column.push_json(text)?,
        }
    }
    Ok(column.finish()?)
}

fn write(path: &Path, column: &StructArray, options: &WriteOptions) -> Result<()> {
    let field = variant_field("v", column.data_type(), true);
    let schema = Arc::new(Schema::new(vec![field]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(column.clone())])?;
    let mut writer = Writer::try_new(File::create(path)?, &schema, options)?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}

fn shape() -> Shape {
    Shape::object([
        ("a", Shape::scalar(ScalarType::Int32)),
        ("id", Shape::scalar(ScalarType::String)),
        ("u", Shape::scalar(ScalarType::Uuid)),
        ("t", Shape::list(Shape::scalar(ScalarType::Date))),
    ])
}

#[test]
fn groups_are_annotated_and_repeated_as_the_format_wants() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("v.parquet");
    write(
        &path,
        &split(&column()?, &shape())?,
        &WriteOptions::default(),
    )?;
    let reader = SerializedFileReader::new(File::open(&path)?)?;
    let schema = reader.metadata().file_metadata().schema();
    let variant = &schema.get_fields()[0];
    let logical = variant.get_basic_info().logical_type_ref();
    assert_eq!(logical, Some(&LogicalType::variant(Some(1))));
    let mut printed = Vec::new();
    parquet::schema::printer::print_schema(&mut printed, schema);
    let printed = String::from_utf8(printed)?;
    for line in [
        "REQUIRED BYTE_ARRAY metadata;",
        "OPTIONAL BYTE_ARRAY value;",
        "OPTIONAL group typed_value {",
        "REQUIRED group a {",
        "OPTIONAL INT32 typed_value;",
        "OPTIONAL FIXED_LEN_BYTE_ARRAY (16) typed_value (UUID);",
        "OPTIONAL group typed_value (LIST) {",
        "REQUIRED group element {",
    ] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
    let plain = folder.path().join("plain.parquet");
    write(&plain, &column()?, &WriteOptions::default())?;
    let reader = SerializedFileReader::new(File::open(&plain)?)?;
    let variant = &reader.metadata().file_metadata().schema().get_fields()[0];
    let repetitions = variant
        .get_fields()
        .iter()
        .map(|leaf| leaf.get_basic_info().repetition());
    assert!(repetitions.eq([Repetition::REQUIRED; 2]));
    Ok(())
}

#[test]
fn files_are_read_back_however_they_are_cut() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("v.parquet");
    let expected: Vec<_> = ROWS
        .map(|row| (!row.is_empty()).then(|| row.to_owned()))
        .into();
    for shape in [Shape::unshredded(), shape(), shape().idle()] {
        for (rows, dictionary, page_index, version) in [
            (1 << 20, true, true, WriterVersion::PARQUET_1_0),
            (2, false, true, WriterVersion::PARQUET_2_0),
            (1, true, false, WriterVersion::PARQUET_1_0),
        ] {
            let options = WriteOptions {
                row_group_rows: rows,
                page_rows: 1,
                dictionary,
                page_index,
                page_version: version,
                ..WriteOptions::default()
            };
            write(&path, &split(&column()?, &shape)?, &options)?;
            let segment = open(&path)?;
            let source = documents(&segment, "v", NonObjectRoot::Fail)?;
            assert_eq!(texts(&segment, &source)?, expected, "{options:?} {shape:?}");
        }
    }
    Ok(())
}

#[test]
fn a_typed_column_that_is_left_empty_proves_nothing() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("v.parquet");
    let options = WriteOptions {
        statistics: EnabledStatistics::Chunk,
        ..WriteOptions::default()
    };
    // What is known of the nulls of a key, and whether its extremes are.
    let check = |shape: &Shape, nulls: Option<u64>, bounds: bool| -> Result<()> {
        write(&path, &split(&column()?, shape)?, &options)?;
        let segment = open(&path)?;
        let (group, _) = segment.row_groups().next().expect("a row group");
        let statistics =
            segment.statistics(group, &typed_key(&segment, "v", "id", DataType::String)?);
        assert_eq!(statistics.null_count, nulls, "{shape:?}");
        assert_eq!(statistics.min.is_some(), bounds, "{shape:?}");
        Ok(())
    };
    let id = || ("id", Shape::scalar(ScalarType::String));
    // The object is whole in the residual: the leaf below is all null, the key is not.
    check(&Shape::object([id()]).idle(), None, false)?;
    // Nothing is left over.
    let all = [id(), ("a", Shape::unshredded()), ("b", Shape::unshredded())];
    check(&Shape::object(all), Some(2), true)
}
