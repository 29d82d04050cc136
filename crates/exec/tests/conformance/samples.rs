//! The Parquet project's 29 unshredded samples: type and value, read from their bytes.

use std::path::Path;

use growler_variant::{Budget, Metadata};

use crate::bytes::{metadata, object};
use crate::parquet_files::{Cut, unshredded, write};
use crate::shared::{announce, data};
use crate::sql::{Table, key};
use crate::typed_value::of_bytes;

/// Type and value of each sample, and its JSON text.
const SAMPLES: [(&str, &str, &str); 29] = [
    ("array_empty", "[]", "[]"),
    (
        "array_nested",
        "[{id: int8 1, thing: {names: [string Contrarian, string Spider]}}, null, {id: int8 2, names: [string Apple, string Ray, null], type: string if}]",
        r#"[{"id":1,"thing":{"names":["Contrarian","Spider"]}},null,{"id":2,"names":["Apple","Ray",null],"type":"if"}]"#,
    ),
    (
        "array_primitive",
        "[int8 2, int8 1, int8 5, int8 9]",
        "[2,1,5,9]",
    ),
    (
        "long_string",
        "string This string is for sure and certainly longer than 64 bytes and it also includes several non ascii characters such as 🐢, 💖, ♥️, 🎣 and 🤦!!",
        "\"This string is for sure and certainly longer than 64 bytes and it also includes several non ascii characters such as 🐢, 💖, ♥️, 🎣 and 🤦!!\"",
    ),
    ("object_empty", "{}", "{}"),
    (
        "object_nested",
        "{id: int8 1, observation: {location: string In the Volcano, time: string 12:34:56, value: {humidity: int16 456, temperature: int8 123}}, species: {name: string lava monster, population: int16 6789}}",
        r#"{"id":1,"observation":{"location":"In the Volcano","time":"12:34:56","value":{"humidity":456,"temperature":123}},"species":{"name":"lava monster","population":6789}}"#,
    ),
    (
        "object_primitive",
        "{boolean_false_field: boolean false, boolean_true_field: boolean true, double_field: decimal4 123456789/8, int_field: int8 1, null_field: null, string_field: string Apache Parquet, timestamp_field: string 2025-04-16T12:34:56.78}",
        r#"{"boolean_false_field":false,"boolean_true_field":true,"double_field":1.23456789,"int_field":1,"null_field":null,"string_field":"Apache Parquet","timestamp_field":"2025-04-16T12:34:56.78"}"#,
    ),
    (
        "primitive_binary",
        "binary 031337deadbeefcafe",
        r#""AxM33q2+78r+""#,
    ),
    ("primitive_boolean_false", "boolean false", "false"),
    ("primitive_boolean_true", "boolean true", "true"),
    ("primitive_date", "date 20194", r#""2025-04-16""#),
    (
        "primitive_decimal16",
        "decimal16 1234567891234567890/2",
        "12345678912345678.90",
    ),
    ("primitive_decimal4", "decimal4 1234/2", "12.34"),
    ("primitive_decimal8", "decimal8 1234567890/2", "12345678.90"),
    (
        "primitive_double",
        "double 1234567890.1234",
        "1234567890.1234",
    ),
    ("primitive_float", "float 1234568000.0", "1234568000.0"),
    ("primitive_int16", "int16 1234", "1234"),
    ("primitive_int32", "int32 123456", "123456"),
    (
        "primitive_int64",
        "int64 1234567890123456789",
        "1234567890123456789",
    ),
    ("primitive_int8", "int8 42", "42"),
    ("primitive_null", "null", "null"),
    (
        "primitive_string",
        "string This string is longer than 64 bytes and therefore does not fit in a short_string and it also includes several non ascii characters such as 🐢, 💖, ♥️, 🎣 and 🤦!!",
        "\"This string is longer than 64 bytes and therefore does not fit in a short_string and it also includes several non ascii characters such as 🐢, 💖, ♥️, 🎣 and 🤦!!\"",
    ),
    ("primitive_time", "time 45234123456", r#""12:33:54.123456""#),
    (
        "primitive_timestamp",
        "timestamptz 1744821296780000",
        r#""2025-04-16T16:34:56.780000+00:00""#,
    ),
    (
        "primitive_timestamp_nanos",
        "timestamptz_ns 1730982834123456789",
        r#""2024-11-07T12:33:54.123456789+00:00""#,
    ),
    (
        "primitive_timestampntz",
        "timestampntz 1744806896780000",
        r#""2025-04-16T12:34:56.780000""#,
    ),
    (
        "primitive_timestampntz_nanos",
        "timestampntz_ns 1730982834123456789",
        r#""2024-11-07T12:33:54.123456789""#,
    ),
    (
        "primitive_uuid",
        "uuid f24f9b6481fa49d1b74e8c09a6e31c56",
        r#""f24f9b64-81fa-49d1-b74e-8c09a6e31c56""#,
    ),
    (
        "short_string",
        "string Less than 64 bytes (❤\u{fe0f} with utf8)",
        "\"Less than 64 bytes (❤\u{fe0f} with utf8)\"",
    ),
];

fn check(folder: &Path, name: &str, expected: &str, json: &str) -> Result<(), String> {
    let read = |ending: &str| std::fs::read(folder.join(format!("{name}.{ending}")));
    let dictionary = read("metadata").map_err(|error| error.to_string())?;
    let value = read("value").map_err(|error| error.to_string())?;
    let same = |found: String, expected: &str| match found == expected {
        true => Ok(()),
        false => Err(format!("expected {expected}, found {found}")),
    };
    same(of_bytes(&dictionary, &value)?, expected)?;
    let names = Metadata::try_new(&dictionary).map_err(|error| error.to_string())?;
    let mut text = Vec::new();
    growler_variant::json::write_json(&names, &value, &mut text, &mut Budget::new())
        .map_err(|error| error.to_string())?;
    same(String::from_utf8(text).unwrap(), json)?;
    same(through_sql(&dictionary, &value)?, json)
}

/// Reads a value as a root if it is an object, else as the key of one.
fn through_sql(dictionary: &[u8], value: &[u8]) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("sample.parquet");
    let is_object = value.first().is_some_and(|header| header & 3 == 2);
    let names = Metadata::try_new(dictionary).map_err(|error| error.to_string())?;
    let (metadata, value) = match is_object {
        true => (dictionary.to_vec(), value.to_vec()),
        false => {
            // The key comes last, so that ids of the value stay as they are.
            let mut all: Vec<&str> = (0..names.len()).map(|id| names.name(id).unwrap()).collect();
            all.push("k");
            let id = all.len() - 1;
            (
                metadata(&all, 1, false),
                object(&[(id, value.to_vec())], 1, 1),
            )
        }
    };
    write(
        &path,
        &[unshredded(&[Some((metadata, value))])],
        Cut::default(),
    );
    let table = Table::open(&path)?;
    let document = table.texts("SELECT v FROM t").remove(0).unwrap_or_default();
    if is_object {
        return Ok(document);
    }
    let json = document
        .strip_prefix("{\"k\":")
        .and_then(|text| text.strip_suffix('}'));
    let json = json.unwrap_or(&document).to_owned();
    let text = table
        .texts(&format!("SELECT {} FROM t", key("v", "k")))
        .remove(0);
    let bare = match serde_json::from_str(&json).unwrap() {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    match text == Some(bare.clone()) {
        true => Ok(json),
        false => Err(format!("key reads {text:?} beside {bare:?}")),
    }
}

#[test]
fn the_samples_have_their_types_and_values() {
    let Some(folder) = data("parquet-testing/variant") else {
        return;
    };
    let mut failures = Vec::new();
    for (name, expected, json) in SAMPLES {
        let outcome = check(&folder, name, expected, json);
        eprintln!(
            "| {name} | {expected} | {} |",
            outcome.as_ref().err().map_or("equal", |e| e)
        );
        failures.extend(outcome.err().map(|error| format!("{name}: {error}")));
    }
    announce(&format!(
        "conformance: {} of {} unshredded samples equal in type and value",
        SAMPLES.len() - failures.len(),
        SAMPLES.len()
    ));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
