//! The 29 samples of apache/parquet-testing, where they lie on this machine.

use std::path::PathBuf;

use crate::json;

/// Returns the folder of the samples: `$GROWLER_SHARED`, or beside the workspace.
fn folder() -> PathBuf {
    let shared = std::env::var_os("GROWLER_SHARED").map(PathBuf::from);
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    shared
        .unwrap_or_else(beside)
        .join("data/parquet-testing/variant")
}

const SAMPLES: [(&str, &str); 29] = [
    ("array_empty", "[]"),
    (
        "array_nested",
        r#"[{"id":1,"thing":{"names":["Contrarian","Spider"]}},null,{"id":2,"names":["Apple","Ray",null],"type":"if"}]"#,
    ),
    ("array_primitive", "[2,1,5,9]"),
    (
        "long_string",
        concat!(
            "\"This string is for sure and certainly longer than 64 bytes and ",
            "it also includes several non ascii characters such as 🐢, 💖, ♥️, 🎣 and 🤦!!\""
        ),
    ),
    ("object_empty", "{}"),
    (
        "object_nested",
        r#"{"id":1,"observation":{"location":"In the Volcano","time":"12:34:56","value":{"humidity":456,"temperature":123}},"species":{"name":"lava monster","population":6789}}"#,
    ),
    (
        "object_primitive",
        r#"{"boolean_false_field":false,"boolean_true_field":true,"double_field":1.23456789,"int_field":1,"null_field":null,"string_field":"Apache Parquet","timestamp_field":"2025-04-16T12:34:56.78"}"#,
    ),
    ("primitive_binary", "\"AxM33q2+78r+\""),
    ("primitive_boolean_false", "false"),
    ("primitive_boolean_true", "true"),
    ("primitive_date", "\"2025-04-16\""),
    ("primitive_decimal16", "12345678912345678.90"),
    ("primitive_decimal4", "12.34"),
    ("primitive_decimal8", "12345678.90"),
    ("primitive_double", "1234567890.1234"),
    ("primitive_float", "1234568000.0"),
    ("primitive_int16", "1234"),
    ("primitive_int32", "123456"),
    ("primitive_int64", "1234567890123456789"),
    ("primitive_int8", "42"),
    ("primitive_null", "null"),
    (
        "primitive_string",
        concat!(
            "\"This string is longer than 64 bytes and therefore does not fit in a short_string and ",
            "it also includes several non ascii characters such as 🐢, 💖, ♥️, 🎣 and 🤦!!\""
        ),
    ),
    ("primitive_time", "\"12:33:54.123456\""),
    (
        "primitive_timestamp",
        "\"2025-04-16T16:34:56.780000+00:00\"",
    ),
    (
        "primitive_timestamp_nanos",
        "\"2024-11-07T12:33:54.123456789+00:00\"",
    ),
    ("primitive_timestampntz", "\"2025-04-16T12:34:56.780000\""),
    (
        "primitive_timestampntz_nanos",
        "\"2024-11-07T12:33:54.123456789\"",
    ),
    ("primitive_uuid", "\"f24f9b64-81fa-49d1-b74e-8c09a6e31c56\""),
    (
        "short_string",
        "\"Less than 64 bytes (❤\u{fe0f} with utf8)\"",
    ),
];

#[test]
fn reads_the_samples_of_parquet_testing() -> std::io::Result<()> {
    let folder = folder();
    if !folder.is_dir() {
        eprintln!(
            "skipped: no samples in {}; set GROWLER_SHARED",
            folder.display()
        );
        return Ok(());
    }
    for (name, expected) in SAMPLES {
        let metadata = std::fs::read(folder.join(format!("{name}.metadata")))?;
        let value = std::fs::read(folder.join(format!("{name}.value")))?;
        assert_eq!(json(&metadata, &value).as_deref(), Ok(expected), "{name}");
        let len = growler_variant::value::len_bytes(&value);
        assert_eq!(
            len,
            Ok(value.len()),
            "{name}: no sample has bytes after its end"
        );
        let dictionary = growler_variant::Metadata::try_new(&metadata).unwrap();
        assert_eq!(dictionary.len_bytes(), metadata.len(), "{name}");
    }
    Ok(())
}
