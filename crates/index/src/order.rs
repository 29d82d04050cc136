//! Values as unsigned numbers that sort as the values do.
//!
//! INT, LONG, TIMESTAMP, BOOLEAN, FLOAT and DOUBLE become an `u64`, BIG_DECIMAL its unscaled value.
//! Floats have a total order: -0.0 before 0.0, every NaN behind infinity. The way back is exact.

use growler_schema::{DataType, Value};

/// The bit that two's complement uses for the sign.
const SIGN: u64 = 1 << 63;

/// Returns a value as the number it sorts by, when it is of the type and the type has such numbers.
///
/// Text, bytes and BIG_DECIMAL have none: they sort by their ranks in a dictionary.
pub fn ordered(data_type: DataType, value: &Value) -> Option<u64> {
    match (data_type, value) {
        (DataType::Int, Value::Int(value)) => Some(of_i64((*value).into())),
        (DataType::Long, Value::Long(value)) => Some(of_i64(*value)),
        (DataType::Timestamp { unit }, Value::Timestamp(value, of)) if unit == *of => {
            Some(of_i64(*value))
        }
        (DataType::Boolean, Value::Boolean(value)) => Some((*value).into()),
        (DataType::Float, Value::Float(value)) => Some(of_f32(*value)),
        (DataType::Double, Value::Double(value)) => Some(of_f64(*value)),
        _ => None,
    }
}

/// Tells whether values of a type have numbers they sort by ([`ordered`]).
pub fn is_ordered(data_type: DataType) -> bool {
    matches!(
        data_type,
        DataType::Int
            | DataType::Long
            | DataType::Timestamp { .. }
            | DataType::Boolean
            | DataType::Float
            | DataType::Double
    )
}

/// Returns an integer as an unsigned number in the same order.
#[inline]
pub fn of_i64(value: i64) -> u64 {
    value.cast_unsigned() ^ SIGN
}

/// Returns the integer of [`of_i64`].
#[inline]
pub fn to_i64(ordered: u64) -> i64 {
    (ordered ^ SIGN).cast_signed()
}

/// Returns a double as an unsigned number in total order, NaN last.
#[inline]
pub fn of_f64(value: f64) -> u64 {
    let bits = value.to_bits();
    let total = if bits & SIGN == 0 { bits | SIGN } else { !bits };
    // Negative NaN would come first: turning the circle by as much puts them behind the others.
    total.wrapping_sub(!f64::NEG_INFINITY.to_bits())
}

/// Returns the double of [`of_f64`].
#[inline]
pub fn to_f64(ordered: u64) -> f64 {
    let total = ordered.wrapping_add(!f64::NEG_INFINITY.to_bits());
    f64::from_bits(if total & SIGN == 0 {
        !total
    } else {
        total & !SIGN
    })
}

/// Returns a float as an unsigned number in total order, NaN last.
#[inline]
pub fn of_f32(value: f32) -> u64 {
    let bits = value.to_bits();
    let sign = 1 << 31;
    let total = if bits & sign == 0 { bits | sign } else { !bits };
    total.wrapping_sub(!f32::NEG_INFINITY.to_bits()).into()
}

/// Returns the float of [`of_f32`]; nothing when the number is of no float.
#[inline]
pub fn to_f32(ordered: u64) -> Option<f32> {
    let total = u32::try_from(ordered)
        .ok()?
        .wrapping_add(!f32::NEG_INFINITY.to_bits());
    let sign = 1 << 31;
    Some(f32::from_bits(if total & sign == 0 {
        !total
    } else {
        total & !sign
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_sort_with_every_nan_last() {
        let sorted = [
            f64::NEG_INFINITY,
            f64::MIN,
            -1.0,
            -f64::MIN_POSITIVE,
            -5e-324,
            -0.0,
            0.0,
            5e-324,
            1.0,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
            -f64::NAN,
        ];
        assert!(sorted.is_sorted_by_key(|value| of_f64(*value)));
        for value in sorted {
            assert_eq!(to_f64(of_f64(value)).to_bits(), value.to_bits());
        }
        let narrow = [
            f32::NEG_INFINITY,
            -1.0,
            -0.0,
            0.0,
            1.5,
            f32::INFINITY,
            f32::NAN,
            -f32::NAN,
        ];
        assert!(narrow.is_sorted_by_key(|value| of_f32(*value)));
        for value in narrow {
            assert_eq!(
                to_f32(of_f32(value)).map(f32::to_bits),
                Some(value.to_bits())
            );
        }
    }

    #[test]
    fn integers_sort() {
        let sorted = [i64::MIN, -1, 0, 1, i64::MAX];
        assert!(sorted.is_sorted_by_key(|value| of_i64(*value)));
        assert!(sorted.iter().all(|value| to_i64(of_i64(*value)) == *value));
    }
}
