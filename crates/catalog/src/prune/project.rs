//! A question about a column as one about a partition field made of it.

use super::predicate::{Comparison, Test};
use crate::Datum;
use crate::metadata::{PrimitiveType, Transform};

/// Returns a test of partition values that holds wherever a row of the file may pass the test of the
/// column; none when the partition says nothing.
pub fn inclusive(test: &Test, transform: &Transform, source: &PrimitiveType) -> Option<Test> {
    match transform {
        Transform::Void | Transform::Unknown(_) => None,
        Transform::Identity => Some(test.clone()),
        _ => match test {
            // Every other known transform gives null for null and nothing else.
            Test::IsNull | Test::IsNotNull => Some(test.clone()),
            Test::Compare(comparison, literal) => compared(*comparison, literal, transform, source),
            Test::In(literals) => {
                let mut projected = Vec::new();
                for literal in literals {
                    projected.extend(equal_to(literal, transform, source)?);
                }
                Some(Test::In(projected))
            }
            Test::NotIn(_) => None,
            Test::StartsWith(prefix) => prefixed(prefix, transform, source),
        },
    }
}

fn compared(
    comparison: Comparison,
    literal: &Datum,
    transform: &Transform,
    source: &PrimitiveType,
) -> Option<Test> {
    let end = match comparison {
        Comparison::NotEq => return None,
        Comparison::Eq => return equal_to(literal, transform, source).map(Test::In),
        Comparison::Lt | Comparison::LtEq => Comparison::LtEq,
        Comparison::Gt | Comparison::GtEq => Comparison::GtEq,
    };
    if matches!(transform, Transform::Bucket(_)) {
        return None;
    }
    // What keeps order maps smaller values to smaller or equal ones.
    let projected = transform.apply(&literal.cast(source)?)?;
    let projected = match (end, later(&projected, transform)) {
        (Comparison::LtEq, Some(later)) => later,
        _ => projected,
    };
    Some(Test::Compare(end, projected))
}

/// The partition values that rows equal to a literal may have.
fn equal_to(literal: &Datum, transform: &Transform, source: &PrimitiveType) -> Option<Vec<Datum>> {
    let projected = transform.apply(&literal.cast(source)?)?;
    let later = later(&projected, transform);
    Some(std::iter::once(projected).chain(later).collect())
}

/// The next partition value, where old writers rounded times before 1970 up instead of down.
fn later(projected: &Datum, transform: &Transform) -> Option<Datum> {
    let is_time = matches!(
        transform,
        Transform::Year | Transform::Month | Transform::Day | Transform::Hour
    );
    match projected {
        Datum::Int(value) if is_time && *value < 0 => value.checked_add(1).map(Datum::Int),
        Datum::Date(value) if is_time && *value < 0 => value.checked_add(1).map(Datum::Date),
        _ => None,
    }
}

fn prefixed(prefix: &str, transform: &Transform, source: &PrimitiveType) -> Option<Test> {
    let Transform::Truncate(width) = transform else {
        return None;
    };
    if *source != PrimitiveType::String {
        return None;
    }
    let width = usize::try_from(*width).ok()?;
    let cut: String = prefix.chars().take(width).collect();
    Some(Test::StartsWith(cut.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    use crate::prune::Evidence;

    const COMPARISONS: [Comparison; 6] = [
        Comparison::Eq,
        Comparison::NotEq,
        Comparison::Lt,
        Comparison::LtEq,
        Comparison::Gt,
        Comparison::GtEq,
    ];

    fn passes(test: &Test, value: &Datum) -> bool {
        Evidence::constant(Some(value.clone())).may_pass(test)
    }

    fn holds(test: &Test, transform: &Transform, source: &PrimitiveType, value: &Datum) {
        if !passes(test, value) {
            return;
        }
        let Some(partition) = transform.apply(value) else {
            return;
        };
        if let Some(projected) = inclusive(test, transform, source) {
            let kept = passes(&projected, &partition);
            assert!(
                kept,
                "{test:?} {transform:?} {value:?} {projected:?} {partition:?}"
            );
        }
    }

    fn transforms() -> Vec<Transform> {
        [
            "identity",
            "bucket[7]",
            "truncate[3]",
            "year",
            "month",
            "day",
            "hour",
            "void",
            "x",
        ]
        .map(Transform::parse)
        .to_vec()
    }

    proptest! {
        #[test]
        fn no_row_that_passes_is_lost(value in any::<i32>(), near in -20_i32..20, far in any::<i32>()) {
            for transform in transforms() {
                for literal in [value.wrapping_add(near), far] {
                    for comparison in COMPARISONS {
                        let test = Test::Compare(comparison, Datum::Int(literal));
                        holds(&test, &transform, &PrimitiveType::Long, &Datum::Long(value.into()));
                        let micros = |days: i32| Datum::Timestamp(i64::from(days) * 3_600_000_001);
                        let test = Test::Compare(comparison, micros(literal));
                        holds(&test, &transform, &PrimitiveType::Timestamp, &micros(value));
                    }
                    let test = Test::In(vec![Datum::Int(literal), Datum::Int(far)]);
                    holds(&test, &transform, &PrimitiveType::Int, &Datum::Int(value));
                }
            }
        }

        #[test]
        fn no_text_that_passes_is_lost(value in "[ab\u{1F9CA}]{0,6}", literal in "[ab\u{1F9CA}]{0,5}") {
            let text = |text: &str| Datum::String(text.into());
            for transform in transforms() {
                for comparison in COMPARISONS {
                    let test = Test::Compare(comparison, text(&literal));
                    holds(&test, &transform, &PrimitiveType::String, &text(&value));
                }
                let test = Test::StartsWith(literal.as_str().into());
                holds(&test, &transform, &PrimitiveType::String, &text(&value));
            }
        }
    }

    #[test]
    fn literals_that_the_column_cannot_hold_say_nothing() {
        let test = Test::Compare(Comparison::Eq, Datum::Long(1 << 40));
        let int = PrimitiveType::Int;
        assert_eq!(inclusive(&test, &Transform::Bucket(4), &int), None);
        assert_eq!(inclusive(&test, &Transform::Truncate(4), &int), None);
        assert_eq!(inclusive(&test, &Transform::Identity, &int), Some(test));
    }
}
