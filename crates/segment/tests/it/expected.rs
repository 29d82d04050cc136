//! What the writers of the shared pack say of their documents: reading it, and comparing with it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Parses JSON in which NaN and infinities stand bare, as DuckDB shows them.
pub fn parse(text: &str) -> serde_json::Result<Value> {
    let words = ["NaN", "Infinity", "-Infinity"];
    if words.contains(&text) {
        return Ok(Value::String(text.to_owned()));
    }
    let mut text = text.to_owned();
    for word in words {
        text = text.replace(&format!(":{word}"), &format!(":\"{word}\""));
    }
    serde_json::from_str(&text)
}

/// Finds a key: at every object the whole rest of the path wins, then its first step is taken.
pub fn lookup<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let object = value.as_object()?;
    object.get(path).or_else(|| {
        let (step, rest) = path.split_once('.')?;
        lookup(object.get(step)?, rest)
    })
}

/// Returns the bytes that DuckDB shows as text with `\xHH` escapes.
fn escaped(text: &str) -> Vec<u8> {
    let mut pieces = text.split("\\x");
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let (hex, rest) = piece.split_at_checked(2).unwrap_or((piece, ""));
        bytes.extend(u8::from_str_radix(hex, 16).ok());
        bytes.extend(rest.as_bytes());
    }
    bytes
}

/// Compares values; numbers by value, since engines write them differently.
pub fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, value)| right.get(key).is_some_and(|found| equal(value, found)))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| equal(a, b))
        }
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        (Value::String(left), Value::String(right)) => {
            left == right || iso(left) == iso(right) || STANDARD.encode(escaped(left)) == *right
        }
        (left, right) => left == right,
    }
}

/// Levels how engines show timestamps: with a space, fewer digits, or hours only in the zone.
fn iso(text: &str) -> String {
    let text = text.replacen(' ', "T", 1);
    let (time, zone) = match text.rfind('+') {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    let zone = if zone == "+00" { "+00:00" } else { zone };
    let time = match time.contains(['T', ':']) && time.contains('.') {
        true => time.trim_end_matches('0').trim_end_matches('.'),
        false => time,
    };
    format!("{time}{zone}")
}
