//! Evidence of many files, one beside the other.
//!
//! Whole numbers, dates and times are kept as two arrays of 64-bit integers, so that ten thousand
//! files stay in the processor's cache; everything else as it is. Files that were written one after the
//! other often hold values that are near each other: of 64 together, a zone, is known where their bounds
//! lie, which mostly tells at once that all of them are kept, or none.

use super::Evidence;
use super::file_set::{FileSet, WORD_FILES, retained};
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
    zones: Box<[Zone]>,
}

/// Where the bounds of 64 files lie that may have values.
#[derive(Debug, Clone, Copy)]
struct Zone {
    least_lower: i64,
    most_lower: i64,
    least_upper: i64,
    most_upper: i64,
    /// Files that may have values, a bit each.
    valued: u64,
}

/// A condition on bounds: the lower one is no larger than the one, the upper one no smaller than the
/// other.
#[derive(Debug, Clone, Copy)]
struct Reach {
    lower_most: i64,
    upper_least: i64,
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
        match is_count || is_instant {
            true => Self::Whole(WholeRanges::new(primitive, &evidence)),
            false => Self::Any(evidence.into()),
        }
    }

    /// Keeps the positions whose values may pass a test.
    pub(crate) fn narrow(&self, test: &Test, files: &mut FileSet) {
        match self {
            Self::Any(evidence) => files.retain(|position| {
                let evidence = evidence.get(position);
                evidence.is_none_or(|evidence| evidence.may_pass(test))
            }),
            Self::Whole(ranges) => ranges.narrow(test, files),
        }
    }
}

impl WholeRanges {
    fn new(primitive: &PrimitiveType, evidence: &[Evidence]) -> Self {
        let bound = |bound: &Option<Datum>, end: i64| {
            let bound = bound.as_ref().and_then(|bound| whole(bound, primitive));
            bound.unwrap_or(end)
        };
        let mut ranges = Self {
            lower: evidence.iter().map(|e| bound(&e.lower, i64::MIN)).collect(),
            upper: evidence.iter().map(|e| bound(&e.upper, i64::MAX)).collect(),
            may_be_null: evidence.iter().map(|e| e.may_be_null).collect(),
            may_have_value: evidence.iter().map(|e| e.may_have_value).collect(),
            zones: Box::default(),
            primitive: primitive.clone(),
        };
        let zones = ranges.lower.chunks(WORD_FILES);
        let zones = zones.zip(ranges.upper.chunks(WORD_FILES));
        let zones = zones.zip(ranges.may_have_value.chunks(WORD_FILES));
        ranges.zones = zones
            .map(|((lower, upper), valued)| Zone::of(lower, upper, valued))
            .collect();
        ranges
    }

    fn narrow(&self, test: &Test, files: &mut FileSet) {
        let exact = |literal: &Datum| whole(literal, &self.primitive);
        match test {
            Test::IsNull => files.retain(|at| self.may_be_null.get(at).is_none_or(|is| *is)),
            Test::IsNotNull => files.narrow_words(|zone, _| self.valued(zone)),
            Test::Compare(Comparison::NotEq, literal) => match exact(literal) {
                Some(literal) => {
                    self.narrow_ranges(files, |lower, upper| lower != literal || upper != literal);
                }
                None => self.one_by_one(test, files),
            },
            Test::Compare(comparison, literal) => match exact(literal) {
                Some(literal) => match Reach::of(*comparison, literal) {
                    Some(reach) => self.reaching(reach, files),
                    None => files.narrow_words(|_, _| 0),
                },
                None => self.one_by_one(test, files),
            },
            Test::In(literals) => {
                let exact: Option<Vec<i64>> = literals.iter().map(exact).collect();
                match exact {
                    Some(literals) => self.containing(literals, files),
                    None => self.one_by_one(test, files),
                }
            }
            Test::NotIn(_) | Test::StartsWith(_) => self.one_by_one(test, files),
        }
    }

    fn valued(&self, zone: usize) -> u64 {
        self.zones.get(zone).map_or(u64::MAX, |zone| zone.valued)
    }

    fn reaching(&self, reach: Reach, files: &mut FileSet) {
        self.narrow_zones(
            files,
            |zone| reach.of_zone(zone),
            |lower, upper| lower <= reach.lower_most && upper >= reach.upper_least,
        );
    }

    fn containing(&self, mut literals: Vec<i64>, files: &mut FileSet) {
        literals.sort_unstable();
        let within = |lower: i64, upper: i64| {
            let first = literals.partition_point(|literal| *literal < lower);
            literals.get(first).is_some_and(|literal| *literal <= upper)
        };
        let of_zone = |zone: &Zone| match within(zone.least_lower, zone.most_upper) {
            true => None,
            false => Some(false),
        };
        self.narrow_zones(files, of_zone, within);
    }

    fn narrow_ranges(&self, files: &mut FileSet, may_pass: impl Fn(i64, i64) -> bool) {
        self.narrow_zones(files, |_| None, may_pass);
    }

    /// Asks of each zone whether all of it passes, or none, and where neither is known of each file.
    fn narrow_zones(
        &self,
        files: &mut FileSet,
        of_zone: impl Fn(&Zone) -> Option<bool>,
        may_pass: impl Fn(i64, i64) -> bool,
    ) {
        files.narrow_words(|number, word| {
            let Some(zone) = self.zones.get(number) else {
                return word;
            };
            match of_zone(zone) {
                Some(true) => zone.valued,
                Some(false) => 0,
                None => {
                    let first = number.saturating_mul(WORD_FILES);
                    retained(word & zone.valued, |bit| {
                        let at = first.saturating_add(bit);
                        let range = self.lower.get(at).zip(self.upper.get(at));
                        range.is_none_or(|(lower, upper)| may_pass(*lower, *upper))
                    })
                }
            }
        });
    }

    /// For literals that are no value of the type.
    fn one_by_one(&self, test: &Test, files: &mut FileSet) {
        let bound = |value: &i64, end: i64| (*value != end).then(|| self.datum(*value));
        files.retain(|at| {
            let flags = self.may_be_null.get(at).zip(self.may_have_value.get(at));
            let range = self.lower.get(at).zip(self.upper.get(at));
            let Some(((lower, upper), (may_be_null, may_have_value))) = range.zip(flags) else {
                return true;
            };
            let evidence = Evidence {
                lower: bound(lower, i64::MIN),
                upper: bound(upper, i64::MAX),
                may_be_null: *may_be_null,
                may_have_value: *may_have_value,
                may_be_nan: false,
            };
            evidence.may_pass(test)
        });
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

impl Zone {
    fn of(lower: &[i64], upper: &[i64], may_have_value: &[bool]) -> Self {
        let mut zone = Self {
            least_lower: i64::MAX,
            most_lower: i64::MIN,
            least_upper: i64::MAX,
            most_upper: i64::MIN,
            valued: 0,
        };
        for (bit, ((lower, upper), has_value)) in
            (0_u32..).zip(lower.iter().zip(upper).zip(may_have_value))
        {
            if *has_value {
                zone.least_lower = zone.least_lower.min(*lower);
                zone.most_lower = zone.most_lower.max(*lower);
                zone.least_upper = zone.least_upper.min(*upper);
                zone.most_upper = zone.most_upper.max(*upper);
                zone.valued |= 1_u64.wrapping_shl(bit);
            }
        }
        zone
    }
}

impl Reach {
    /// Returns the condition of a comparison; none when nothing passes, or for one that is no such
    /// condition.
    fn of(comparison: Comparison, literal: i64) -> Option<Self> {
        let (lower_most, upper_least) = match comparison {
            Comparison::Eq => (literal, literal),
            Comparison::Lt => (literal.checked_sub(1)?, i64::MIN),
            Comparison::LtEq => (literal, i64::MIN),
            Comparison::Gt => (i64::MAX, literal.checked_add(1)?),
            Comparison::GtEq => (i64::MAX, literal),
            Comparison::NotEq => return None,
        };
        Some(Self {
            lower_most,
            upper_least,
        })
    }

    fn of_zone(self, zone: &Zone) -> Option<bool> {
        if zone.least_lower > self.lower_most || zone.most_upper < self.upper_least {
            return Some(false);
        }
        let all = zone.most_lower <= self.lower_most && zone.least_upper >= self.upper_least;
        all.then_some(true)
    }
}

/// The integer that a value is in a column of a type.
fn whole(datum: &Datum, primitive: &PrimitiveType) -> Option<i64> {
    match datum.cast(primitive)?.as_ref() {
        DatumRef::Long(value) => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use roaring::RoaringBitmap;

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
        // Narrow now and then, so that all of a zone passes, or none.
        let bound = prop::option::weighted(0.9, prop_oneof![-4_i32..12, 5_i32..7].prop_map(datum));
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
            longs in prop::collection::vec(evidence(true), 0..200),
            ints in prop::collection::vec(evidence(false), 0..200),
            test in tests(),
        ) {
            let (primitive, evidence) = match is_long {
                true => (PrimitiveType::Long, longs),
                false => (PrimitiveType::Int, ints),
            };
            let passing = (0_u32..).zip(&evidence).filter(|(_, evidence)| evidence.may_pass(&test));
            let expected: RoaringBitmap = passing.map(|(position, _)| position).collect();
            let mut found = FileSet::all(evidence.len());
            Ranges::new(&primitive, evidence).narrow(&test, &mut found);
            let found = found.to_bitmap();
            // An array cannot tell a missing bound from the type's end, where nothing is smaller.
            prop_assert!(found.is_subset(&expected), "{:?} {:?} {:?}", test, found, expected);
            let ends = |test: &Test| matches!(test, Test::Compare(_, Datum::Long(i64::MIN | i64::MAX)));
            prop_assert!(ends(&test) || found == expected, "{:?} {:?} {:?}", test, found, expected);
        }
    }
}
