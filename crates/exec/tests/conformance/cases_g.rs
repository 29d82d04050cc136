//! JSON and text rendering.

use arrow_schema::{DataType as ArrowType, TimeUnit};
use growler_schema::DataType;

use crate::bytes::{decimal, int, list as list_bytes, metadata, object as object_bytes, primitive};
use crate::cases::{owned, table_of};
use crate::layouts::{Case, NOTHING, object};
use crate::parquet_files::{Row, unshredded};

fn keyed(values: &[Vec<u8>]) -> arrow_array::StructArray {
    let row = |value: &Vec<u8>| -> Row {
        Some((
            metadata(&["k"], 1, true),
            object_bytes(&[(0, value.clone())], 1, 1),
        ))
    };
    unshredded(&values.iter().map(row).collect::<Vec<_>>())
}

/// Checks one key whose values have these texts, unshredded and shredded.
fn check(values: &[Vec<u8>], schemas: Vec<ArrowType>, json: &[&str]) {
    let documents: Vec<_> = json
        .iter()
        .map(|json| format!(r#"{{"k":{json}}}"#))
        .collect();
    let documents: Vec<_> = documents.iter().map(|text| Some(text.as_str())).collect();
    let texts: Vec<_> = json
        .iter()
        .map(|json| Some(json.trim_matches('"')))
        .collect();
    let schemas = schemas
        .into_iter()
        .map(|arrow| object(&[("k", arrow)]))
        .collect();
    Case::of_rows(keyed(values), schemas, &documents)
        .text("k", &texts)
        .check();
}

/// Fractions of a second keep their zeros: six digits.
#[test]
fn g01() {
    let time = |micros: i64| primitive(17, &micros.to_le_bytes());
    check(
        &[
            time(10_010),
            time(43_200_000_001),
            time(86_399_100_000),
            time(0),
        ],
        vec![ArrowType::Time64(TimeUnit::Microsecond), ArrowType::Boolean],
        &[
            "\"00:00:00.010010\"",
            "\"12:00:00.000001\"",
            "\"23:59:59.100000\"",
            "\"00:00:00.000000\"",
        ],
    );
}

/// A decimal keeps its scale in every layout.
#[test]
fn g03() {
    check(
        &[decimal(8, 2, 150), decimal(8, 2, 5), decimal(8, 2, -150)],
        vec![ArrowType::Decimal128(18, 2), NOTHING],
        &["1.50", "0.05", "-1.50"],
    );
    check(
        &[decimal(4, 2, 150), decimal(4, 2, 5)],
        vec![ArrowType::Decimal128(9, 2)],
        &["1.50", "0.05"],
    );
}

/// Zeros are never stripped into an exponent.
#[test]
fn g04() {
    check(
        &[
            decimal(4, 2, 1000),
            decimal(4, 0, 100),
            decimal(4, 2, 0),
            decimal(16, 10, 0),
            decimal(16, 0, 10_i128.pow(30)),
        ],
        vec![NOTHING],
        &[
            "10.00",
            "100",
            "0.00",
            "0.0000000000",
            "1000000000000000000000000000000",
        ],
    );
    check(
        &[decimal(8, 2, 1000), decimal(8, 2, 0)],
        vec![ArrowType::Decimal128(18, 2)],
        &["10.00", "0.00"],
    );
}

/// Trailing zeros, large integers and fractions in one column are exact.
#[test]
fn g06() {
    let values = [
        decimal(4, 1, 100),
        decimal(4, 2, 10000),
        decimal(16, 0, 10_i128.pow(20)),
        decimal(4, 2, 5),
        int(7),
    ];
    check(
        &values,
        vec![NOTHING, ArrowType::Utf8],
        &["10.0", "100.00", "100000000000000000000", "0.05", "7"],
    );
    let documents = ["10.0", "100.00", "100000000000000000000", "0.05", "7"]
        .map(|json| format!(r#"{{"k":{json}}}"#));
    let documents: Vec<_> = documents.iter().map(|text| Some(text.as_str())).collect();
    let exact = [
        Some("10.00"),
        Some("100.00"),
        Some("100000000000000000000.00"),
        Some("0.05"),
        Some("7.00"),
    ];
    Case::of_rows(keyed(&values), vec![object(&[("k", NOTHING)])], &documents)
        .typed("k", DataType::BigDecimal { scale: 2 }, &exact)
        .check();
    let (_folder, table) = table_of(keyed(&values));
    for (test, count) in [
        ("= 10", 1),
        ("= 100000000000000000000", 1),
        ("> 99.99", 2),
        ("< 0.06", 1),
        ("= 0.05", 1),
    ] {
        assert_eq!(
            table.count(&format!(
                "SET enableNullHandling = true; SELECT COUNT(*) FROM t WHERE v['k'] {test}"
            )),
            count,
            "{test}"
        );
    }
}

/// NaN and infinities are quoted words, so that documents stay JSON.
#[test]
fn g07() {
    let doubles = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0, -0.0];
    let words = ["\"NaN\"", "\"Infinity\"", "\"-Infinity\"", "1.0", "-0.0"];
    check(
        &doubles.map(|value| primitive(7, &value.to_le_bytes())),
        vec![ArrowType::Float64, NOTHING],
        &words,
    );
    let floats = doubles.map(|value| value as f32);
    check(
        &floats.map(|value| primitive(14, &value.to_le_bytes())),
        vec![ArrowType::Float32, NOTHING],
        &words,
    );
    let elements: Vec<_> = doubles
        .iter()
        .map(|value| primitive(7, &value.to_le_bytes()))
        .collect();
    let (_folder, table) = table_of(keyed(&[list_bytes(&elements, 1)]));
    let document = table.texts("SELECT v FROM t");
    assert_eq!(
        document,
        owned(&[Some(r#"{"k":["NaN","Infinity","-Infinity",1.0,-0.0]}"#)])
    );
    serde_json::from_str::<serde_json::Value>(document[0].as_ref().unwrap()).unwrap();
}
