//! Structs, lists, maps, and variants inside them.

use std::sync::Arc;

use anyhow::Result;
use arrow_array::builder::{
    BinaryBuilder, Int32Builder, ListBuilder, MapBuilder, StringBuilder, StructBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, BinaryArray, Int32Array, RecordBatch, StructArray};
use arrow_schema::{DataType as ArrowType, Field as ArrowField, Schema};
use parquet::arrow::ArrowWriter;

use crate::reading::{field, open, read, texts};

fn write(path: &std::path::Path, columns: Vec<(&str, ArrayRef)>) -> Result<()> {
    let fields: Vec<_> = columns
        .iter()
        .map(|(name, array)| ArrowField::new(*name, array.data_type().clone(), true))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let batch = RecordBatch::try_new(schema.clone(), arrays)?;
    let mut writer = ArrowWriter::try_new(std::fs::File::create(path)?, schema, None)?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}

/// Four rows: two elements (one null), none, null, one.
fn lists() -> ArrayRef {
    let mut lists = ListBuilder::new(Int32Builder::new());
    lists.append_value([Some(1), None]);
    lists.append_value([]);
    lists.append_null();
    lists.append_value([Some(7)]);
    Arc::new(lists.finish())
}

fn words() -> ArrayRef {
    let mut lists = ListBuilder::new(StringBuilder::new());
    lists.append_value([Some("a"), Some("b")]);
    lists.append_value(None::<Option<&str>>);
    lists.append_null();
    lists.append_value([None, Some("a")]);
    Arc::new(lists.finish())
}

fn maps() -> Result<ArrayRef> {
    let mut maps = MapBuilder::new(None, Int32Builder::new(), StringBuilder::new());
    maps.keys().append_value(2);
    maps.values().append_value("zwei \"2\"");
    maps.keys().append_value(1);
    maps.values().append_null();
    maps.append(true)?;
    maps.append(true)?;
    maps.append(false)?;
    maps.keys().append_value(-5);
    maps.values().append_value("");
    maps.append(true)?;
    Ok(Arc::new(maps.finish()))
}

fn structs() -> ArrayRef {
    let fields = vec![
        ArrowField::new("z", ArrowType::Int32, true),
        ArrowField::new("a\"b", ArrowType::Utf8, true),
    ];
    let mut structs = StructBuilder::from_fields(fields, 4);
    for (z, a, present) in [
        (Some(1), Some("x"), true),
        (None, None, true),
        (None, None, false),
        (Some(-3), Some("line\n"), true),
    ] {
        structs
            .field_builder::<Int32Builder>(0)
            .unwrap()
            .append_option(z);
        structs
            .field_builder::<StringBuilder>(1)
            .unwrap()
            .append_option(a);
        structs.append(present);
    }
    Arc::new(structs.finish())
}

/// Variants: `{"k":1}`, variant null, SQL NULL, `true`.
fn variants() -> ArrayRef {
    let mut metadata = BinaryBuilder::new();
    let mut value = BinaryBuilder::new();
    for bytes in [
        &[0x02, 0x01, 0x00, 0x00, 0x02, 0x0C, 0x01][..],
        &[0x00],
        &[],
        &[0x04],
    ] {
        metadata.append_value([0x01, 0x01, 0x00, 0x01, b'k']);
        value.append_value(bytes);
    }
    let fields = vec![
        ArrowField::new("metadata", ArrowType::Binary, false),
        ArrowField::new("value", ArrowType::Binary, true),
    ];
    let nulls = Some(vec![true, true, false, true].into());
    let columns: Vec<ArrayRef> = vec![Arc::new(metadata.finish()), Arc::new(value.finish())];
    Arc::new(StructArray::new(fields.into(), columns, nulls))
}

fn check(columns: Vec<(&str, ArrayRef)>, type_name: &str, expected: &[Option<&str>]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("nested.parquet");
    let name = columns[0].0.to_owned();
    write(&path, columns)?;
    let segment = open(&path)?;
    let field = field(&segment, &name)?;
    assert_eq!(field.column_type.name(), type_name);
    let found = texts(&segment, &segment.bind_column(&field)?)?;
    let found: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
    assert_eq!(found, expected, "{name}");
    Ok(())
}

#[test]
fn nested_columns_read_as_json_text() -> Result<()> {
    let object = [
        Some(r#"{"a\"b":"x","z":1}"#),
        Some(r#"{"a\"b":null,"z":null}"#),
        None,
        Some(r#"{"a\"b":"line\n","z":-3}"#),
    ];
    check(vec![("s", structs())], "JSON", &object)?;
    let map = [
        Some(r#"{"2":"zwei \"2\"","1":null}"#),
        Some("{}"),
        None,
        Some(r#"{"-5":""}"#),
    ];
    check(vec![("m", maps()?)], "MAP", &map)?;
    let offsets = arrow_buffer::OffsetBuffer::new(vec![0, 2, 2, 4].into());
    let item = Arc::new(ArrowField::new(
        "element",
        structs().data_type().clone(),
        true,
    ));
    let list = arrow_array::ListArray::new(item, offsets, structs(), None);
    let listed = [
        Some(r#"[{"a\"b":"x","z":1},{"a\"b":null,"z":null}]"#),
        Some("[]"),
        Some(r#"[null,{"a\"b":"line\n","z":-3}]"#),
    ];
    check(vec![("l", Arc::new(list))], "JSON", &listed)
}

#[test]
fn lists_of_primitives_are_multi_value() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("lists.parquet");
    write(&path, vec![("n", lists()), ("w", words())])?;
    let segment = open(&path)?;
    let numbers = field(&segment, "n")?;
    let words = field(&segment, "w")?;
    assert_eq!(numbers.column_type.name(), "INT_ARRAY");
    assert_eq!(words.column_type.name(), "STRING_ARRAY");
    let sources = [segment.bind_column(&numbers)?, segment.bind_column(&words)?];
    for batch_rows in [1, 2, 100] {
        let mut found = Vec::new();
        for columns in read(&segment, &sources, batch_rows)? {
            assert_eq!(*columns[0].data_type(), numbers.column_type.arrow_type());
            assert_eq!(*columns[1].data_type(), words.column_type.arrow_type());
            for list in columns[0].as_list::<i32>().iter() {
                let values = |list: ArrayRef| list.as_primitive::<Int32Type>().iter().collect();
                found.push(list.map(values).unwrap_or_else(|| vec![Some(-1)]));
            }
        }
        assert_eq!(
            found,
            [vec![Some(1), None], vec![], vec![Some(-1)], vec![Some(7)]]
        );
    }
    Ok(())
}

#[test]
fn variants_inside_other_columns_are_part_of_the_text() -> Result<()> {
    let fields = vec![
        ArrowField::new("v", variants().data_type().clone(), true),
        ArrowField::new("i", ArrowType::Int32, true),
    ];
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 4]));
    let structs = StructArray::new(fields.into(), vec![variants(), numbers], None);
    let expected = [
        Some(r#"{"i":1,"v":{"k":1}}"#),
        Some(r#"{"i":2,"v":null}"#),
        Some(r#"{"i":3,"v":null}"#),
        Some(r#"{"i":4,"v":true}"#),
    ];
    check(vec![("s", Arc::new(structs))], "JSON", &expected)?;
    let offsets = arrow_buffer::OffsetBuffer::new(vec![0, 3, 3, 4].into());
    let item = Arc::new(ArrowField::new(
        "element",
        variants().data_type().clone(),
        true,
    ));
    let list = arrow_array::ListArray::new(item, offsets, variants(), None);
    let expected = [Some(r#"[{"k":1},null,null]"#), Some("[]"), Some("[true]")];
    check(vec![("l", Arc::new(list))], "JSON", &expected)
}

#[test]
fn a_plain_struct_of_such_names_is_no_variant() -> Result<()> {
    let texts: ArrayRef = Arc::new(arrow_array::StringArray::from(vec!["m"]));
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![&b"v"[..]]));
    let fields = vec![
        ArrowField::new("metadata", ArrowType::Utf8, false),
        ArrowField::new("value", ArrowType::Binary, true),
    ];
    let plain = StructArray::new(fields.into(), vec![texts, bytes], None);
    check(
        vec![("s", Arc::new(plain))],
        "JSON",
        &[Some(r#"{"metadata":"m","value":"dg=="}"#)],
    )
}
