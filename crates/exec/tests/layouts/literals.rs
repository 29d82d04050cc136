//! Literals that keys are compared with.

use growler_schema::{DataType, TimeUnit};

use crate::model::Cell;

/// Returns literals with what they mean.
pub fn literals(data_type: DataType, on: bool) -> Vec<(String, Cell)> {
    let int = |value: i64| (value.to_string(), Cell::Int(value));
    let double = |value: f64| (format!("{value:?}"), Cell::Double(value));
    let float = |value: f32| (format!("{value:?}"), Cell::Float(value));
    let text = |text: &str| {
        let quoted = format!("'{}'", text.replace('\'', "''"));
        (quoted, Cell::Text(text.to_owned()))
    };
    let bytes = |text: &str, bytes: &[u8]| (format!("'{text}'"), Cell::Bytes(bytes.to_vec()));
    match data_type {
        DataType::Int | DataType::Long => vec![
            int(-3),
            int(0),
            int(1),
            int(4),
            int(127),
            int(70_000),
            int(1 << 40),
            double(1.5),
        ],
        DataType::Float => vec![int(-3), int(0), int(3), float(0.1), float(1.5), float(-2.5)],
        DataType::Double | DataType::BigDecimal { .. } => vec![
            int(-3),
            int(0),
            int(3),
            double(1.5),
            double(-2.5),
            double(0.5),
        ],
        DataType::Boolean => vec![
            ("true".to_owned(), Cell::Boolean(true)),
            ("false".to_owned(), Cell::Boolean(false)),
        ],
        DataType::Timestamp { unit } => times(unit),
        DataType::Bytes => vec![
            bytes("616263", b"abc"),
            bytes("", b""),
            bytes("00", b"\0"),
            bytes("FFfe", b"\xff\xfe"),
            bytes("61", b"a"),
        ],
        _ if on => vec![
            text("x"),
            text(""),
            text("12"),
            text("zebra"),
            text("it's"),
            text("a\"b"),
        ],
        _ => vec![
            text("x"),
            text("null"),
            text(""),
            text("1.5"),
            text("ünï"),
            text("{\"x\":1}"),
        ],
    }
}

/// Times as milliseconds and as text.
fn times(unit: TimeUnit) -> Vec<(String, Cell)> {
    let per_micro = match unit {
        TimeUnit::Nanos => 1000,
        _ => 1,
    };
    let time =
        |text: &str, micros: i64| (text.to_owned(), Cell::Timestamp(micros * per_micro, unit));
    vec![
        time("0", 0),
        time("1700000000000", 1_700_000_000_000_000),
        time("-86400000", -86_400_000_000),
        time("'2023-11-14 22:13:20.123456'", 1_700_000_000_123_456),
        time("'1970-01-01 00:00:00.000001'", 1),
    ]
}
