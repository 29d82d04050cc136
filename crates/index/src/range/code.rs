//! Values as codes: `u64`s that compare as the values do.
//!
//! Unlike the numbers of [`crate::order`] there is no way back: what compares equal is equal.

use std::ops::Bound;

use growler_schema::{DataType, Value};

use crate::order::{is_ordered, of_i64};

const SIGN: u64 = 1 << 63;
/// Code of NaN: above all others, with few bits set so that few slices are stored for its sake.
const NAN: u64 = SIGN | 0x7ff8 << 48;
/// Code of positive infinity.
const INFINITY: u64 = SIGN | 0x7ff0 << 48;

/// Codes from the first to the second, both inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Least code that is in.
    pub first: u64,
    /// Greatest code that is in.
    pub last: u64,
}

/// Returns the code of a floating point number.
///
/// Both zeros are one code, all NaNs are another, above infinity. A `f32` is widened first, so
/// bounds may have more digits than the values. What is whole or short keeps its low bits zero.
#[inline]
pub fn of_f64(value: f64) -> u64 {
    let bits = value.to_bits();
    let magnitude = bits & !SIGN;
    let code = if bits == magnitude {
        SIGN | magnitude
    } else {
        SIGN - magnitude
    };
    if value.is_nan() { NAN } else { code }
}

/// Returns the code of a value of a type; none when it is of another type or the type has none.
///
/// Any whole number will do for INT and LONG, any floating point number for FLOAT and DOUBLE.
pub fn of_value(value: &Value, data_type: DataType) -> Option<u64> {
    Some(match (data_type, value) {
        (DataType::Int | DataType::Long, Value::Int(value)) => of_i64(i64::from(*value)),
        (DataType::Int | DataType::Long, Value::Long(value)) => of_i64(*value),
        (DataType::Timestamp { unit }, Value::Timestamp(count, of)) if *of == unit => {
            of_i64(*count)
        }
        (DataType::Boolean, Value::Boolean(value)) => u64::from(*value),
        (DataType::Float | DataType::Double, Value::Float(value)) => of_f64(f64::from(*value)),
        (DataType::Float | DataType::Double, Value::Double(value)) => of_f64(*value),
        _ => return None,
    })
}

impl Span {
    /// Every code.
    pub const ALL: Self = Self {
        first: 0,
        last: u64::MAX,
    };

    /// Returns the span that holds no code.
    pub const NONE: Self = Self { first: 1, last: 0 };

    /// Tells whether it holds no code.
    pub fn is_empty(self) -> bool {
        self.first > self.last
    }

    /// Tells whether it holds a code.
    pub fn contains(self, code: u64) -> bool {
        self.first <= code && code <= self.last
    }

    /// Returns the span of the ranks `start..end`.
    pub fn of_ranks(ranks: std::ops::Range<u32>) -> Self {
        match ranks.end.checked_sub(1) {
            Some(last) => Self {
                first: ranks.start.into(),
                last: last.into(),
            },
            None => Self::NONE,
        }
    }

    /// Returns the span between two bounds of a type; none when a bound is of another type.
    ///
    /// Compares as IEEE 754 does: NaN is within no bound, and nothing is within a bound that is
    /// NaN. Only without any bound NaN is in.
    pub fn between(
        lower: Bound<&Value>,
        upper: Bound<&Value>,
        data_type: DataType,
    ) -> Option<Self> {
        if !is_ordered(data_type) {
            return None;
        }
        let floats = matches!(data_type, DataType::Float | DataType::Double);
        let bounded = !matches!((lower, upper), (Bound::Unbounded, Bound::Unbounded));
        let greatest = if floats && bounded {
            INFINITY
        } else {
            u64::MAX
        };
        let first = match lower {
            Bound::Unbounded => Some(0),
            Bound::Included(value) => Some(of_value(value, data_type)?),
            Bound::Excluded(value) => of_value(value, data_type)?.checked_add(1),
        };
        let last = match upper {
            Bound::Unbounded => Some(greatest),
            Bound::Included(value) => Some(of_value(value, data_type)?),
            Bound::Excluded(value) => of_value(value, data_type)?.checked_sub(1),
        };
        Some(match (first, last) {
            (Some(first), Some(last)) if !is_nan(lower) && !is_nan(upper) => Self {
                first,
                last: last.min(greatest),
            },
            _ => Self::NONE,
        })
    }
}

fn is_nan(bound: Bound<&Value>) -> bool {
    match bound {
        Bound::Included(Value::Double(value)) | Bound::Excluded(Value::Double(value)) => {
            value.is_nan()
        }
        Bound::Included(Value::Float(value)) | Bound::Excluded(Value::Float(value)) => {
            value.is_nan()
        }
        _ => false,
    }
}
