//! VARIANT keys: as what they are read.

use std::sync::Arc;

use arrow_array::{ArrayRef, Decimal128Array, Float64Array, Int32Array, StringViewArray};
use growler_exec::Error;
use growler_schema::DataType;

use super::harness::{Table, check_rows};

/// A document, a typed key `lat` and an untyped key `tier`, of which two values are numbers.
fn table() -> Table {
    let text = |values: Vec<Option<&str>>| -> ArrayRef { Arc::new(StringViewArray::from(values)) };
    let decimals = Decimal128Array::from(vec![None, Some(5_000_000_000_000_000_000), None, None]);
    let decimals = decimals.with_precision_and_scale(38, 18).unwrap();
    Table::new()
        .with(
            "props",
            DataType::OpenStruct.single(),
            text(vec![
                Some(r#"{"lat":100,"tier":"gold"}"#),
                Some(r#"{"lat":"n/a","tier":5}"#),
                Some("{}"),
                None,
            ]),
        )
        .with(
            "props.lat/Own",
            DataType::Int.single(),
            Arc::new(Int32Array::from(vec![Some(100), None, None, None])),
        )
        .with(
            "props.tier/Own",
            DataType::String.single(),
            text(vec![Some("gold"), Some("5"), None, None]),
        )
        .with(
            "props.tier/Number",
            DataType::Double.single(),
            Arc::new(Float64Array::from(vec![None, Some(5.0), None, None])),
        )
        .with(
            "props.tier/ExactNumber { scale: 18 }",
            DataType::BigDecimal { scale: 18 }.single(),
            Arc::new(decimals),
        )
        .with(
            "props.tier/Json",
            DataType::Json.single(),
            text(vec![Some("\"gold\""), Some("5"), None, None]),
        )
        .with(
            "props.lat/Json",
            DataType::Json.single(),
            text(vec![Some("100"), Some("\"n/a\""), None, None]),
        )
}

#[test]
fn numbers_meet_numbers() {
    check_rows(
        table,
        true,
        &[
            ("props['tier'] = 5", ["NULL", "true", "NULL", "NULL"]),
            ("props['tier'] = '5'", ["false", "true", "NULL", "NULL"]),
            ("props['tier'] = 'gold'", ["true", "false", "NULL", "NULL"]),
            (
                "props['tier'] IN (5, 6.5)",
                ["NULL", "true", "NULL", "NULL"],
            ),
            (
                "props['tier'] < 9007199254740993",
                ["NULL", "true", "NULL", "NULL"],
            ),
            ("props['tier'] + 1", ["NULL", "6.0", "NULL", "NULL"]),
            (
                "props['tier'] < props['lat']",
                ["NULL", "NULL", "NULL", "NULL"],
            ),
            ("props['lat'] + 1", ["101.0", "NULL", "NULL", "NULL"]),
            (
                "CAST(props['lat'] AS STRING) = '100'",
                ["true", "NULL", "NULL", "NULL"],
            ),
            ("abs(props['tier'])", ["NULL", "5.0", "NULL", "NULL"]),
            ("length(props['tier'])", ["4", "1", "NULL", "NULL"]),
            ("props['lat'] IS NULL", ["false", "true", "true", "true"]),
        ],
    );
    check_rows(
        table,
        false,
        &[
            ("props['tier'] = 5", ["false", "true", "false", "false"]),
            ("props['tier'] <> 5", ["true", "false", "true", "true"]),
            ("props['tier'] = 'null'", ["false", "false", "true", "true"]),
            ("props['lat'] < 0", ["false", "true", "true", "true"]),
            ("props['lat'] IS NULL", ["false", "true", "true", "true"]),
            ("props['tier'] + 1", ["-inf", "6.0", "-inf", "-inf"]),
            ("length(props['tier'])", ["4", "1", "4", "4"]),
        ],
    );
}

/// A path into the document reads the key alone where that gives the same, and the document where
/// it might not.
#[test]
fn paths_into_documents_read_keys() -> Result<(), Error> {
    let none = "JSON_EXTRACT_SCALAR(props, '$.tier', 'STRING', 'none')";
    let null = "JSON_EXTRACT_SCALAR(props, '$.tier', 'STRING', NULL)";
    let lat = "JSON_EXTRACT_SCALAR(props, '$.lat', 'INT', -1)";
    let cases = [
        (
            none,
            false,
            "props.tier/Json",
            ["gold", "5", "none", "none"],
        ),
        (none, true, "props", ["gold", "5", "none", "NULL"]),
        (null, true, "props.tier/Json", ["gold", "5", "NULL", "NULL"]),
        (
            null,
            false,
            "props.tier/Json",
            ["gold", "5", "null", "null"],
        ),
        (lat, false, "props.lat/Json", ["100", "-1", "-1", "-1"]),
        (
            "JSON_EXTRACT_SCALAR(props, '$[''tier'']', 'STRING', 'none')",
            false,
            "props.tier/Json",
            ["gold", "5", "none", "none"],
        ),
        (
            "JSON_EXTRACT_SCALAR(props, '$[''a.b'']', 'STRING', 'none')",
            false,
            "props",
            ["none"; 4],
        ),
        (
            "JSON_EXTRACT_SCALAR(props, '$.*', 'STRING', 'none')",
            true,
            "props",
            [r#"[100,"gold"]"#, r#"["n/a",5]"#, "[]", "NULL"],
        ),
        (
            "JSON_EXTRACT_SCALAR(props, '$', 'STRING', 'none')",
            false,
            "props",
            [
                r#"{"lat":100,"tier":"gold"}"#,
                r#"{"lat":"n/a","tier":5}"#,
                "{}",
                "{}",
            ],
        ),
    ];
    for (sql, null_handling, slot, expected) in cases {
        let mut table = table();
        assert_eq!(
            table.rows(sql, null_handling)?,
            expected,
            "{sql} {null_handling}"
        );
        assert_eq!(table.slots(), [slot], "{sql} {null_handling}");
    }
    Ok(())
}

#[test]
fn other_columns_have_no_keys() {
    let mut table = table().texts("s", vec![Some(r#"{"a":1}"#); 4]);
    let error = table.rows("s['a']", true).unwrap_err();
    assert_eq!(error.code(), 700);
    let rows = table
        .rows("JSON_EXTRACT_SCALAR(s, '$.a', 'INT')", true)
        .unwrap();
    assert_eq!(rows, ["1"; 4]);
    let error = table
        .rows("JSON_EXTRACT_SCALAR(zz, '$.a', 'INT')", true)
        .unwrap_err();
    assert_eq!(error.code(), 710);
}
