//! How two values compare, across the types that a column may have had.

use std::cmp::Ordering;

use super::Datum;

/// Compares two values exactly; none when they are of kinds that do not compare, when either is
/// NaN, or for zeros of different sign, which engines order differently.
///
/// Numbers compare by their value whatever their types; dates and times also with integers, as
/// the counts they are.
pub fn compare(a: &Datum, b: &Datum) -> Option<Ordering> {
    use Datum as D;
    match (a, b) {
        (D::Boolean(a), D::Boolean(b)) => Some(a.cmp(b)),
        (D::String(a), D::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (D::Uuid(a), D::Uuid(b)) => Some(a.cmp(b)),
        (D::Binary(a), D::Binary(b)) => Some(a.cmp(b)),
        (D::Timestamp(_) | D::TimestampNs(_), D::Timestamp(_) | D::TimestampNs(_)) => {
            Some(nanos(a)?.cmp(&nanos(b)?))
        }
        (D::Date(_), D::Time(_)) | (D::Time(_), D::Date(_)) => None,
        _ => match (Number::of(a)?, Number::of(b)?) {
            (Number::Exact(a, a_scale), Number::Exact(b, b_scale)) => {
                compare_decimals((a, a_scale), (b, b_scale))
            }
            (Number::Float(a), Number::Float(b)) => compare_floats(a, b),
            (Number::Float(a), Number::Exact(b, scale)) => compare_float_exact(a, (b, scale)),
            (Number::Exact(a, scale), Number::Float(b)) => {
                compare_float_exact(b, (a, scale)).map(Ordering::reverse)
            }
        },
    }
}

enum Number {
    /// Unscaled value and digits behind the point.
    Exact(i128, u32),
    Float(f64),
}

impl Number {
    fn of(datum: &Datum) -> Option<Self> {
        Some(match datum {
            Datum::Int(value) | Datum::Date(value) => Self::Exact(i128::from(*value), 0),
            Datum::Long(value) | Datum::Time(value) => Self::Exact(i128::from(*value), 0),
            Datum::Decimal { unscaled, scale } => Self::Exact(*unscaled, *scale),
            Datum::Float(value) => Self::Float(f64::from(*value)),
            Datum::Double(value) => Self::Float(*value),
            Datum::Boolean(_)
            | Datum::Timestamp(_)
            | Datum::TimestampNs(_)
            | Datum::String(_)
            | Datum::Uuid(_)
            | Datum::Binary(_) => return None,
        })
    }
}

fn nanos(datum: &Datum) -> Option<i128> {
    match datum {
        Datum::Timestamp(micros) => i128::from(*micros).checked_mul(1000),
        Datum::TimestampNs(nanos) => Some(i128::from(*nanos)),
        _ => None,
    }
}

fn compare_decimals(a: (i128, u32), b: (i128, u32)) -> Option<Ordering> {
    let scale = a.1.max(b.1);
    let scaled = |(unscaled, from): (i128, u32)| {
        unscaled.checked_mul(10_i128.checked_pow(scale.checked_sub(from)?)?)
    };
    Some(scaled(a)?.cmp(&scaled(b)?))
}

fn compare_floats(a: f64, b: f64) -> Option<Ordering> {
    if a == 0.0 && b == 0.0 && a.is_sign_negative() != b.is_sign_negative() {
        return None;
    }
    a.partial_cmp(&b)
}

/// Compares by the integers next to the float, so that nothing is rounded.
fn compare_float_exact(float: f64, (unscaled, scale): (i128, u32)) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    let divisor = 10_i128.checked_pow(scale)?;
    let whole = unscaled.div_euclid(divisor);
    let has_fraction = unscaled.rem_euclid(divisor) != 0;
    let floor = float.floor();
    // The largest float below 2^127, past which every exact number lies on one side.
    if floor >= 1.7e38 {
        return Some(Ordering::Greater);
    }
    if floor < -1.7e38 {
        return Some(Ordering::Less);
    }
    #[expect(clippy::cast_possible_truncation, reason = "in range and whole")]
    let floor_exact = floor as i128;
    match floor_exact.cmp(&whole) {
        Ordering::Equal => match (float > floor, has_fraction) {
            (false, false) if unscaled == 0 && float.is_sign_negative() => None,
            (false, false) => Some(Ordering::Equal),
            (true, false) => Some(Ordering::Greater),
            (false, true) => Some(Ordering::Less),
            // Two fractions of one whole number: not worth exact arithmetic.
            (true, true) => None,
        },
        unequal => Some(unequal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_compare_across_types() {
        let text = |text: &str| Datum::String(text.into());
        let decimal = |unscaled, scale| Datum::Decimal { unscaled, scale };
        let less = Some(Ordering::Less);
        let equal = Some(Ordering::Equal);
        let cases = [
            (Datum::Int(3), Datum::Long(5_000_000_000), less),
            (
                Datum::Long(1 << 53),
                Datum::Double(9_007_199_254_740_992.0),
                equal,
            ),
            (
                Datum::Double(9_007_199_254_740_992.0),
                Datum::Long((1 << 53) + 1),
                less,
            ),
            (Datum::Long(2), Datum::Double(2.5), less),
            (Datum::Double(-2.5), Datum::Long(-2), less),
            (Datum::Long(i64::MAX), Datum::Double(f64::INFINITY), less),
            (
                Datum::Double(f64::NEG_INFINITY),
                decimal(i128::MIN, 0),
                less,
            ),
            (decimal(150, 2), decimal(15, 1), equal),
            (decimal(149, 2), Datum::Int(2), less),
            (Datum::Double(1.0), decimal(150, 2), less),
            (Datum::Double(1.25), decimal(150, 2), None),
            (Datum::Double(f64::NAN), Datum::Int(1), None),
            (Datum::Double(-0.0), Datum::Double(0.0), None),
            (Datum::Double(0.0), Datum::Double(0.0), equal),
            (Datum::Double(-0.0), Datum::Int(0), None),
            (Datum::Timestamp(1), Datum::TimestampNs(1001), less),
            (Datum::Date(3), Datum::Long(4), less),
            (text("Z"), text("a"), less),
            (text("\u{ffff}"), text("\u{10000}"), less),
            (text("1"), Datum::Int(2), None),
            (Datum::Boolean(false), Datum::Boolean(true), less),
        ];
        for (a, b, expected) in cases {
            assert_eq!(compare(&a, &b), expected, "{a:?} {b:?}");
            assert_eq!(
                compare(&b, &a),
                expected.map(Ordering::reverse),
                "{b:?} {a:?}"
            );
        }
    }
}
