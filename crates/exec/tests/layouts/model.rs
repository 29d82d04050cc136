//! What a key reads as, worked out naively from the document.

use std::cmp::Ordering;

use chrono::DateTime;
use growler_schema::{DataType, TimeUnit};
use growler_variant::value::TimestampUnit;
use serde_json::{Value as Json, json};

use crate::document::Doc;
use crate::number::{digits, nearest, plain, same, whole, word};
use crate::text::text;

/// A value of a key's type.
#[derive(Debug, Clone)]
pub enum Cell {
    Int(i64),
    Float(f32),
    Double(f64),
    /// Unscaled, and the digits behind the point.
    Decimal(i128, u32),
    Boolean(bool),
    Timestamp(i64, TimeUnit),
    Text(String),
    Bytes(Vec<u8>),
}

/// Returns what a document reads as under a type; none is null.
pub fn cell(doc: &Doc, data_type: DataType) -> Option<Cell> {
    match data_type {
        DataType::Int => integer(doc)
            .filter(|v| i32::try_from(*v).is_ok())
            .map(Cell::Int),
        DataType::Long => integer(doc).map(Cell::Int),
        DataType::Float => float(doc).map(Cell::Float),
        DataType::Double => double(doc).map(Cell::Double),
        DataType::BigDecimal { scale } => decimal(doc, scale.into()),
        DataType::Boolean => match doc {
            Doc::Boolean(value) => Some(Cell::Boolean(*value)),
            _ => None,
        },
        DataType::Timestamp { unit } => timestamp(doc, unit),
        DataType::Bytes => match doc {
            Doc::Binary(bytes) => Some(Cell::Bytes(bytes.clone())),
            _ => None,
        },
        _ => text(doc).map(Cell::Text),
    }
}

/// Returns what a document is where a STRING key is wanted as a number: the nearest double.
pub fn number_of(doc: &Doc) -> Option<Cell> {
    match doc {
        Doc::Float(value) => Some(Cell::Double((*value).into())),
        Doc::Double(value) => Some(Cell::Double(*value)),
        exact => nearest(digits(exact)?).map(Cell::Double),
    }
}

/// Returns what stands for null when null handling is off.
pub fn default_null(data_type: DataType) -> Cell {
    match data_type {
        DataType::Int => Cell::Int(i32::MIN.into()),
        DataType::Long => Cell::Int(i64::MIN),
        DataType::Float => Cell::Float(f32::NEG_INFINITY),
        DataType::Double => Cell::Double(f64::NEG_INFINITY),
        DataType::BigDecimal { scale } => Cell::Decimal(0, scale.unsigned_abs().into()),
        DataType::Boolean => Cell::Boolean(false),
        DataType::Timestamp { unit } => Cell::Timestamp(0, unit),
        DataType::Bytes => Cell::Bytes(Vec::new()),
        _ => Cell::Text("null".to_owned()),
    }
}

impl Cell {
    pub fn json(&self) -> Json {
        match self {
            Self::Int(value) => json!(value),
            Self::Float(value) if value.is_finite() => {
                serde_json::from_str(&format!("{value:?}")).unwrap()
            }
            Self::Float(value) => json!(word((*value).into())),
            Self::Double(value) if value.is_finite() => json!(value),
            Self::Double(value) => json!(word(*value)),
            Self::Decimal(unscaled, scale) => json!(plain(*unscaled, *scale)),
            Self::Boolean(value) => json!(value),
            Self::Timestamp(count, unit) => json!(timestamp_text(*count, *unit)),
            Self::Text(text) => json!(text),
            Self::Bytes(bytes) => {
                let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                json!(digits.concat())
            }
        }
    }

    /// Compares two cells of one type, or a number with a number of another; NaN with nothing.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            (Self::Text(a), Self::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
            (Self::Bytes(a), Self::Bytes(b)) => Some(a.cmp(b)),
            (Self::Boolean(a), Self::Boolean(b)) => Some(a.cmp(b)),
            (Self::Timestamp(a, _), Self::Timestamp(b, _)) => Some(a.cmp(b)),
            (Self::Decimal(a, of_a), Self::Decimal(b, of_b)) if of_a == of_b => Some(a.cmp(b)),
            (Self::Decimal(a, scale), Self::Int(b)) => {
                Some(a.cmp(&(i128::from(*b) * 10_i128.pow(*scale))))
            }
            (a, b) => a.number()?.partial_cmp(&b.number()?),
        }
    }

    /// Orders cells of one type: NaN is the largest and one value, zero is one value.
    pub fn order(&self, other: &Self) -> Ordering {
        let is_nan = |cell: &Self| cell.number().is_some_and(f64::is_nan);
        self.compare(other)
            .unwrap_or_else(|| is_nan(self).cmp(&is_nan(other)))
    }

    /// Returns the cell as groups show it: one zero.
    pub fn canonical(self) -> Self {
        match self {
            Self::Float(value) => Self::Float(value + 0.0),
            Self::Double(value) => Self::Double(value + 0.0),
            other => other,
        }
    }

    /// Returns the nearest double of a number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some((*value).into()),
            Self::Double(value) => Some(*value),
            Self::Decimal(unscaled, scale) => format!("{unscaled}e-{scale}").parse().ok(),
            Self::Boolean(_) | Self::Text(_) | Self::Timestamp(..) | Self::Bytes(_) => None,
        }
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

fn float(doc: &Doc) -> Option<f32> {
    match doc {
        Doc::Float(value) => Some(*value),
        Doc::Double(value) => {
            let float = *value as f32;
            (f64::from(float) == *value || value.is_nan()).then_some(float)
        }
        exact => {
            let exact = digits(exact)?;
            let nearest: f32 = format!("{}e{}", exact.0, exact.1).parse().ok()?;
            same(exact, digits(&Doc::Float(nearest)), nearest.into()).then_some(nearest)
        }
    }
}

fn double(doc: &Doc) -> Option<f64> {
    match doc {
        Doc::Float(value) => Some(f64::from(*value)),
        Doc::Double(value) => Some(*value),
        exact => {
            let exact = digits(exact)?;
            let nearest = nearest(exact)?;
            same(exact, digits(&Doc::Double(nearest)), nearest).then_some(nearest)
        }
    }
}

fn decimal(doc: &Doc, scale: i32) -> Option<Cell> {
    let (mut unscaled, exponent) = digits(doc)?;
    for _ in 0..exponent + scale {
        unscaled = unscaled.checked_mul(10)?;
    }
    let fits = exponent + scale >= 0 && unscaled.unsigned_abs() < 10_u128.pow(38);
    (fits || unscaled == 0).then_some(Cell::Decimal(unscaled, scale as u32))
}

fn timestamp(doc: &Doc, to: TimeUnit) -> Option<Cell> {
    let Doc::Timestamp(value, from, _) = doc else {
        return None;
    };
    let value = match (from, to) {
        (TimestampUnit::Micros, TimeUnit::Nanos) => value.checked_mul(1000)?,
        (TimestampUnit::Nanos, TimeUnit::Micros) if value % 1000 != 0 => return None,
        (TimestampUnit::Nanos, TimeUnit::Micros) => value / 1000,
        _ => *value,
    };
    Some(Cell::Timestamp(value, to))
}

/// Returns `yyyy-MM-dd HH:mm:ss.S`, with as many digits as it takes.
fn timestamp_text(count: i64, unit: TimeUnit) -> String {
    let time = match unit {
        TimeUnit::Nanos => DateTime::from_timestamp_nanos(count),
        _ => DateTime::from_timestamp_micros(count).unwrap(),
    };
    let text = time.format("%Y-%m-%d %H:%M:%S%.9f").to_string();
    let text = text.trim_end_matches('0');
    let end = if text.ends_with('.') { "0" } else { "" };
    format!("{text}{end}")
}
