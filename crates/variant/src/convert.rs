//! A value as a number, boolean, timestamp, bytes or text, where that loses nothing.
//!
//! Numbers come from numbers only, never from strings or booleans, and only when the result is the
//! same number: no rounding, no wrapping. A decimal is the same number as a float when the float's
//! shortest text reads so (0.1 is 0.1).

use arrow_schema::TimeUnit;

use crate::json::{Budget, write_json};
use crate::number::{Decimal, exact_f64, integer_of};
use crate::text::write_scalar;
use crate::value::TimestampUnit;
use crate::{Error, Metadata, Node};

impl<'a> Node<'a> {
    /// Returns a boolean's value.
    pub fn to_bool(&self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the number if it is an integer of 32 bits.
    pub fn to_i32(&self) -> Option<i32> {
        self.to_i64().and_then(|value| i32::try_from(value).ok())
    }

    /// Returns the number if it is an integer of 64 bits.
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Self::Decimal {
                unscaled, scale, ..
            } => {
                let integer = Decimal::new(*unscaled, *scale).to_integer()?;
                i64::try_from(integer).ok()
            }
            Self::Float(value) => i64::try_from(integer_of((*value).into())?).ok(),
            Self::Double(value) => i64::try_from(integer_of(*value)?).ok(),
            integer => integer.small_integer(),
        }
    }

    /// Returns the number if a float has it.
    pub fn to_f32(&self) -> Option<f32> {
        match self {
            Self::Float(value) => Some(*value),
            Self::Double(value) => {
                // The cast rounds; what it rounded does not come back.
                let float = *value as f32;
                (f64::from(float) == *value || value.is_nan()).then_some(float)
            }
            exact => exact.exact_number()?.to_f32(),
        }
    }

    /// Returns the number if a double has it.
    pub fn to_f64(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(f64::from(*value)),
            Self::Double(value) => Some(*value),
            exact => match exact.small_integer().and_then(exact_f64) {
                Some(value) => Some(value),
                None => exact.exact_number()?.to_f64(),
            },
        }
    }

    /// Returns the double nearest to a number, rounded where it has to be.
    pub fn nearest_f64(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(f64::from(*value)),
            Self::Double(value) => Some(*value),
            exact => match exact.small_integer().and_then(exact_f64) {
                Some(value) => Some(value),
                None => exact.exact_number().map(Decimal::nearest_f64),
            },
        }
    }

    /// Returns the unscaled value of the number as a decimal of 38 digits with this scale.
    pub fn to_decimal(&self, scale: i8) -> Option<i128> {
        match self {
            Self::Float(value) => Decimal::of_f32(*value)?.at_scale(scale),
            Self::Double(value) => Decimal::of_f64(*value)?.at_scale(scale),
            exact => exact.exact_number()?.at_scale(scale),
        }
    }

    /// Returns the count of units of a timestamp, UTC or not, if the unit can tell it exactly.
    pub fn to_timestamp(&self, unit: TimeUnit) -> Option<i64> {
        let Self::Timestamp {
            value, unit: from, ..
        } = self
        else {
            return None;
        };
        let (from, to) = (per_second_of(*from), per_second(unit));
        if to >= from {
            return value.checked_mul(to.checked_div(from)?);
        }
        let coarser = from.checked_div(to)?;
        (value.checked_rem(coarser)? == 0)
            .then(|| value.checked_div(coarser))
            .flatten()
    }

    fn small_integer(&self) -> Option<i64> {
        match self {
            Self::Int8(value) => Some(i64::from(*value)),
            Self::Int16(value) => Some(i64::from(*value)),
            Self::Int32(value) => Some(i64::from(*value)),
            Self::Int64(value) => Some(*value),
            _ => None,
        }
    }

    fn exact_number(&self) -> Option<Decimal> {
        match self {
            Self::Decimal {
                unscaled, scale, ..
            } => Some(Decimal::new(*unscaled, *scale)),
            integer => Some(Decimal::new(i128::from(integer.small_integer()?), 0)),
        }
    }

    /// Returns the bytes of a binary value.
    pub fn to_bytes(&self) -> Option<&'a [u8]> {
        match self {
            Self::Binary(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns the text of a string value, and of nothing else.
    pub fn to_str(&self) -> Option<&'a str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}

/// Appends the text that a STRING key has for a value: a string as it is, other scalars as their
/// JSON text without quotes, objects and arrays as JSON text.
///
/// # Errors
/// As [`write_json`].
pub fn write_text(
    metadata: &Metadata<'_>,
    value: &[u8],
    out: &mut Vec<u8>,
    budget: &mut Budget,
) -> Result<(), Error> {
    if write_scalar(&Node::try_new(value)?, out) {
        return Ok(());
    }
    write_json(metadata, value, out, budget)
}

fn per_second_of(unit: TimestampUnit) -> i64 {
    match unit {
        TimestampUnit::Micros => 1_000_000,
        TimestampUnit::Nanos => 1_000_000_000,
    }
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}
