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

/// What NaN is among unscaled decimals: below all of 38 digits, and so outside of every range.
pub const NAN_DECIMAL: i128 = i128::MIN;

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

    /// Returns the unscaled value of the decimal of 38 digits with this scale that is nearest to a
    /// number: a finer one is rounded, a larger one becomes the largest. NaN becomes [`NAN_DECIMAL`],
    /// which no number does.
    pub fn nearest_decimal(&self, scale: i8) -> Option<i128> {
        let of_double = |value: f64, number: Option<Decimal>| match number {
            Some(number) => Some(number.nearest_at_scale(scale)),
            None if value.is_nan() => Some(NAN_DECIMAL),
            None => Some(Decimal::largest(value < 0.0)),
        };
        match self {
            Self::Float(value) => of_double(f64::from(*value), Decimal::of_f32(*value)),
            Self::Double(value) => of_double(*value, Decimal::of_f64(*value)),
            exact => Some(exact.exact_number()?.nearest_at_scale(scale)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_schema::TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    use proptest::prelude::*;

    fn decimal(unscaled: i128, scale: u8) -> Node<'static> {
        Node::Decimal {
            unscaled,
            scale,
            width: 16,
        }
    }

    #[test]
    fn integers_come_from_whole_numbers_only() {
        let cases = [
            (Node::Int8(-3), Some(-3)),
            (Node::Int64(i64::MIN), Some(i64::MIN)),
            (decimal(1200, 2), Some(12)),
            (decimal(1201, 2), None),
            (decimal(i128::from(i64::MAX) + 1, 0), None),
            (Node::Double(1e15), Some(1_000_000_000_000_000)),
            (Node::Double(-9_223_372_036_854_775_808.0), Some(i64::MIN)),
            (Node::Double(9_223_372_036_854_775_808.0), None),
            (Node::Double(0.5), None),
            (Node::Double(f64::NAN), None),
            (Node::Float(f32::INFINITY), None),
            (Node::Float(16_777_216.0), Some(16_777_216)),
            (Node::String("12"), None),
            (Node::Boolean(true), None),
            (Node::Null, None),
        ];
        for (node, expected) in cases {
            assert_eq!(node.to_i64(), expected, "{node:?}");
            assert_eq!(
                node.to_i32(),
                expected.and_then(|value| i32::try_from(value).ok())
            );
        }
    }

    #[test]
    fn doubles_come_from_the_same_number_only() {
        const BIG: i64 = 1 << 53;
        let cases = [
            (Node::Int64(BIG), Some(9_007_199_254_740_992.0)),
            (Node::Int64(BIG + 1), None),
            (Node::Int64(BIG + 2), Some(9_007_199_254_740_994.0)),
            (Node::Int64(i64::MIN), Some(-9_223_372_036_854_775_808.0)),
            (Node::Int64(i64::MAX), None),
            (decimal(1234, 2), Some(12.34)),
            (decimal(-10, 2), Some(-0.1)),
            (decimal(10_i128.pow(23), 0), Some(1e23)),
            (decimal(1 << 60, 0), Some(1_152_921_504_606_846_976.0)),
            (decimal(12_345_678_901_234_567_890, 10), None),
            (decimal(1, 38), Some(1e-38)),
            (Node::Float(0.1), Some(0.100_000_001_490_116_12)),
            (Node::Double(-0.0), Some(-0.0)),
            (Node::String("1.0"), None),
            (Node::Boolean(true), None),
        ];
        for (node, expected) in cases {
            assert_eq!(node.to_f64(), expected, "{node:?}");
        }
        assert_eq!(
            Node::Int64(i64::MAX).nearest_f64(),
            Some(9_223_372_036_854_775_808.0)
        );
        assert_eq!(
            decimal(12_345_678_901_234_567_890, 10).nearest_f64(),
            Some(1234567890.1234567)
        );
        assert_eq!(Node::String("1").nearest_f64(), None);
    }

    #[test]
    fn floats_come_from_the_same_number_only() {
        let cases = [
            (Node::Double(0.5), Some(0.5)),
            (Node::Double(0.1), None),
            (Node::Double(1e300), None),
            (Node::Double(f64::INFINITY), Some(f32::INFINITY)),
            (Node::Int32(16_777_217), None),
            (Node::Int32(16_777_218), Some(16_777_218.0)),
            (decimal(1011, 2), Some(10.11)),
            (decimal(123_456_789, 2), None),
        ];
        for (node, expected) in cases {
            assert_eq!(node.to_f32(), expected, "{node:?}");
        }
        assert!(Node::Double(f64::NAN).to_f32().is_some_and(f32::is_nan));
    }

    #[test]
    fn decimals_neither_round_nor_overflow() {
        let cases = [
            (Node::Int32(12), 2, Some(1200)),
            (Node::Int32(1200), -2, Some(12)),
            (Node::Int32(1250), -2, None),
            (decimal(1250, 3), 2, Some(125)),
            (decimal(1255, 3), 2, None),
            (decimal(10_i128.pow(37), 0), 0, Some(10_i128.pow(37))),
            (decimal(10_i128.pow(37), 0), 1, None),
            (decimal(0, 38), -38, Some(0)),
            (decimal(i128::MAX, 0), 0, None),
            (Node::Double(0.1), 2, Some(10)),
            (Node::Double(0.125), 2, None),
            (Node::Double(f64::NAN), 2, None),
            (Node::Float(0.1), 1, Some(1)),
            (Node::String("1"), 0, None),
        ];
        for (node, scale, expected) in cases {
            assert_eq!(node.to_decimal(scale), expected, "{node:?} scale={scale}");
        }
    }

    #[test]
    fn nearest_decimals_round_and_stop_at_the_largest() {
        let most = 10_i128.pow(38) - 1;
        let cases = [
            (Node::Int32(12), 2, Some(1200)),
            (
                Node::Int64(i64::MIN),
                18,
                Some(i128::from(i64::MIN) * 10_i128.pow(18)),
            ),
            (Node::Double(0.125), 2, Some(13)),
            (Node::Double(-0.124), 2, Some(-12)),
            (Node::Double(1e-300), 18, Some(0)),
            (Node::Double(1e300), 18, Some(most)),
            (Node::Double(-1e20), 18, Some(-most)),
            (Node::Double(f64::INFINITY), 0, Some(most)),
            (Node::Double(f64::NEG_INFINITY), 0, Some(-most)),
            (Node::Float(f32::INFINITY), 0, Some(most)),
            (Node::Double(f64::NAN), 0, Some(NAN_DECIMAL)),
            (decimal(1, 38), 18, Some(0)),
            (decimal(1255, 3), 2, Some(126)),
            (decimal(i128::MAX, 0), 0, Some(most)),
            (decimal(1250, 0), -2, Some(13)),
            (Node::String("1"), 0, None),
            (Node::Boolean(true), 0, None),
        ];
        for (node, scale, expected) in cases {
            assert_eq!(
                node.nearest_decimal(scale),
                expected,
                "{node:?} scale={scale}"
            );
        }
    }

    #[test]
    fn timestamps_change_their_unit_only_without_loss() {
        let stamp = |value, unit| Node::Timestamp {
            value,
            unit,
            utc: true,
        };
        let cases = [
            (
                stamp(1_500_000, TimestampUnit::Micros),
                Millisecond,
                Some(1500),
            ),
            (stamp(1_500_001, TimestampUnit::Micros), Millisecond, None),
            (stamp(-2_000_000, TimestampUnit::Micros), Second, Some(-2)),
            (stamp(7, TimestampUnit::Micros), Microsecond, Some(7)),
            (stamp(7, TimestampUnit::Micros), Nanosecond, Some(7000)),
            (stamp(i64::MAX, TimestampUnit::Micros), Nanosecond, None),
            (stamp(-1, TimestampUnit::Nanos), Microsecond, None),
            (Node::Date(1), Millisecond, None),
            (Node::Int64(1), Millisecond, None),
        ];
        for (node, unit, expected) in cases {
            assert_eq!(node.to_timestamp(unit), expected, "{node:?} {unit:?}");
        }
    }

    proptest! {
        #[test]
        fn what_converts_converts_back(unscaled in -10_i128.pow(20)..10_i128.pow(20), scale in 0_u8..20) {
            let from = decimal(unscaled, scale);
            let finest = i8::try_from(scale)?;
            prop_assert_eq!(from.to_decimal(finest), Some(unscaled));
            if let Some(double) = from.to_f64() && double.abs() < 1e15 {
                prop_assert_eq!(Node::Double(double).to_decimal(finest), Some(unscaled));
            }
            if let Some(integer) = from.to_i64() {
                prop_assert_eq!(Node::Int64(integer).to_decimal(finest), Some(unscaled));
            }
            let nearest: f64 = format!("{unscaled}e-{scale}").parse()?;
            prop_assert_eq!(from.nearest_f64(), Some(nearest));
        }

        #[test]
        fn short_decimals_are_doubles(unscaled in -10_i128.pow(15) + 1..10_i128.pow(15), scale in 0_u8..30) {
            prop_assert!(decimal(unscaled, scale).to_f64().is_some());
        }
    }
}
