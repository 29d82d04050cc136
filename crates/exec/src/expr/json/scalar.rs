//! A JSON value as one of the engine's types.

use std::io;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use growler_schema::TimeUnit;
use serde::Serialize;
use serde_json::ser::Formatter;
use serde_json::{Serializer, Value};

use crate::expr::convert::{
    decimal::{Decimal, Rounding},
    number::{parse_bool, parse_f64, parse_i64},
    timestamp::Instant,
};

/// Reads a whole number; a fraction is cut off, a boolean is 1 or 0, text is parsed.
pub(crate) fn to_i64(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => parse_i64(number.as_str()),
        Value::Bool(value) => Some(i64::from(*value)),
        Value::String(text) => parse_i64(text),
        _ => None,
    }
}

/// Reads a whole number of 32 bits.
pub(crate) fn to_i32(value: &Value) -> Option<i32> {
    to_i64(value).and_then(|value| i32::try_from(value).ok())
}

/// Reads a number.
pub(crate) fn to_f64(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => parse_f64(number.as_str()),
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        Value::String(text) => parse_f64(text),
        _ => None,
    }
}

/// Reads a number as the nearest float.
pub(crate) fn to_f32(value: &Value) -> Option<f32> {
    match value {
        Value::Number(number) => number.as_str().parse().ok(),
        other => to_f64(other).map(crate::expr::convert::number::f64_to_f32),
    }
}

/// Reads an exact number, rounded to a scale.
pub(crate) fn to_decimal(value: &Value, scale: i8) -> Option<i128> {
    let number = match value {
        Value::Number(number) => Decimal::parse(number.as_str())?,
        Value::Bool(value) => Decimal {
            unscaled: i128::from(*value),
            scale: 0,
        },
        Value::String(text) => Decimal::parse(text.trim())?,
        _ => return None,
    };
    number.rescale(scale, Rounding::HalfUp)
}

/// Reads a boolean: a number other than zero is true, and so are the texts `true` and `1`.
pub(crate) fn to_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::Number(_) => to_f64(value).map(|number| number != 0.0),
        Value::String(text) => Some(parse_bool(text)),
        _ => None,
    }
}

/// Reads milliseconds since 1970: a number is, text is parsed.
pub(crate) fn to_millis(value: &Value) -> Option<i64> {
    match value {
        Value::Number(_) => to_i64(value),
        Value::String(text) => Instant::parse(text)?.to_units(TimeUnit::Millis),
        _ => None,
    }
}

/// Decodes base64 text.
pub(crate) fn to_bytes(value: &Value) -> Option<Vec<u8>> {
    value.as_str().and_then(|text| STANDARD.decode(text).ok())
}

/// Appends text as it is, and anything else as JSON.
pub(crate) fn write_text(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => out.push_str(text),
        Value::Number(number) => number_parts(number.as_str())
            .iter()
            .for_each(|part| out.push_str(part)),
        other => write_json(other, out),
    }
}

/// Appends JSON text, numbers as documents have them.
pub(crate) fn write_json(value: &Value, out: &mut String) {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, AsWritten);
    // A value in memory always is JSON, and JSON is UTF-8.
    if value.serialize(&mut serializer).is_ok()
        && let Ok(text) = std::str::from_utf8(&text)
    {
        out.push_str(text);
    }
}

/// Returns a number without the plus that parsing puts before an exponent.
fn number_parts(number: &str) -> [&str; 3] {
    match number.split_once("e+") {
        Some((mantissa, exponent)) => [mantissa, "e", exponent],
        None => [number, "", ""],
    }
}

/// Compact JSON with numbers as documents have them.
struct AsWritten;

impl Formatter for AsWritten {
    fn write_number_str<W>(&mut self, writer: &mut W, number: &str) -> io::Result<()>
    where
        W: ?Sized + io::Write,
    {
        let mut parts = number_parts(number).into_iter();
        parts.try_for_each(|part| writer.write_all(part.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_they_were_read() {
        let cases = [
            ("1e20", "1e20"),
            ("[1e20,-1.5e-7,100]", "[1e20,-1.5e-7,100]"),
            (r#"{"e":"1e+20"}"#, r#"{"e":"1e+20"}"#),
            (r#""1e+20""#, "1e+20"),
            ("null", "null"),
        ];
        for (json, expected) in cases {
            let mut text = String::new();
            write_text(&serde_json::from_str(json).unwrap(), &mut text);
            assert_eq!(text, expected);
        }
    }
}
