//! What a key reads as, worked out naively from the document.

use std::cmp::Ordering;

use growler_schema::DataType;
use growler_variant::text::write_scalar;
use serde_json::{Value as Json, json};

use crate::document::Doc;

/// A value of a key's type.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Int(i64),
    Double(f64),
    /// Unscaled, and the digits behind the point.
    Decimal(i128, u32),
    Boolean(bool),
    Text(String),
}

/// Returns what a document reads as under a type that [`is_modelled`]; none is null.
pub fn cell(doc: &Doc, data_type: DataType) -> Option<Cell> {
    match data_type {
        DataType::Int => integer(doc)
            .filter(|v| i32::try_from(*v).is_ok())
            .map(Cell::Int),
        DataType::Long => integer(doc).map(Cell::Int),
        DataType::Double => double(doc).map(Cell::Double),
        DataType::BigDecimal { scale } => decimal(doc, scale as i32),
        DataType::Boolean => match doc {
            Doc::Boolean(value) => Some(Cell::Boolean(*value)),
            _ => None,
        },
        _ => text(doc).map(Cell::Text),
    }
}

/// Tells whether the model knows a type; others are only compared between layouts.
pub fn is_modelled(data_type: DataType) -> bool {
    matches!(
        data_type,
        DataType::Int
            | DataType::Long
            | DataType::Double
            | DataType::BigDecimal { .. }
            | DataType::Boolean
            | DataType::String
    )
}

/// Returns what stands for null when null handling is off.
pub fn default_null(data_type: DataType) -> Cell {
    match data_type {
        DataType::Int => Cell::Int(i32::MIN.into()),
        DataType::Long => Cell::Int(i64::MIN),
        DataType::Double => Cell::Double(f64::NEG_INFINITY),
        DataType::BigDecimal { scale } => Cell::Decimal(0, scale as u32),
        DataType::Boolean => Cell::Boolean(false),
        _ => Cell::Text("null".to_owned()),
    }
}

impl Cell {
    pub fn json(&self) -> Json {
        match self {
            Self::Int(value) => json!(value),
            Self::Double(value) if value.is_finite() => json!(value),
            Self::Double(value) => json!(word(*value)),
            Self::Decimal(unscaled, scale) => json!(plain(*unscaled, *scale)),
            Self::Boolean(value) => json!(value),
            Self::Text(text) => json!(text),
        }
    }

    /// Compares two cells of one type, or a number with a number of another.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            (Self::Text(a), Self::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
            (Self::Boolean(a), Self::Boolean(b)) => Some(a.cmp(b)),
            (Self::Decimal(a, of_a), Self::Decimal(b, of_b)) if of_a == of_b => Some(a.cmp(b)),
            (Self::Decimal(a, scale), Self::Int(b)) => {
                Some(a.cmp(&(i128::from(*b) * 10_i128.pow(*scale))))
            }
            (a, b) => a.number()?.partial_cmp(&b.number()?),
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Double(value) => Some(*value),
            Self::Decimal(unscaled, scale) => format!("{unscaled}e-{scale}").parse().ok(),
            Self::Boolean(_) | Self::Text(_) => None,
        }
    }
}

fn word(value: f64) -> &'static str {
    match value {
        value if value.is_nan() => "NaN",
        value if value > 0.0 => "Infinity",
        _ => "-Infinity",
    }
}

fn integer(doc: &Doc) -> Option<i64> {
    match doc {
        Doc::Int(value, _) => Some(*value),
        Doc::Decimal(unscaled, scale) => {
            let unit = 10_i128.pow(u32::from(*scale));
            let is_whole = unscaled % unit == 0;
            is_whole
                .then(|| i64::try_from(unscaled / unit).ok())
                .flatten()
        }
        Doc::Float(value) => whole(f64::from(*value)),
        Doc::Double(value) => whole(*value),
        _ => None,
    }
}

fn whole(value: f64) -> Option<i64> {
    let is_whole = value.fract() == 0.0 && value.abs() < 1e30;
    is_whole
        .then(|| i64::try_from(value as i128).ok())
        .flatten()
}

fn double(doc: &Doc) -> Option<f64> {
    match doc {
        Doc::Float(value) => Some(f64::from(*value)),
        Doc::Double(value) => Some(*value),
        Doc::Int(..) | Doc::Decimal(..) => {
            let exact = digits(doc)?;
            let nearest: f64 = format!("{}e{}", exact.0, exact.1).parse().ok()?;
            let is_same = digits(&Doc::Double(nearest)) == Some(exact)
                || whole_digits(nearest).is_some_and(|of| of == exact);
            is_same.then_some(nearest)
        }
        _ => None,
    }
}

/// Digits and exponent of the integer that a double is, to its last digit.
fn whole_digits(value: f64) -> Option<(i128, i32)> {
    (value.fract() == 0.0 && value.abs() < 1e37).then(|| trimmed(value as i128, 0))
}

fn decimal(doc: &Doc, scale: i32) -> Option<Cell> {
    let (mut unscaled, exponent) = digits(doc)?;
    for _ in 0..exponent + scale {
        unscaled = unscaled.checked_mul(10)?;
    }
    let fits = exponent + scale >= 0 && unscaled.unsigned_abs() < 10_u128.pow(38);
    (fits || unscaled == 0).then_some(Cell::Decimal(unscaled, scale as u32))
}

/// Digits without zeros at the end, and their exponent; floats by their shortest text.
fn digits(doc: &Doc) -> Option<(i128, i32)> {
    let of_text = |text: String| {
        let (mantissa, exponent) = text.split_once('e')?;
        let fraction = mantissa
            .split_once('.')
            .map_or(0, |(_, fraction)| fraction.len() as i32);
        let digits: i128 = mantissa.replace('.', "").parse().ok()?;
        Some(trimmed(digits, exponent.parse::<i32>().ok()? - fraction))
    };
    match doc {
        Doc::Int(value, _) => Some(trimmed((*value).into(), 0)),
        Doc::Decimal(unscaled, scale) => Some(trimmed(*unscaled, -i32::from(*scale))),
        Doc::Float(value) => of_text(format!("{value:e}")),
        Doc::Double(value) => of_text(format!("{value:e}")),
        _ => None,
    }
}

fn trimmed(mut digits: i128, mut exponent: i32) -> (i128, i32) {
    if digits == 0 {
        return (0, 0);
    }
    while digits % 10 == 0 {
        digits /= 10;
        exponent += 1;
    }
    (digits, exponent)
}

/// Returns what a STRING key reads as.
pub fn text(doc: &Doc) -> Option<String> {
    Some(match doc {
        Doc::Null => return None,
        Doc::Text(text) => text.clone(),
        Doc::Float(value) if !value.is_finite() => word((*value).into()).to_owned(),
        Doc::Double(value) if !value.is_finite() => word(*value).to_owned(),
        Doc::Date(_) | Doc::Time(_) | Doc::Timestamp(..) | Doc::Binary(_) | Doc::Uuid(_) => {
            let mut text = Vec::new();
            write_scalar(&doc.node()?, &mut text);
            String::from_utf8(text).ok()?
        }
        other => document(other),
    })
}

/// Returns the JSON text of a document: names in byte order.
pub fn document(doc: &Doc) -> String {
    match doc {
        Doc::Null => "null".to_owned(),
        Doc::Boolean(value) => value.to_string(),
        Doc::Int(value, _) => value.to_string(),
        Doc::Float(value) if value.is_finite() => format!("{value:?}"),
        Doc::Double(value) if value.is_finite() => format!("{value:?}"),
        Doc::Decimal(unscaled, scale) => plain(*unscaled, u32::from(*scale)),
        Doc::List(items) => {
            let items: Vec<String> = items.iter().map(document).collect();
            format!("[{}]", items.join(","))
        }
        Doc::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
            let fields = fields
                .iter()
                .map(|(name, doc)| format!("{}:{}", json!(name), document(doc)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        word => json!(text(word)).to_string(),
    }
}

fn plain(unscaled: i128, scale: u32) -> String {
    let sign = if unscaled < 0 { "-" } else { "" };
    let scale = scale as usize;
    let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    match scale {
        0 => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}"),
    }
}
