//! Which values come no later than another one in an order.

use std::ops::Bound;

use growler_schema::{ColumnType, DataType, Value};

use super::{condition::Condition, domain::Domain, text::Texts, unary::Test};

/// One end of an order's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// Whether greater values come first.
    pub descending: bool,
    /// Whether values that are equal pass, too.
    pub with_equal: bool,
}

impl Test {
    /// Makes the test of values that come before another, as sorts compare them: NaN is the greatest
    /// number, zeros are equal, text compares as bytes. None for types without such a test.
    pub fn before(value: &Value, end: End, column_type: ColumnType) -> Option<Self> {
        if column_type.multi_value {
            return None;
        }
        let (condition, negated) = match (column_type.data_type, value) {
            (DataType::Int, Value::Int(v)) => {
                let range = whole(i64::from(*v), end, i32::MIN.into(), i32::MAX.into());
                let int = |bound: i64| i32::try_from(bound).ok();
                let range = range.and_then(|(low, high)| Some((int(low)?, int(high)?)));
                (range.map_or(NOTHING, of_range(Condition::Int)), false)
            }
            (DataType::Long, Value::Long(v)) => (long(*v, end), false),
            (DataType::Timestamp { unit }, Value::Timestamp(v, of)) if *of == unit => {
                (long(*v, end), false)
            }
            (DataType::BigDecimal { scale }, Value::BigDecimal(v, of)) if *of == scale => {
                let range = whole(*v, end, i128::MIN, i128::MAX);
                (range.map_or(NOTHING, of_range(Condition::Decimal)), false)
            }
            (DataType::Float, Value::Float(v)) => double(f64::from(*v), end),
            (DataType::Double, Value::Double(v)) => double(*v, end),
            (DataType::Boolean, Value::Boolean(v)) => {
                let passes = |other: bool| {
                    let first = if end.descending {
                        other & !v
                    } else {
                        !other & v
                    };
                    first || end.with_equal && other == *v
                };
                (Condition::Boolean([passes(false), passes(true)]), false)
            }
            (DataType::String | DataType::Json, Value::String(v)) => {
                (Condition::Text(texts(v.as_bytes(), end)), false)
            }
            (DataType::Bytes, Value::Bytes(v)) => (Condition::Bytes(texts(v, end)), false),
            _ => return None,
        };
        Some(Self::of(column_type, condition, negated))
    }
}

/// Nothing passes.
const NOTHING: Condition = Condition::Verdict(false);

fn of_range<T: super::domain::Element>(
    condition: impl Fn(Domain<T>) -> Condition,
) -> impl Fn((T, T)) -> Condition {
    move |(low, high)| condition(Domain::Range(low, high))
}

fn long(value: i64, end: End) -> Condition {
    let range = whole(value, end, i64::MIN, i64::MAX);
    range.map_or(NOTHING, of_range(Condition::Long))
}

/// Returns the whole numbers of `min..=max` that come before a value; none when there are none.
fn whole<T>(value: T, end: End, min: T, max: T) -> Option<(T, T)>
where
    T: Copy + PartialOrd + From<bool> + std::ops::Add<Output = T> + std::ops::Sub<Output = T>,
{
    let one = T::from(true);
    match (end.descending, end.with_equal) {
        (true, true) => Some((value, max)),
        (false, true) => Some((min, value)),
        (true, false) => (value < max).then(|| (value + one, max)),
        (false, false) => (value > min).then(|| (min, value - one)),
    }
}

/// Returns the numbers that come before a value, and whether they are those outside of the condition:
/// NaN is outside of every range.
fn double(value: f64, end: End) -> (Condition, bool) {
    // Numbers that are not greater; all but NaN, for NaN.
    let up_to = |with_equal: bool| match value {
        _ if value.is_nan() => Condition::Double(Domain::Range(f64::NEG_INFINITY, f64::INFINITY)),
        _ if with_equal => Condition::Double(Domain::Range(f64::NEG_INFINITY, value)),
        f64::NEG_INFINITY => NOTHING,
        _ => Condition::Double(Domain::Range(f64::NEG_INFINITY, value.next_down())),
    };
    match (end.descending, end.with_equal) {
        (true, false) if value.is_nan() => (NOTHING, false),
        (true, with_equal) => (up_to(!with_equal), true),
        (false, true) if value.is_nan() => (Condition::Verdict(true), false),
        (false, with_equal) => (up_to(with_equal), false),
    }
}

fn texts(value: &[u8], end: End) -> Texts {
    let bound = match end.with_equal {
        true => Bound::Included(value.to_vec()),
        false => Bound::Excluded(value.to_vec()),
    };
    match end.descending {
        true => Texts::Range(bound, Bound::Unbounded),
        false => Texts::Range(Bound::Unbounded, bound),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use growler_schema::TimeUnit;

    fn check(data_type: DataType, ascending: &[Value]) {
        for (at, value) in ascending.iter().enumerate() {
            for (other_at, other) in ascending.iter().enumerate() {
                for (descending, with_equal) in
                    [(true, true), (true, false), (false, true), (false, false)]
                {
                    let end = End {
                        descending,
                        with_equal,
                    };
                    let test = Test::before(value, end, data_type.single()).unwrap();
                    let expected = match at == other_at {
                        true => with_equal,
                        false => descending == (other_at > at),
                    };
                    assert_eq!(test.matches(other), expected, "{other:?} {end:?} {value:?}");
                }
            }
        }
    }

    #[test]
    fn passes_what_a_sort_puts_first() {
        check(DataType::Int, &[i32::MIN, -1, 0, i32::MAX].map(Value::Int));
        check(DataType::Long, &[i64::MIN, 0, i64::MAX].map(Value::Long));
        let unit = TimeUnit::Micros;
        let times = [i64::MIN, 7, i64::MAX].map(|time| Value::Timestamp(time, unit));
        check(DataType::Timestamp { unit }, &times);
        let decimals = [-5, 0, 5].map(|unscaled| Value::BigDecimal(unscaled, 2));
        check(DataType::BigDecimal { scale: 2 }, &decimals);
        let numbers = [f64::NEG_INFINITY, -1.5, 0.0, 2.0, f64::INFINITY, f64::NAN];
        check(DataType::Double, &numbers.map(Value::Double));
        let floats = [f32::NEG_INFINITY, -1.5, 0.0, 2.0, f32::INFINITY, f32::NAN];
        check(DataType::Float, &floats.map(Value::Float));
        check(DataType::Boolean, &[false, true].map(Value::Boolean));
        let texts = ["", "A", "a", "ab", "\u{fffd}"].map(|text| Value::String(text.to_owned()));
        check(DataType::String, &texts);
        check(
            DataType::Bytes,
            &[vec![], vec![0], vec![255]].map(Value::Bytes),
        );
    }

    #[test]
    fn zeros_are_equal() {
        for descending in [true, false] {
            for (zero, other) in [(0.0, -0.0), (-0.0, 0.0), (0.0, 0.0)] {
                let passes = |with_equal| {
                    let end = End {
                        descending,
                        with_equal,
                    };
                    let test = Test::before(&Value::Double(zero), end, DataType::Double.single());
                    test.unwrap().matches(&Value::Double(other))
                };
                assert_eq!((passes(true), passes(false)), (true, false));
            }
        }
    }
}
