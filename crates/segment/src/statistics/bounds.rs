//! One stored minimum or maximum as a value of the source's type.

use growler_schema::{DataType, SourceType, TimeUnit, Value};
use growler_variant::text::write_uuid;
use parquet::basic::Type as Physical;
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::statistics::Statistics;

/// Which end a bound is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Min,
    Max,
}

/// A bound as the file stores it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Raw<'a> {
    Boolean(bool),
    Int32(i32),
    Int64(i64),
    Float(f32),
    Double(f64),
    Bytes(&'a [u8]),
}

macro_rules! end {
    ($statistics:expr, $side:expr) => {
        match $side {
            Side::Min => $statistics.min_opt(),
            Side::Max => $statistics.max_opt(),
        }
    };
}

macro_rules! page_end {
    ($index:expr, $page:expr, $side:expr) => {
        match $side {
            Side::Min => $index.min_value($page),
            Side::Max => $index.max_value($page),
        }
    };
}

impl<'a> Raw<'a> {
    /// Returns the bound of a chunk. INT96 has none: its order is not defined.
    pub(super) fn of_statistics(statistics: &'a Statistics, side: Side) -> Option<Self> {
        Some(match statistics {
            Statistics::Boolean(typed) => Self::Boolean(*end!(typed, side)?),
            Statistics::Int32(typed) => Self::Int32(*end!(typed, side)?),
            Statistics::Int64(typed) => Self::Int64(*end!(typed, side)?),
            Statistics::Float(typed) => Self::Float(*end!(typed, side)?),
            Statistics::Double(typed) => Self::Double(*end!(typed, side)?),
            Statistics::ByteArray(typed) => Self::Bytes(end!(typed, side)?.data()),
            Statistics::FixedLenByteArray(typed) => Self::Bytes(end!(typed, side)?.data()),
            Statistics::Int96(_) => return None,
        })
    }

    /// Returns the bound of a page, which must exist.
    pub(super) fn of_page(index: &'a ColumnIndexMetaData, page: usize, side: Side) -> Option<Self> {
        Some(match index {
            ColumnIndexMetaData::BOOLEAN(typed) => Self::Boolean(*page_end!(typed, page, side)?),
            ColumnIndexMetaData::INT32(typed) => Self::Int32(*page_end!(typed, page, side)?),
            ColumnIndexMetaData::INT64(typed) => Self::Int64(*page_end!(typed, page, side)?),
            ColumnIndexMetaData::FLOAT(typed) => Self::Float(*page_end!(typed, page, side)?),
            ColumnIndexMetaData::DOUBLE(typed) => Self::Double(*page_end!(typed, page, side)?),
            ColumnIndexMetaData::BYTE_ARRAY(typed)
            | ColumnIndexMetaData::FIXED_LEN_BYTE_ARRAY(typed) => {
                Self::Bytes(page_end!(typed, page, side)?)
            }
            ColumnIndexMetaData::INT96(_) | ColumnIndexMetaData::NONE => return None,
        })
    }
}

/// Tells whether a leaf's values compare as signed numbers, which all writers do alike.
pub(super) fn is_signed(source: &SourceType, physical: Physical) -> bool {
    let unsigned = matches!(
        source,
        SourceType::UInt8 | SourceType::UInt16 | SourceType::UInt32 | SourceType::UInt64
    );
    let bytes = matches!(
        physical,
        Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY
    );
    !unsigned && !bytes
}

/// Tells whether the values of a leaf may be NaN.
pub(super) fn has_nan(source: &SourceType) -> bool {
    matches!(
        source,
        SourceType::Float16 | SourceType::Float32 | SourceType::Float64
    )
}

/// Tells whether a stored bound that is a value stays that value. Floats do not: writers may turn a
/// zero's sign.
pub(super) fn keeps_values(target: DataType) -> bool {
    !matches!(target, DataType::Float | DataType::Double)
}

/// Converts a stored bound to the source's type; none where the conversion does not keep the order.
pub(super) fn value(
    source: &SourceType,
    target: DataType,
    raw: &Raw<'_>,
    side: Side,
) -> Option<Value> {
    use SourceType as S;
    match (source, *raw) {
        (S::Boolean, Raw::Boolean(value)) => match target {
            DataType::Boolean => Some(Value::Boolean(value)),
            _ => None,
        },
        (S::Int8 | S::Int16 | S::Int32, Raw::Int32(value)) => integer(i128::from(value), target),
        (S::UInt8 | S::UInt16 | S::UInt32, Raw::Int32(value)) => {
            integer(i128::from(value.cast_unsigned()), target)
        }
        (S::Int64, Raw::Int64(value)) => match target {
            DataType::Timestamp { unit } => timestamp(value, TimeUnit::Millis.per_second(), unit),
            _ => integer(i128::from(value), target),
        },
        (S::UInt64, Raw::Int64(value)) => integer(i128::from(value.cast_unsigned()), target),
        (S::Date, Raw::Int32(days)) => match target {
            DataType::Timestamp { unit } => {
                timestamp(i64::from(days).checked_mul(86_400)?, 1, unit)
            }
            _ => integer(i128::from(days), target),
        },
        (
            S::Time {
                unit: TimeUnit::Millis,
            },
            Raw::Int32(time),
        ) => integer(i128::from(time), target),
        (S::Time { .. }, Raw::Int64(time)) => integer(i128::from(time), target),
        (S::Timestamp { unit: from, .. }, Raw::Int64(value)) => match target {
            DataType::Timestamp { unit } => timestamp(value, from.per_second(), unit),
            DataType::Long => Some(Value::Long(value)),
            _ => None,
        },
        (S::Float32, Raw::Float(value)) => float(value, target, side),
        (S::Float64, Raw::Double(value)) => match target {
            DataType::Double => Some(Value::Double(zero_widened(value, side)?)),
            _ => None,
        },
        (S::Decimal { scale, .. }, raw) => decimal(unscaled(raw)?, *scale, target),
        (S::String | S::Enum | S::Json, Raw::Bytes(bytes)) if target.is_text() => {
            Some(Value::String(std::str::from_utf8(bytes).ok()?.to_owned()))
        }
        (S::Uuid, Raw::Bytes(bytes)) if target.is_text() => uuid(bytes),
        (S::Binary | S::Bson, Raw::Bytes(bytes)) if target == DataType::Bytes => {
            Some(Value::Bytes(bytes.to_vec()))
        }
        _ => None,
    }
}

fn integer(value: i128, target: DataType) -> Option<Value> {
    Some(match target {
        DataType::Int => Value::Int(i32::try_from(value).ok()?),
        DataType::Long => Value::Long(i64::try_from(value).ok()?),
        #[expect(
            clippy::cast_precision_loss,
            reason = "rounds as the values do, so keeps order"
        )]
        DataType::Float => Value::Float(value as f32),
        #[expect(
            clippy::cast_precision_loss,
            reason = "rounds as the values do, so keeps order"
        )]
        DataType::Double => Value::Double(value as f64),
        DataType::BigDecimal { .. } => return decimal(value, 0, target),
        _ => return None,
    })
}

fn float(value: f32, target: DataType, side: Side) -> Option<Value> {
    let value = zero_widened(f64::from(value), side)?;
    Some(match target {
        DataType::Double => Value::Double(value),
        #[expect(clippy::cast_possible_truncation, reason = "was a float")]
        DataType::Float => Value::Float(value as f32),
        _ => return None,
    })
}

/// Returns a bound that holds for zeros of either sign; NaN bounds nothing.
fn zero_widened(value: f64, side: Side) -> Option<f64> {
    match side {
        _ if value.is_nan() => None,
        Side::Min if value == 0.0 => Some(-0.0),
        Side::Max if value == 0.0 => Some(0.0),
        _ => Some(value),
    }
}

/// Reads the digits of a decimal: an integer, or its big-endian bytes.
fn unscaled(raw: Raw<'_>) -> Option<i128> {
    match raw {
        Raw::Int32(value) => Some(i128::from(value)),
        Raw::Int64(value) => Some(i128::from(value)),
        Raw::Bytes(bytes) if (1..=16).contains(&bytes.len()) => {
            let negative = bytes.first().is_some_and(|byte| *byte >= 0x80);
            let sign = if negative { -1_i128 } else { 0 };
            Some(
                bytes
                    .iter()
                    .fold(sign, |value, byte| value << 8 | i128::from(*byte)),
            )
        }
        _ => None,
    }
}

fn decimal(unscaled: i128, scale: i32, target: DataType) -> Option<Value> {
    let DataType::BigDecimal { scale: wanted } = target else {
        return None;
    };
    let digits = u32::try_from(i32::from(wanted).checked_sub(scale)?).ok()?;
    let unscaled = unscaled.checked_mul(10_i128.checked_pow(digits)?)?;
    Some(Value::BigDecimal(unscaled, wanted))
}

/// Changes the unit as the values' conversion does: a coarser one rounds down.
fn timestamp(value: i64, from: i64, to: TimeUnit) -> Option<Value> {
    let value = if to.per_second() >= from {
        value.checked_mul(to.per_second().checked_div(from)?)?
    } else {
        value.checked_div_euclid(from.checked_div(to.per_second())?)?
    };
    Some(Value::Timestamp(value, to))
}

fn uuid(bytes: &[u8]) -> Option<Value> {
    let mut text = Vec::with_capacity(36);
    write_uuid(bytes.try_into().ok()?, &mut text);
    Some(Value::String(String::from_utf8(text).ok()?))
}
