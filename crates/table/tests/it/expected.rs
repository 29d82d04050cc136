//! Values as their writers show them, beside ours.

use growler_schema::{DataType, Field};
use serde_json::{Map, Value};

/// One form for a value of a column, whoever showed it; `None` for null.
pub fn canonical(field: &Field, value: &Value) -> Value {
    match (field.column_type.data_type, value) {
        (_, Value::Null) => Value::Null,
        (DataType::Timestamp { .. }, Value::String(text)) => {
            let text = text.trim_end_matches("+00:00").replace('T', " ");
            let (clock, fraction) = text.split_once('.').unwrap_or((&text, ""));
            let fraction = fraction.trim_end_matches('0');
            Value::String(format!("{clock}.{fraction}"))
        }
        (DataType::BigDecimal { .. }, Value::String(text)) => decimal(text),
        (DataType::BigDecimal { .. }, Value::Number(number)) => decimal(&number.to_string()),
        (DataType::Json | DataType::Map | DataType::OpenStruct, Value::String(text)) => {
            match serde_json::from_str(text) {
                Ok(document) => nested(&document),
                Err(_) => Value::String(text.clone()),
            }
        }
        (DataType::Json | DataType::Map, document) => nested(document),
        (DataType::Long, Value::String(date)) if date.len() == 10 => days(date),
        (DataType::Float, Value::Number(number)) => {
            let float: f32 = number.to_string().parse().unwrap();
            Value::String(format!("{float:?}"))
        }
        (_, Value::Number(number)) => Value::String(number_text(&number.to_string())),
        (_, Value::Array(items)) => items.iter().map(|item| canonical(field, item)).collect(),
        (_, other) => other.clone(),
    }
}

fn decimal(text: &str) -> Value {
    let trimmed = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    };
    Value::String(trimmed.to_owned())
}

fn number_text(text: &str) -> String {
    let number: f64 = text.parse().unwrap();
    match text.parse::<i64>() {
        Ok(whole) => whole.to_string(),
        Err(_) => format!("{number:?}"),
    }
}

/// Structs as objects; maps, which their writer shows as pairs, too.
fn nested(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let pairs = items.iter().map(|item| match item {
                Value::Array(pair) => match pair.as_slice() {
                    [Value::String(key), value] => Some((key.clone(), nested(value))),
                    _ => None,
                },
                _ => None,
            });
            match pairs.collect::<Option<Map<String, Value>>>() {
                Some(map) if !map.is_empty() => Value::Object(map),
                _ => items.iter().map(nested).collect(),
            }
        }
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(name, _)| name.as_str());
            let sorted = sorted.into_iter();
            Value::Object(
                sorted
                    .map(|(name, value)| (name.clone(), nested(value)))
                    .collect(),
            )
        }
        Value::Number(number) => Value::String(number_text(&number.to_string())),
        other => other.clone(),
    }
}

fn days(date: &str) -> Value {
    let parts: Vec<i64> = date.split('-').map(|part| part.parse().unwrap()).collect();
    let days = growler_base::Civil {
        year: parts[0],
        month: parts[1],
        day: parts[2],
    }
    .to_days();
    Value::String(days.to_string())
}
