//! Default null values as a schema's JSON spells them.

use std::fmt::Write as _;

use chrono::{DateTime, NaiveDate, NaiveDateTime};
use serde_json::Value as Json;

use crate::{DataType, TimeUnit, Value};

/// Reads a default null value; none when it does not convert to the type.
///
/// Numbers may be text. TIMESTAMP is a count of milliseconds since 1970 or `yyyy-MM-dd
/// HH:mm:ss[.fraction]` in UTC, BYTES is hex. A BIG_DECIMAL keeps the scale it is written with.
pub fn parse(json: &Json, data_type: DataType) -> Option<Value> {
    let text = match json {
        Json::String(text) => text.clone(),
        Json::Null => return None,
        other => other.to_string(),
    };
    let text = text.as_str();
    Some(match data_type {
        DataType::Int => Value::Int(text.parse().ok()?),
        DataType::Long => Value::Long(text.parse().ok()?),
        DataType::Float => Value::Float(text.parse().ok()?),
        DataType::Double => Value::Double(text.parse().ok()?),
        DataType::BigDecimal { .. } => decimal(text)?,
        DataType::Boolean => Value::Boolean(boolean(text)?),
        DataType::Timestamp { unit } => Value::Timestamp(timestamp(text, unit)?, unit),
        DataType::String => Value::String(text.to_owned()),
        DataType::Uuid => Value::String(uuid(text)?),
        DataType::Bytes => Value::Bytes(bytes(text)?),
        DataType::Json => json_text(text, false)?,
        DataType::Map | DataType::OpenStruct => json_text(text, true)?,
    })
}

/// Writes a default null value as JSON.
pub fn write(value: &Value) -> Json {
    match value {
        Value::Int(value) => Json::from(*value),
        Value::Long(value) => Json::from(*value),
        Value::Float(value) => float(f64::from(*value), value.to_string()),
        Value::Double(value) => float(*value, value.to_string()),
        Value::BigDecimal(unscaled, scale) => Json::from(decimal_text(*unscaled, *scale)),
        Value::Boolean(value) => Json::from(*value),
        Value::Timestamp(count, unit) => timestamp_json(*count, *unit),
        Value::String(text) => Json::from(text.as_str()),
        Value::Bytes(bytes) => Json::from(bytes.iter().fold(String::new(), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })),
    }
}

fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

fn decimal(text: &str) -> Option<Value> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let len = whole.len().checked_add(fraction.len())?;
    if len == 0 || len > 38 || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let unscaled: i128 = format!("{whole}{fraction}").parse().ok()?;
    let scale = i8::try_from(fraction.len()).ok()?;
    Some(Value::BigDecimal(
        if negative { -unscaled } else { unscaled },
        scale,
    ))
}

fn decimal_text(unscaled: i128, scale: i8) -> String {
    let Ok(scale @ 1..) = usize::try_from(scale) else {
        return unscaled.to_string();
    };
    let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if unscaled < 0 { "-" } else { "" };
    format!("{sign}{whole}.{fraction}")
}

fn float(value: f64, text: String) -> Json {
    if value.is_finite() {
        text.parse().map_or(Json::from(text), Json::Number)
    } else if value.is_nan() {
        Json::from("NaN")
    } else {
        Json::from(if value < 0.0 { "-Infinity" } else { "Infinity" })
    }
}

fn timestamp(text: &str, unit: TimeUnit) -> Option<i64> {
    if let Ok(millis) = text.parse::<i64>() {
        return millis.checked_mul(unit.per_second() / 1_000);
    }
    let text = text.strip_suffix('Z').unwrap_or(text).replacen('T', " ", 1);
    let at = NaiveDateTime::parse_from_str(&text, "%Y-%m-%d %H:%M:%S%.f")
        .ok()
        .or_else(|| {
            NaiveDate::parse_from_str(&text, "%Y-%m-%d")
                .ok()?
                .and_hms_opt(0, 0, 0)
        })?;
    let at = at.and_utc();
    let nanos_per_unit = 1_000_000_000 / unit.per_second();
    let fraction = i64::from(at.timestamp_subsec_nanos());
    if fraction % nanos_per_unit != 0 {
        return None;
    }
    at.timestamp()
        .checked_mul(unit.per_second())?
        .checked_add(fraction / nanos_per_unit)
}

fn timestamp_json(count: i64, unit: TimeUnit) -> Json {
    let per_milli = unit.per_second() / 1_000;
    if count % per_milli == 0 {
        return Json::from(count / per_milli);
    }
    let nanos_per_unit = 1_000_000_000 / unit.per_second();
    let fraction = count.rem_euclid(unit.per_second()) * nanos_per_unit;
    let seconds = count.div_euclid(unit.per_second());
    u32::try_from(fraction)
        .ok()
        .and_then(|fraction| DateTime::from_timestamp(seconds, fraction))
        .map_or(Json::from(count / per_milli), |at| {
            Json::from(at.format("%Y-%m-%d %H:%M:%S%.f").to_string())
        })
}

fn uuid(text: &str) -> Option<String> {
    let dashes = [8, 13, 18, 23];
    let fits = |(at, byte): (usize, u8)| {
        if dashes.contains(&at) {
            byte == b'-'
        } else {
            byte.is_ascii_hexdigit()
        }
    };
    let fine = text.len() == 36 && text.bytes().enumerate().all(fits);
    fine.then(|| text.to_ascii_lowercase())
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    text.as_bytes().chunks_exact(2).map(pair).collect()
}

/// JSON's own default, the text `null`, is JSON too.
fn json_text(text: &str, object: bool) -> Option<Value> {
    let json: Json = serde_json::from_str(text).ok()?;
    (!object || json.is_object()).then(|| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_and_writes_every_type() {
        let timestamp = |unit| DataType::Timestamp { unit };
        let decimal = DataType::BigDecimal { scale: 0 };
        let cases = [
            (json!(-1), DataType::Int, Value::Int(-1), json!(-1)),
            (json!("7"), DataType::Long, Value::Long(7), json!(7)),
            (json!(1.5), DataType::Float, Value::Float(1.5), json!(1.5)),
            (
                json!("NaN"),
                DataType::String,
                Value::String("NaN".into()),
                json!("NaN"),
            ),
            (
                json!("-0.05"),
                decimal,
                Value::BigDecimal(-5, 2),
                json!("-0.05"),
            ),
            (json!(12), decimal, Value::BigDecimal(12, 0), json!("12")),
            (
                json!("true"),
                DataType::Boolean,
                Value::Boolean(true),
                json!(true),
            ),
            (
                json!(0),
                DataType::Boolean,
                Value::Boolean(false),
                json!(false),
            ),
            (
                json!("0aFF"),
                DataType::Bytes,
                Value::Bytes(vec![10, 255]),
                json!("0aff"),
            ),
            (
                json!("{}"),
                DataType::Map,
                Value::String("{}".into()),
                json!("{}"),
            ),
            (
                json!(1_000),
                timestamp(TimeUnit::Micros),
                Value::Timestamp(1_000_000, TimeUnit::Micros),
                json!(1_000),
            ),
            (
                json!("1969-12-31 23:59:59.999999"),
                timestamp(TimeUnit::Micros),
                Value::Timestamp(-1, TimeUnit::Micros),
                json!("1969-12-31 23:59:59.999999"),
            ),
            (
                json!("1970-01-02"),
                timestamp(TimeUnit::Millis),
                Value::Timestamp(86_400_000, TimeUnit::Millis),
                json!(86_400_000),
            ),
        ];
        for (text, data_type, value, written) in cases {
            assert_eq!(parse(&text, data_type).as_ref(), Some(&value), "{text}");
            assert_eq!(write(&value), written, "{text}");
            assert_eq!(
                parse(&write(&value), data_type),
                Some(value),
                "{text} again"
            );
        }
        let infinite = parse(&json!("-Infinity"), DataType::Double);
        assert_eq!(infinite, Some(Value::Double(f64::NEG_INFINITY)));
        assert_eq!(write(&Value::Double(f64::NEG_INFINITY)), json!("-Infinity"));
    }

    #[test]
    fn refuses_what_does_not_convert() {
        let cases = [
            (json!("abc"), DataType::Int),
            (json!(2_147_483_648_i64), DataType::Int),
            (json!("1.0"), DataType::Long),
            (json!("yes"), DataType::Boolean),
            (json!("1e5"), DataType::BigDecimal { scale: 0 }),
            (json!(""), DataType::BigDecimal { scale: 0 }),
            (json!("abc"), DataType::Bytes),
            (json!("é9"), DataType::Bytes),
            (
                json!("now"),
                DataType::Timestamp {
                    unit: TimeUnit::Millis,
                },
            ),
            (
                json!(i64::MAX),
                DataType::Timestamp {
                    unit: TimeUnit::Nanos,
                },
            ),
            (
                json!("1970-01-01 00:00:00.0001"),
                DataType::Timestamp {
                    unit: TimeUnit::Millis,
                },
            ),
            (json!("[]"), DataType::OpenStruct),
            (json!("{"), DataType::Json),
            (json!("0-0"), DataType::Uuid),
            (json!(null), DataType::String),
        ];
        for (text, data_type) in cases {
            assert_eq!(parse(&text, data_type), None, "{text}");
        }
    }
}
