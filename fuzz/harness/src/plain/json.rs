//! Whether JSON text says what a tree holds.

use growler_base::limits::VARIANT_DEPTH;
use serde_json::Value;

use super::Plain;

/// Parses JSON text that must be valid; `None` if it is nested deeper than `serde_json` goes.
///
/// # Panics
/// When the text is no JSON.
pub fn parse(text: &str) -> Option<Value> {
    match serde_json::from_str(text) {
        Ok(value) => Some(value),
        Err(error) => {
            let is_deep = text.matches(['[', '{']).count() >= VARIANT_DEPTH - 1;
            assert!(is_deep, "no JSON: {error}: {text}");
            None
        }
    }
}

/// Tells whether the text says the same, with the names of objects in order.
pub fn says(json: &Value, plain: &Plain) -> bool {
    match (json, plain) {
        (Value::Null, Plain::Null) => true,
        (Value::Bool(said), Plain::Boolean(held)) => said == held,
        (Value::Number(said), held) => number_says(&said.to_string(), held),
        (Value::String(said), Plain::Text(held)) => said == held,
        (Value::String(said), Plain::Float(held)) => word(f64::from(*held)) == Some(said),
        (Value::String(said), Plain::Double(held)) => word(*held) == Some(said),
        (Value::String(said), Plain::Bytes(held)) => said.len() == held.len().div_ceil(3) * 4,
        (Value::String(said), Plain::Quoted) => !said.is_empty(),
        (Value::Array(said), Plain::List(held)) => {
            said.len() == held.len() && said.iter().zip(held).all(|(a, b)| says(a, b))
        }
        (Value::Object(said), Plain::Object(held)) => {
            let pairs = said.iter().zip(held);
            said.len() == held.len() && { pairs }.all(|(a, b)| *a.0 == b.0 && says(a.1, &b.1))
        }
        _ => false,
    }
}

fn number_says(said: &str, held: &Plain) -> bool {
    match held {
        Plain::Integer(held) => said == held.to_string(),
        Plain::Decimal { unscaled, scale } => said == decimal(*unscaled, usize::from(*scale)),
        Plain::Float(held) => said.parse::<f32>().map(f32::to_bits) == Ok(held.to_bits()),
        Plain::Double(held) => said.parse::<f64>().map(f64::to_bits) == Ok(held.to_bits()),
        _ => false,
    }
}

/// Writes a decimal digit by digit.
pub fn decimal(unscaled: i128, scale: usize) -> String {
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let point = if scale > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{fraction}")
}

fn word(value: f64) -> Option<&'static str> {
    match value {
        _ if value.is_nan() => Some("NaN"),
        f64::INFINITY => Some("Infinity"),
        f64::NEG_INFINITY => Some("-Infinity"),
        _ => None,
    }
}
