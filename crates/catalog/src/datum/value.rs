//! A value, and the binary form that bounds have: appendix "Binary single-value serialization".

use crate::metadata::PrimitiveType;

/// Microseconds of a day.
const DAY_MICROS: i64 = 86_400_000_000;
/// Nanoseconds of a day.
const DAY_NANOS: i64 = 86_400_000_000_000;

/// A value that is not null.
#[derive(Debug, Clone, PartialEq)]
pub enum Datum {
    /// True or false.
    Boolean(bool),
    /// 32-bit signed integer.
    Int(i32),
    /// 64-bit signed integer.
    Long(i64),
    /// 32-bit IEEE 754.
    Float(f32),
    /// 64-bit IEEE 754.
    Double(f64),
    /// Decimal number.
    Decimal {
        /// All digits.
        unscaled: i128,
        /// How many of them stand behind the point.
        scale: u32,
    },
    /// Days since 1970.
    Date(i32),
    /// Microseconds since midnight.
    Time(i64),
    /// Microseconds since 1970, with a zone or without.
    Timestamp(i64),
    /// Nanoseconds since 1970, with a zone or without.
    TimestampNs(i64),
    /// UTF-8 text.
    String(Box<str>),
    /// UUID, in the order of its text.
    Uuid([u8; 16]),
    /// Bytes, of any or of one length.
    Binary(Box<[u8]>),
}

/// A value that is borrowed where it is long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DatumRef<'a> {
    /// True or false.
    Boolean(bool),
    /// 32-bit or 64-bit signed integer, days of a date, units of a time or timestamp.
    Long(i64),
    /// 32-bit or 64-bit IEEE 754.
    Double(f64),
    /// All digits of a decimal of the column's scale.
    Decimal(i128),
    /// UTF-8 text.
    String(&'a str),
    /// Bytes, a UUID's too.
    Binary(&'a [u8]),
}

impl Datum {
    /// Decodes a bound of a column.
    ///
    /// Bounds are not written anew when a column's type is promoted, so the length of the bytes tells
    /// the type they were written in. None when the bytes are no value of the type or of one that
    /// it was promoted from, or do not fit it: a bound that cannot be read is no bound.
    pub fn from_bound(bytes: &[u8], primitive: &PrimitiveType) -> Option<Self> {
        use PrimitiveType as P;
        Some(match primitive {
            P::Boolean => match bytes {
                [0] => Self::Boolean(false),
                [1] => Self::Boolean(true),
                _ => return None,
            },
            P::Int => Self::Int(i32::from_le_bytes(bytes.try_into().ok()?)),
            P::Long => Self::Long(integer(bytes)?),
            P::Float => Self::Float(f32::from_le_bytes(bytes.try_into().ok()?)),
            P::Double => Self::Double(match bytes.len() {
                4 => f64::from(f32::from_le_bytes(bytes.try_into().ok()?)),
                _ => f64::from_le_bytes(bytes.try_into().ok()?),
            }),
            P::Decimal { scale, .. } => Self::Decimal {
                unscaled: big_endian(bytes)?,
                scale: *scale,
            },
            P::Date => Self::Date(i32::from_le_bytes(bytes.try_into().ok()?)),
            P::Time => Self::Time(i64::from_le_bytes(bytes.try_into().ok()?)),
            P::Timestamp | P::TimestampTz => Self::Timestamp(instant(bytes, DAY_MICROS)?),
            P::TimestampNs | P::TimestampTzNs => Self::TimestampNs(instant(bytes, DAY_NANOS)?),
            P::String => Self::String(std::str::from_utf8(bytes).ok()?.into()),
            P::Uuid => Self::Uuid(bytes.try_into().ok()?),
            P::Fixed(_) | P::Binary => Self::Binary(bytes.into()),
            P::Unknown | P::Geometry | P::Geography | P::Other(_) => return None,
        })
    }

    /// Returns the value as one of another type, if that type holds exactly it.
    ///
    /// Covers every promotion of the format and the way back.
    pub fn cast(&self, primitive: &PrimitiveType) -> Option<Self> {
        use PrimitiveType as P;
        let whole = |value: i64| -> Option<Self> {
            Some(match primitive {
                P::Int => Self::Int(value.try_into().ok()?),
                P::Long => Self::Long(value),
                P::Date => Self::Date(value.try_into().ok()?),
                P::Time => Self::Time(value),
                P::Decimal { scale, .. } => rescale(i128::from(value), 0, *scale)?,
                _ => return None,
            })
        };
        match (self, primitive) {
            (Self::Date(days), P::Timestamp | P::TimestampTz) => {
                Some(Self::Timestamp(i64::from(*days).checked_mul(DAY_MICROS)?))
            }
            (Self::Date(days), P::TimestampNs | P::TimestampTzNs) => {
                Some(Self::TimestampNs(i64::from(*days).checked_mul(DAY_NANOS)?))
            }
            (Self::Int(value) | Self::Date(value), _) => whole(i64::from(*value)),
            (Self::Long(value) | Self::Time(value), _) => whole(*value),
            (Self::Timestamp(micros), P::TimestampNs | P::TimestampTzNs) => {
                Some(Self::TimestampNs(micros.checked_mul(1000)?))
            }
            (Self::TimestampNs(nanos), P::Timestamp | P::TimestampTz) => {
                let is_whole = nanos.checked_rem(1000)? == 0;
                is_whole.then_some(Self::Timestamp(nanos.checked_div(1000)?))
            }
            (Self::Float(value), P::Double) => Some(Self::Double(f64::from(*value))),
            (Self::Double(value), P::Float) => {
                #[expect(clippy::cast_possible_truncation, reason = "checked by the way back")]
                let narrow = *value as f32;
                (f64::from(narrow).to_bits() == value.to_bits()).then_some(Self::Float(narrow))
            }
            (Self::Decimal { unscaled, scale }, P::Decimal { scale: to, .. }) => {
                rescale(*unscaled, *scale, *to)
            }
            (Self::Boolean(_), P::Boolean)
            | (Self::Float(_), P::Float)
            | (Self::Double(_), P::Double)
            | (Self::Timestamp(_), P::Timestamp | P::TimestampTz)
            | (Self::TimestampNs(_), P::TimestampNs | P::TimestampTzNs)
            | (Self::String(_), P::String)
            | (Self::Uuid(_), P::Uuid)
            | (Self::Binary(_), P::Binary | P::Fixed(_)) => Some(self.clone()),
            (Self::Binary(bytes), P::Uuid) => Some(Self::Uuid(bytes.as_ref().try_into().ok()?)),
            _ => None,
        }
    }

    /// Returns the value borrowed.
    pub fn as_ref(&self) -> DatumRef<'_> {
        match self {
            Self::Boolean(flag) => DatumRef::Boolean(*flag),
            Self::Int(value) | Self::Date(value) => DatumRef::Long(i64::from(*value)),
            Self::Long(value)
            | Self::Time(value)
            | Self::Timestamp(value)
            | Self::TimestampNs(value) => DatumRef::Long(*value),
            Self::Float(value) => DatumRef::Double(f64::from(*value)),
            Self::Double(value) => DatumRef::Double(*value),
            Self::Decimal { unscaled, .. } => DatumRef::Decimal(*unscaled),
            Self::String(text) => DatumRef::String(text),
            Self::Uuid(bytes) => DatumRef::Binary(bytes),
            Self::Binary(bytes) => DatumRef::Binary(bytes),
        }
    }
}

impl DatumRef<'_> {
    /// Appends bytes that two values of one column share exactly if they are the same; floats are
    /// the same by their bits, all NaNs are one.
    pub fn push_key(value: Option<Self>, key: &mut Vec<u8>) {
        let mut push = |tag: u8, bytes: &[u8]| {
            key.push(tag);
            key.extend_from_slice(bytes);
        };
        match value {
            None => push(0, &[]),
            Some(Self::Boolean(flag)) => push(1, &[u8::from(flag)]),
            Some(Self::Long(value)) => push(2, &value.to_le_bytes()),
            Some(Self::Double(value)) => {
                let value = if value.is_nan() { f64::NAN } else { value };
                push(3, &value.to_bits().to_le_bytes());
            }
            Some(Self::Decimal(unscaled)) => push(4, &unscaled.to_le_bytes()),
            Some(Self::String(text)) => {
                push(5, &length(text.len()));
                key.extend_from_slice(text.as_bytes());
            }
            Some(Self::Binary(bytes)) => {
                push(6, &length(bytes.len()));
                key.extend_from_slice(bytes);
            }
        }
    }
}

fn length(len: usize) -> [u8; 8] {
    u64::try_from(len).unwrap_or(u64::MAX).to_le_bytes()
}

/// A long, or the int that it was promoted from.
fn integer(bytes: &[u8]) -> Option<i64> {
    Some(match bytes.len() {
        4 => i64::from(i32::from_le_bytes(bytes.try_into().ok()?)),
        _ => i64::from_le_bytes(bytes.try_into().ok()?),
    })
}

/// A timestamp, or the date that it was promoted from.
fn instant(bytes: &[u8], day_units: i64) -> Option<i64> {
    match bytes.len() {
        4 => integer(bytes)?.checked_mul(day_units),
        _ => integer(bytes),
    }
}

/// Two's complement of any length up to 16 bytes; longer ones only if they say no more.
pub(crate) fn big_endian(bytes: &[u8]) -> Option<i128> {
    let fill = match bytes.first()? {
        high if *high >= 0x80 => 0xff,
        _ => 0,
    };
    let (extra, low) = bytes.split_at(bytes.len().saturating_sub(16));
    let is_sign = extra.iter().all(|byte| *byte == fill)
        && (extra.is_empty()
            || low
                .first()
                .is_some_and(|high| (*high >= 0x80) == (fill != 0)));
    if !is_sign {
        return None;
    }
    let mut wide = [fill; 16];
    wide.get_mut(16_usize.checked_sub(low.len())?..)?
        .copy_from_slice(low);
    Some(i128::from_be_bytes(wide))
}

/// A decimal with another scale, if it loses no digit.
fn rescale(unscaled: i128, from: u32, to: u32) -> Option<Datum> {
    let unscaled = match to.checked_sub(from) {
        Some(more) => unscaled.checked_mul(10_i128.checked_pow(more)?)?,
        None => {
            let divisor = 10_i128.checked_pow(from.checked_sub(to)?)?;
            let is_exact = unscaled.checked_rem(divisor)? == 0;
            is_exact.then_some(unscaled.checked_div(divisor)?)?
        }
    };
    Some(Datum::Decimal {
        unscaled,
        scale: to,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_decoded_by_their_length() {
        let check = |type_text: &str, bytes: &[u8], expected: Option<Datum>| {
            let primitive = PrimitiveType::parse(type_text);
            assert_eq!(
                Datum::from_bound(bytes, &primitive),
                expected,
                "{type_text} {bytes:?}"
            );
        };
        let decimal = |unscaled| Some(Datum::Decimal { unscaled, scale: 2 });
        check("long", &5_i32.to_le_bytes(), Some(Datum::Long(5)));
        check("long", &5_i64.to_le_bytes(), Some(Datum::Long(5)));
        check("long", &[1, 2, 3], None);
        check("int", &5_i64.to_le_bytes(), None);
        check(
            "double",
            &0.1_f32.to_le_bytes(),
            Some(Datum::Double(f64::from(0.1_f32))),
        );
        check(
            "timestamp",
            &1_i32.to_le_bytes(),
            Some(Datum::Timestamp(DAY_MICROS)),
        );
        check("timestamp_ns", &i32::MAX.to_le_bytes(), None);
        check("decimal(9,2)", &[0xff], decimal(-1));
        check("decimal(9,2)", &[0x05, 0x8c], decimal(1420));
        check("decimal(9,2)", &[], None);
        check("decimal(38,2)", &[0xff; 17], decimal(-1));
        check("decimal(38,2)", &[0x7f; 17], None);
        check("boolean", &[2], None);
        check("string", b"", Some(Datum::String("".into())));
        check("string", &[0xff], None);
        check("uuid", &[7; 16], Some(Datum::Uuid([7; 16])));
        check("geometry", &[0; 16], None);
    }

    #[test]
    fn casts_lose_nothing() {
        let check = |from: Datum, type_text: &str, expected: Option<Datum>| {
            let primitive = PrimitiveType::parse(type_text);
            assert_eq!(from.cast(&primitive), expected, "{from:?} {type_text}");
        };
        let decimal = |unscaled, scale| Datum::Decimal { unscaled, scale };
        check(Datum::Int(5), "long", Some(Datum::Long(5)));
        check(Datum::Long(5_000_000_000), "int", None);
        check(Datum::Long(17), "date", Some(Datum::Date(17)));
        check(decimal(150, 2), "decimal(9,1)", Some(decimal(15, 1)));
        check(decimal(155, 2), "decimal(9,1)", None);
        check(Datum::Long(3), "decimal(9,2)", Some(decimal(300, 2)));
        check(Datum::Double(0.5), "float", Some(Datum::Float(0.5)));
        check(Datum::Double(0.1), "float", None);
        check(Datum::TimestampNs(1001), "timestamp", None);
        check(Datum::Date(i32::MAX), "timestamp_ns", None);
        check(Datum::String("1".into()), "int", None);
    }
}
