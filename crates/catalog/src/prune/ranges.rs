//! Evidence of many files, one beside the other.
//!
//! Whole numbers, dates and times are kept as two arrays of 64-bit integers, so that ten thousand
//! files stay in the processor's cache; everything else as it is.

use roaring::RoaringBitmap;

use super::Evidence;
use super::predicate::{Comparison, Test};
use crate::metadata::PrimitiveType;
use crate::{Datum, DatumRef};

/// Evidence by position.
#[derive(Debug)]
pub(crate) enum Ranges {
    Whole(WholeRanges),
    Any(Box<[Evidence]>),
}

/// Evidence of values that are 64-bit integers; a bound that is missing is the type's end.
#[derive(Debug)]
pub(crate) struct WholeRanges {
    primitive: PrimitiveType,
    lower: Box<[i64]>,
    upper: Box<[i64]>,
    may_be_null: Box<[bool]>,
    may_have_value: Box<[bool]>,
}

impl Ranges {
    /// Takes evidence of values of a type.
    pub(crate) fn new(primitive: &PrimitiveType, evidence: Vec<Evidence>) -> Self {
        use PrimitiveType as P;
        let is_count = matches!(primitive, P::Int | P::Long | P::Date | P::Time);
        let is_instant = matches!(
            primitive,
            P::Timestamp | P::TimestampTz | P::TimestampNs | P::TimestampTzNs
        );
        if !is_count && !is_instant {
            return Self::Any(evidence.into());
        }
        let bound = |bound: &Option<Datum>, end: i64| {
            let bound = bound.as_ref().and_then(|bound| whole(bound, primitive));
            bound.unwrap_or(end)
        };
        Self::Whole(WholeRanges {
            lower: evidence.iter().map(|e| bound(&e.lower, i64::MIN)).collect(),
            upper: evidence.iter().map(|e| bound(&e.upper, i64::MAX)).collect(),
            may_be_null: evidence.iter().map(|e| e.may_be_null).collect(),
            may_have_value: evidence.iter().map(|e| e.may_have_value).collect(),
            primitive: primitive.clone(),
        })
    }

    /// Returns the positions whose values may pass a test.
    pub(crate) fn passing(&self, test: &Test) -> RoaringBitmap {
        match self {
            Self::Any(evidence) => {
                positions(evidence.iter().map(|evidence| evidence.may_pass(test)))
            }
            Self::Whole(ranges) => ranges.passing(test),
        }
    }
}

impl WholeRanges {
    fn passing(&self, test: &Test) -> RoaringBitmap {
        let exact = |literal: &Datum| whole(literal, &self.primitive);
        match test {
            Test::IsNull => positions(self.may_be_null.iter().copied()),
            Test::IsNotNull => positions(self.may_have_value.iter().copied()),
            Test::Compare(comparison, literal) => match exact(literal) {
                Some(literal) => self.comparing(*comparison, literal),
                None => self.one_by_one(test),
            },
            Test::In(literals) => {
                let exact: Option<Vec<i64>> = literals.iter().map(exact).collect();
                match exact {
                    Some(literals) => self.containing(literals),
                    None => self.one_by_one(test),
                }
            }
            Test::NotIn(_) | Test::StartsWith(_) => self.one_by_one(test),
        }
    }

    fn comparing(&self, comparison: Comparison, literal: i64) -> RoaringBitmap {
        match comparison {
            Comparison::Eq => self.where_range(|lower, upper| lower <= literal && literal <= upper),
            Comparison::NotEq => {
                self.where_range(|lower, upper| lower != literal || upper != literal)
            }
            Comparison::Lt => self.where_range(|lower, _| lower < literal),
            Comparison::LtEq => self.where_range(|lower, _| lower <= literal),
            Comparison::Gt => self.where_range(|_, upper| upper > literal),
            Comparison::GtEq => self.where_range(|_, upper| upper >= literal),
        }
    }

    fn containing(&self, mut literals: Vec<i64>) -> RoaringBitmap {
        literals.sort_unstable();
        self.where_range(|lower, upper| {
            let first = literals.partition_point(|literal| *literal < lower);
            literals.get(first).is_some_and(|literal| *literal <= upper)
        })
    }

    fn where_range(&self, may_pass: impl Fn(i64, i64) -> bool) -> RoaringBitmap {
        let ranges = self.lower.iter().zip(&self.upper).zip(&self.may_have_value);
        positions(ranges.map(|((lower, upper), has_value)| *has_value && may_pass(*lower, *upper)))
    }

    /// For literals that are no value of the type.
    fn one_by_one(&self, test: &Test) -> RoaringBitmap {
        let bound = |value: i64, end: i64| (value != end).then(|| self.datum(value));
        let flags = self.may_be_null.iter().zip(&self.may_have_value);
        let ranges = self.lower.iter().zip(&self.upper).zip(flags);
        positions(
            ranges.map(|((lower, upper), (may_be_null, may_have_value))| {
                let evidence = Evidence {
                    lower: bound(*lower, i64::MIN),
                    upper: bound(*upper, i64::MAX),
                    may_be_null: *may_be_null,
                    may_have_value: *may_have_value,
                    may_be_nan: false,
                };
                evidence.may_pass(test)
            }),
        )
    }

    fn datum(&self, value: i64) -> Datum {
        use PrimitiveType as P;
        match self.primitive {
            P::Timestamp | P::TimestampTz => Datum::Timestamp(value),
            P::TimestampNs | P::TimestampTzNs => Datum::TimestampNs(value),
            _ => Datum::Long(value),
        }
    }
}

/// The integer that a value is in a column of a type.
fn whole(datum: &Datum, primitive: &PrimitiveType) -> Option<i64> {
    match datum.cast(primitive)?.as_ref() {
        DatumRef::Long(value) => Some(value),
        _ => None,
    }
}

fn positions(passing: impl Iterator<Item = bool>) -> RoaringBitmap {
    let passing = (0_u32..).zip(passing).filter(|(_, passes)| *passes);
    passing.map(|(position, _)| position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn literals() -> impl Strategy<Value = Datum> {
        prop_oneof![
            (-5_i64..15).prop_map(Datum::Long),
            Just(Datum::Long(1 << 40)),
            Just(Datum::Long(i64::MIN)),
            Just(Datum::Long(i64::MAX)),
            (-5_i32..15).prop_map(|value| Datum::Double(f64::from(value) / 2.0)),
            Just(Datum::Double(f64::NAN)),
            Just(Datum::String("5".into())),
        ]
    }

    fn tests() -> impl Strategy<Value = Test> {
        let comparison = prop::sample::select(vec![
            Comparison::Eq,
            Comparison::NotEq,
            Comparison::Lt,
            Comparison::LtEq,
            Comparison::Gt,
            Comparison::GtEq,
        ]);
        prop_oneof![
            Just(Test::IsNull),
            Just(Test::IsNotNull),
            (comparison, literals()).prop_map(|(c, literal)| Test::Compare(c, literal)),
            prop::collection::vec(literals(), 0..4).prop_map(Test::In),
            prop::collection::vec(literals(), 0..4).prop_map(Test::NotIn),
            Just(Test::StartsWith("5".into())),
        ]
    }

    fn evidence(long: bool) -> impl Strategy<Value = Evidence> {
        let datum = move |value: i32| match long {
            true => Datum::Long(value.into()),
            false => Datum::Int(value),
        };
        let bound = prop::option::of((-4_i32..12).prop_map(datum));
        (bound.clone(), bound, any::<bool>(), any::<bool>()).prop_map(
            |(lower, upper, may_be_null, may_have_value)| Evidence {
                lower,
                upper,
                may_be_null,
                may_have_value,
                may_be_nan: false,
            },
        )
    }

    proptest! {
        #[test]
        fn arrays_say_what_the_evidence_says(
            is_long in any::<bool>(),
            longs in prop::collection::vec(evidence(true), 0..20),
            ints in prop::collection::vec(evidence(false), 0..20),
            test in tests(),
        ) {
            let (primitive, evidence) = match is_long {
                true => (PrimitiveType::Long, longs),
                false => (PrimitiveType::Int, ints),
            };
            let expected = positions(evidence.iter().map(|evidence| evidence.may_pass(&test)));
            let found = Ranges::new(&primitive, evidence).passing(&test);
            // An array cannot tell a missing bound from the type's end, where nothing is smaller.
            prop_assert!(found.is_subset(&expected), "{:?} {:?} {:?}", test, found, expected);
            let ends = |test: &Test| matches!(test, Test::Compare(_, Datum::Long(i64::MIN | i64::MAX)));
            prop_assert!(ends(&test) || found == expected, "{:?} {:?} {:?}", test, found, expected);
        }
    }
}
