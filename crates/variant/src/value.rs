//! One value: its header byte, and the payload of the 21 primitive types.
//!
//! ```text
//! bits 0-1 basic type   bits 2-7
//! 0 primitive           type id
//! 1 short string        length in bytes
//! 2 object, 3 array     see `object` and `list`
//! ```

use crate::{Error, List, Object};

/// Most digits behind the point of a decimal.
pub const DECIMAL_SCALE: u8 = 38;
const LONG_STRING: u8 = 16 << 2;
const DAY_MICROS: i64 = 86_400_000_000;

/// Resolution of a timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimestampUnit {
    /// Microseconds.
    Micros,
    /// Nanoseconds.
    Nanos,
}

/// A value read from its bytes; containers are lazy, everything is borrowed.
#[derive(Debug, Clone, Copy)]
pub enum Node<'a> {
    /// Variant null, which is not the same as a missing field.
    Null,
    /// True or false.
    Boolean(bool),
    /// 8-bit signed integer.
    Int8(i8),
    /// 16-bit signed integer.
    Int16(i16),
    /// 32-bit signed integer.
    Int32(i32),
    /// 64-bit signed integer.
    Int64(i64),
    /// 32-bit IEEE 754.
    Float(f32),
    /// 64-bit IEEE 754.
    Double(f64),
    /// `unscaled` times ten to the power of `-scale`.
    Decimal {
        /// The digits, as the bytes hold them: up to the width, even past the format's precision.
        unscaled: i128,
        /// Digits behind the point, at most [`DECIMAL_SCALE`].
        scale: u8,
        /// Bytes of the unscaled value in its encoding: 4, 8 or 16.
        width: u8,
    },
    /// Days since 1970-01-01.
    Date(i32),
    /// Point in time since 1970, or a local date and time where it is not UTC.
    Timestamp {
        /// Count of units.
        value: i64,
        /// The unit.
        unit: TimestampUnit,
        /// Whether the value is adjusted to UTC.
        utc: bool,
    },
    /// Microseconds since midnight, within one day.
    Time(i64),
    /// Bytes.
    Binary(&'a [u8]),
    /// Text.
    String(&'a str),
    /// UUID, in the order of its text.
    Uuid([u8; 16]),
    /// Named fields.
    Object(Object<'a>),
    /// Elements in order.
    List(List<'a>),
}

impl<'a> Node<'a> {
    /// Reads the value at the start of `bytes`; bytes that follow it are ignored.
    ///
    /// # Errors
    /// `Corrupt` when the value does not fit or breaks its type, `Unsupported` for a primitive type
    /// that the format does not define.
    #[inline]
    pub fn try_new(bytes: &'a [u8]) -> Result<Self, Error> {
        let (&header, rest) = bytes
            .split_first()
            .ok_or_else(|| Error::Truncated { part: "value" })?;
        match header & 3 {
            0 => Self::primitive(header >> 2, rest),
            1 => {
                let text = rest.get(..usize::from(header >> 2));
                string(text.ok_or_else(|| Error::Truncated {
                    part: "short string",
                })?)
            }
            2 => Object::try_new(bytes).map(Self::Object),
            _ => List::try_new(bytes).map(Self::List),
        }
    }

    #[inline]
    fn primitive(id: u8, rest: &'a [u8]) -> Result<Self, Error> {
        Ok(match id {
            0 => Self::Null,
            1 => Self::Boolean(true),
            2 => Self::Boolean(false),
            3 => Self::Int8(i8::from_le_bytes(payload(rest)?)),
            4 => Self::Int16(i16::from_le_bytes(payload(rest)?)),
            5 => Self::Int32(i32::from_le_bytes(payload(rest)?)),
            6 => Self::Int64(i64::from_le_bytes(payload(rest)?)),
            7 => Self::Double(f64::from_le_bytes(payload(rest)?)),
            8..=10 => return decimal(id, rest),
            11 => Self::Date(i32::from_le_bytes(payload(rest)?)),
            12 => timestamp(rest, TimestampUnit::Micros, true)?,
            13 => timestamp(rest, TimestampUnit::Micros, false)?,
            14 => Self::Float(f32::from_le_bytes(payload(rest)?)),
            15 => Self::Binary(sized(rest)?),
            16 => return string(sized(rest)?),
            17 => match i64::from_le_bytes(payload(rest)?) {
                time @ 0..DAY_MICROS => Self::Time(time),
                _ => return Err(Error::OutOfType { type_name: "time" }),
            },
            18 => timestamp(rest, TimestampUnit::Nanos, true)?,
            19 => timestamp(rest, TimestampUnit::Nanos, false)?,
            20 => Self::Uuid(payload(rest)?),
            id => return Err(Error::UnknownPrimitive { id }),
        })
    }

    /// Returns the name of the type, as error messages have it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "boolean",
            Self::Int8(_) => "int8",
            Self::Int16(_) => "int16",
            Self::Int32(_) => "int32",
            Self::Int64(_) => "int64",
            Self::Float(_) => "float",
            Self::Double(_) => "double",
            Self::Decimal { .. } => "decimal",
            Self::Date(_) => "date",
            Self::Timestamp { utc: true, .. } => "timestamp",
            Self::Timestamp { utc: false, .. } => "timestamp_ntz",
            Self::Time(_) => "time",
            Self::Binary(_) => "binary",
            Self::String(_) => "string",
            Self::Uuid(_) => "uuid",
            Self::Object(_) => "object",
            Self::List(_) => "array",
        }
    }
}

/// What a value is, told by its first byte alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BasicType {
    /// Variant null.
    Null,
    /// Any other primitive, a short string included.
    Scalar,
    /// Named fields.
    Object,
    /// Elements in order.
    Array,
}

impl BasicType {
    /// Looks at the first byte; `None` when there is none.
    #[inline]
    pub fn of(value: &[u8]) -> Option<Self> {
        let header = *value.first()?;
        Some(match header & 3 {
            0 if header == 0 => Self::Null,
            0 | 1 => Self::Scalar,
            2 => Self::Object,
            _ => Self::Array,
        })
    }

    /// Returns a word for error messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Scalar => "scalar",
            Self::Object => "object",
            Self::Array => "array",
        }
    }
}

/// Returns the length of the value at the start of `bytes`, without reading what it holds.
///
/// # Errors
/// As [`Node::try_new`], but for text that is not UTF-8 and values outside of their type.
pub fn len_bytes(bytes: &[u8]) -> Result<usize, Error> {
    let (&header, rest) = bytes
        .split_first()
        .ok_or_else(|| Error::Truncated { part: "value" })?;
    let payload_len = match (header & 3, header >> 2) {
        (0, 0..=2) => 0,
        (0, 3) => 1,
        (0, 4) => 2,
        (0, 5 | 11 | 14) => 4,
        (0, 6 | 7 | 12 | 13 | 17 | 18 | 19) => 8,
        (0, 8) => 5,
        (0, 9) => 9,
        (0, 10) => 17,
        (0, 15 | 16) => sized(rest)?.len().saturating_add(4),
        (0, 20) => 16,
        (0, id) => return Err(Error::UnknownPrimitive { id }),
        (1, len) => usize::from(len),
        (2, _) => return Object::try_new(bytes).map(|object| object.len_bytes()),
        (_, _) => return List::try_new(bytes).map(|list| list.len_bytes()),
    };
    match rest.get(..payload_len) {
        Some(_) => Ok(payload_len.saturating_add(1)),
        None => Err(Error::Truncated { part: "value" }),
    }
}

/// Returns the text of a string without checking that it is UTF-8; `None` for any other value.
#[inline]
pub(crate) fn string_bytes(value: &[u8]) -> Option<Result<&[u8], Error>> {
    let (&header, rest) = value.split_first()?;
    if header & 3 == 1 {
        let text = rest.get(..usize::from(header >> 2));
        return Some(text.ok_or_else(|| Error::Truncated {
            part: "short string",
        }));
    }
    (header == LONG_STRING).then(|| sized(rest))
}

#[inline]
fn payload<const N: usize>(rest: &[u8]) -> Result<[u8; N], Error> {
    rest.first_chunk()
        .copied()
        .ok_or_else(|| Error::Truncated { part: "value" })
}

#[inline]
fn sized(rest: &[u8]) -> Result<&[u8], Error> {
    let cut = || Error::Truncated { part: "long value" };
    let Some((len, rest)) = rest.split_first_chunk::<4>() else {
        return Err(cut());
    };
    rest.get(..crate::bytes::index(u32::from_le_bytes(*len)))
        .ok_or_else(cut)
}

#[inline]
fn string(text: &[u8]) -> Result<Node<'_>, Error> {
    let text = simdutf8::basic::from_utf8(text);
    text.map(Node::String)
        .map_err(|_| Error::Utf8 { part: "string" })
}

#[inline]
fn timestamp(rest: &[u8], unit: TimestampUnit, utc: bool) -> Result<Node<'_>, Error> {
    Ok(Node::Timestamp {
        value: i64::from_le_bytes(payload(rest)?),
        unit,
        utc,
    })
}

fn decimal(id: u8, rest: &[u8]) -> Result<Node<'_>, Error> {
    let (&scale, rest) = rest
        .split_first()
        .ok_or_else(|| Error::Truncated { part: "decimal" })?;
    if scale > DECIMAL_SCALE {
        return Err(Error::OutOfType {
            type_name: "decimal",
        });
    }
    let (unscaled, width) = match id {
        8 => (i128::from(i32::from_le_bytes(payload(rest)?)), 4),
        9 => (i128::from(i64::from_le_bytes(payload(rest)?)), 8),
        _ => (i128::from_le_bytes(payload(rest)?), 16),
    };
    Ok(Node::Decimal {
        unscaled,
        scale,
        width,
    })
}
