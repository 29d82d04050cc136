//! Building from JSON and Arrow, against the twin crate and what the format says.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, MapBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Float64Array, Int32Array,
    Int64Array, IntervalDayTimeArray, StringArray, StructArray, Time64NanosecondArray,
    TimestampMillisecondArray, UInt64Array,
};
use arrow_schema::Field;
use growler_variant::build::arrow::encode_array;
use growler_variant::build::json::encode_json;
use growler_variant::build::{ColumnBuilder, Dictionary, Encoder, NameTable, NullFields};
use growler_variant::validate::validate;
use growler_variant::{Error, Metadata, Node};
use parquet_variant::Variant;
use parquet_variant_json::VariantToJson;
use proptest::prelude::*;

use crate::json;
use crate::twin::{document, numbers_as_doubles};

fn encode(text: &str) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let mut names = NameTable::default();
    let value = encode_json(text, &mut names)?;
    Ok((names.to_bytes(), value))
}

/// Makes a sorted dictionary of the names in documents; the twin refuses an unsorted one that has
/// the empty name.
pub fn sorted_names(documents: &[&serde_json::Value]) -> NameTable {
    fn collect<'d>(document: &'d serde_json::Value, names: &mut Vec<&'d str>) {
        match document {
            serde_json::Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                names.push(name);
                collect(value, names);
            }),
            serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
            _ => {}
        }
    }
    let mut names = Vec::new();
    documents
        .iter()
        .for_each(|document| collect(document, &mut names));
    NameTable::sorted(names).unwrap()
}

proptest! {
    #[test]
    fn documents_are_the_same_for_the_twin(document in document()) {
        let mut names = sorted_names(&[&document]);
        let value = encode_json(&document.to_string(), &mut names).unwrap();
        let metadata = names.to_bytes();
        validate(&metadata, &value).unwrap();
        let twin = Variant::try_new(&metadata, &value).unwrap();
        let twin: serde_json::Value = serde_json::from_str(&twin.to_json_string().unwrap()).unwrap();
        let ours: serde_json::Value = serde_json::from_str(&json(&metadata, &value).unwrap()).unwrap();
        prop_assert_eq!(numbers_as_doubles(&ours), numbers_as_doubles(&twin));
        prop_assert_eq!(numbers_as_doubles(&ours), numbers_as_doubles(&document));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}:,\"\\\\u0-9eE.+\\- a-f]{0,40}") {
        if let Ok((metadata, value)) = encode(&text) {
            prop_assert!(validate(&metadata, &value).is_ok());
        }
    }
}

#[test]
fn numbers_get_the_smallest_exact_type() -> Result<(), Error> {
    let cases = [
        ("0", "int8", "0"),
        ("-128", "int8", "-128"),
        ("128", "int16", "128"),
        ("-32769", "int32", "-32769"),
        ("2147483648", "int64", "2147483648"),
        ("-9223372036854775808", "int64", "-9223372036854775808"),
        ("9223372036854775808", "decimal", "9223372036854775808"),
        ("1.50", "decimal", "1.50"),
        ("-0.001", "decimal", "-0.001"),
        ("0.0", "decimal", "0.0"),
        ("-0.0", "double", "-0.0"),
        (
            "99999999999999999999999999999999999999",
            "decimal",
            "99999999999999999999999999999999999999",
        ),
        ("100000000000000000000000000000000000000", "double", "1e38"),
        ("1e2", "double", "100.0"),
        ("1.5E-3", "double", "0.0015"),
    ];
    for (text, type_name, expected) in cases {
        let (metadata, value) = encode(text)?;
        assert_eq!(Node::try_new(&value)?.type_name(), type_name, "{text}");
        assert_eq!(json(&metadata, &value)?, expected, "{text}");
    }
    Ok(())
}

#[test]
fn what_is_not_json_is_refused_with_the_place() {
    let cases = [
        ("", 0),
        ("{", 1),
        ("[1,]", 3),
        ("{\"a\" 1}", 5),
        ("{a:1}", 1),
        ("01", 1),
        ("1.", 2),
        ("-", 1),
        ("\"abc", 1),
        ("\"\u{1}\"", 1),
        (r#""\x""#, 2),
        (r#""\ud800""#, 7),
        (r#""\u12g4""#, 3),
        ("nul", 0),
        ("1 2", 2),
    ];
    for (text, offset) in cases {
        match encode(text) {
            Err(Error::Json { offset: found, .. }) => assert_eq!(found, offset, "{text}"),
            other => panic!("{text} {other:?}"),
        }
    }
    assert_eq!(
        encode(r#"{"a":1,"a":2}"#),
        Err(Error::DuplicateName { id: 0 })
    );
    assert!(matches!(encode("1e999"), Err(Error::OutOfType { .. })));
    assert!(matches!(
        encode(&"[".repeat(100_000)),
        Err(Error::Depth { .. })
    ));
    let deepest = format!("{}1{}", "[".repeat(127), "]".repeat(127));
    assert!(encode(&deepest).is_ok());
}

#[test]
fn escapes_become_characters() -> Result<(), Error> {
    let (_, value) = encode(r#" "\u00e9\ud83d\ude00\n\/\"" "#)?;
    match Node::try_new(&value)? {
        Node::String(text) => assert_eq!(text, "é😀\n/\""),
        other => panic!("{other:?}"),
    }
    Ok(())
}

#[test]
fn the_sorted_flag_is_set_only_where_names_are_sorted() -> Result<(), Error> {
    for (text, sorted) in [
        (r#"{"a":1,"b":{"c":2}}"#, true),
        (r#"{"b":1,"a":2}"#, false),
        ("1", true),
    ] {
        let (metadata, value) = encode(text)?;
        assert_eq!(
            Metadata::try_new(&metadata)?.claims_sorted(),
            sorted,
            "{text}"
        );
        assert!(Variant::try_new(&metadata, &value).is_ok(), "{text}");
    }
    let mut names = NameTable::sorted(["b", "a", "é", "z"])?;
    encode_json(r#"{"z":1,"a":2}"#, &mut names)?;
    assert!(Metadata::try_new(&names.to_bytes())?.claims_sorted());
    Ok(())
}

#[test]
fn wide_containers_are_read_back() -> Result<(), Error> {
    for count in [1, 255, 256, 300, 70_000] {
        let fields: Vec<String> = (0..count).map(|at| format!("\"k{at:05}\":{at}")).collect();
        let text = format!("{{{}}}", fields.join(","));
        let (metadata, value) = encode(&text)?;
        assert_eq!(json(&metadata, &value)?, text);
        let items: Vec<String> = (0..count).map(|at| at.to_string()).collect();
        let text = format!("[{}]", items.join(","));
        let (metadata, value) = encode(&text)?;
        assert_eq!(json(&metadata, &value)?, text);
    }
    Ok(())
}

#[test]
fn pieces_out_of_turn_are_refused() {
    let check = |write: fn(&mut Encoder<'_>) -> Result<(), Error>| {
        let mut names = NameTable::default();
        let mut encoder = Encoder::new(&mut names);
        let written = write(&mut encoder).and_then(|()| encoder.finish().map(drop));
        assert!(
            matches!(written, Err(Error::Unbalanced { .. })),
            "{written:?}"
        );
    };
    check(|_| Ok(()));
    check(|encoder| encoder.end());
    check(|encoder| encoder.key("a"));
    check(|encoder| encoder.begin_list());
    check(|encoder| encoder.int(1).and_then(|()| encoder.int(2)));
    check(|encoder| encoder.begin_object().and_then(|()| encoder.int(1)));
    check(|encoder| {
        encoder.begin_object()?;
        encoder.key("a")?;
        encoder.end()
    });
}

#[test]
fn a_failed_row_leaves_the_column_as_it_was() -> Result<(), Error> {
    for dictionary in [Dictionary::Shared, Dictionary::PerRow] {
        let mut column = ColumnBuilder::new(dictionary);
        column.push_json(r#"{"b":1}"#)?;
        assert!(column.push_json(r#"{"c":1,"#).is_err());
        column.push_null()?;
        column.push_json(r#"{"a":[true]}"#)?;
        let column = column.finish()?;
        assert_eq!(
            rows(&column)?,
            [Some(r#"{"b":1}"#), None, Some(r#"{"a":[true]}"#)].map(own)
        );
    }
    Ok(())
}

fn own(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

/// Returns the JSON text of every row.
pub fn rows(column: &StructArray) -> Result<Vec<Option<String>>, Error> {
    let bytes = |name| column.column_by_name(name).unwrap().as_binary::<i32>();
    let (metadata, value) = (bytes("metadata"), bytes("value"));
    let row = |row| match column.is_valid(row) {
        true => json(metadata.value(row), value.value(row)).map(Some),
        false => Ok(None),
    };
    (0..column.len()).map(row).collect()
}

#[test]
fn arrow_arrays_become_values() -> Result<(), Error> {
    let check = |array: ArrayRef, expected: &[Option<&str>]| {
        let column = encode_array(&array, Dictionary::PerRow, NullFields::Keep).unwrap();
        let expected: Vec<_> = expected.iter().map(|text| own(*text)).collect();
        assert_eq!(rows(&column).unwrap(), expected, "{}", array.data_type());
    };
    check(
        Arc::new(Int64Array::from(vec![Some(5), None])),
        &[Some("5"), None],
    );
    check(
        Arc::new(UInt64Array::from(vec![7, u64::MAX])),
        &[Some("7"), Some("18446744073709551615")],
    );
    check(Arc::new(Float64Array::from(vec![1.0])), &[Some("1.0")]);
    check(Arc::new(BooleanArray::from(vec![true])), &[Some("true")]);
    let decimals = Decimal128Array::from(vec![1234])
        .with_precision_and_scale(10, 2)
        .unwrap();
    check(Arc::new(decimals), &[Some("12.34")]);
    let decimals = Decimal128Array::from(vec![12])
        .with_precision_and_scale(10, -2)
        .unwrap();
    check(Arc::new(decimals), &[Some("1200")]);
    let times = TimestampMillisecondArray::from(vec![1]).with_timezone("UTC");
    check(
        Arc::new(times),
        &[Some("\"1970-01-01T00:00:00.001000+00:00\"")],
    );
    let words: DictionaryArray<Int64Type> = vec!["x", "y", "x"].into_iter().collect();
    check(
        Arc::new(words),
        &[Some("\"x\""), Some("\"y\""), Some("\"x\"")],
    );
    let mut lists = ListBuilder::new(StringBuilder::new());
    lists.append_value([Some("a"), None]);
    lists.append_null();
    check(Arc::new(lists.finish()), &[Some("[\"a\",null]"), None]);
    let mut maps = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    maps.keys().append_value("k");
    maps.values().append_value("v");
    maps.append(true).unwrap();
    check(Arc::new(maps.finish()), &[Some("{\"k\":\"v\"}")]);
    let group = StructArray::from(vec![
        (
            Arc::new(Field::new("z", arrow_schema::DataType::Int32, true)),
            Arc::new(Int32Array::from(vec![Some(1), None])) as ArrayRef,
        ),
        (
            Arc::new(Field::new("a", arrow_schema::DataType::Utf8, true)),
            Arc::new(StringArray::from(vec!["x", "y"])) as ArrayRef,
        ),
    ]);
    let omitted = encode_array(&group, Dictionary::Shared, NullFields::Omit)?;
    assert_eq!(
        rows(&omitted)?,
        [Some("{\"a\":\"x\",\"z\":1}"), Some("{\"a\":\"y\"}")].map(own)
    );
    check(
        Arc::new(group),
        &[
            Some("{\"a\":\"x\",\"z\":1}"),
            Some("{\"a\":\"y\",\"z\":null}"),
        ],
    );
    Ok(())
}

#[test]
fn arrow_values_without_a_variant_are_refused() {
    let refused =
        |array: ArrayRef| encode_array(&array, Dictionary::Shared, NullFields::Keep).unwrap_err();
    let interval: ArrayRef = Arc::new(IntervalDayTimeArray::from(vec![Some(Default::default())]));
    assert!(matches!(refused(interval), Error::NoVariant { .. }));
    let nanos: ArrayRef = Arc::new(Time64NanosecondArray::from(vec![1]));
    assert!(matches!(refused(nanos), Error::OutOfType { .. }));
}
