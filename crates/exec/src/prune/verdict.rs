//! What is known about a filter's rows without reading them.

use growler_base::RowGroupIdx;
use growler_segment::Statistics;

use crate::{
    filter::{Filter, Leaf, Predicate, leaf::OnNull},
    lookup::Answer,
    plan::BoundSegment,
};

/// How much of some rows a set holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// No row.
    None,
    /// Every row.
    All,
    /// Nobody knows without reading.
    Unknown,
}

/// What is known of a predicate's two sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Rows where it is true.
    pub trues: Extent,
    /// Rows where it is null.
    pub nulls: Extent,
}

use Extent::{All, None as Nothing, Unknown};

impl Verdict {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self {
        trues: Unknown,
        nulls: Unknown,
    };
    /// True everywhere.
    pub const TRUE: Self = Self {
        trues: All,
        nulls: Nothing,
    };
    /// False everywhere.
    pub const FALSE: Self = Self {
        trues: Nothing,
        nulls: Nothing,
    };

    /// Returns how many rows are false.
    fn falses(self) -> Extent {
        match (self.trues, self.nulls) {
            (All, _) | (_, All) => Nothing,
            (Nothing, Nothing) => All,
            _ => Unknown,
        }
    }

    fn not(self) -> Self {
        Self {
            trues: self.falses(),
            nulls: self.nulls,
        }
    }
}

/// Returns what indexes and the footer prove about a filter in one row group.
pub fn verdict(filter: &Filter, segment: &BoundSegment, row_group: RowGroupIdx) -> Verdict {
    match filter {
        Filter::Constant(Some(true)) => Verdict::TRUE,
        Filter::Constant(Some(false)) => Verdict::FALSE,
        Filter::Constant(None) => Verdict {
            trues: Nothing,
            nulls: All,
        },
        Filter::Leaf(leaf) => leaf_verdict(leaf, segment, row_group),
        Filter::And(children) => {
            let verdicts = children
                .iter()
                .map(|child| verdict(child, segment, row_group));
            verdicts.reduce(and).unwrap_or(Verdict::TRUE)
        }
        Filter::Or(children) => {
            let verdicts = children
                .iter()
                .map(|child| verdict(child, segment, row_group).not());
            verdicts.reduce(and).unwrap_or(Verdict::TRUE).not()
        }
        Filter::Not(child) => verdict(child, segment, row_group).not(),
    }
}

fn and(a: Verdict, b: Verdict) -> Verdict {
    let trues = match (a.trues, b.trues) {
        (Nothing, _) | (_, Nothing) => Nothing,
        (All, other) | (other, All) => other,
        _ => Unknown,
    };
    let nulls = match (a, b) {
        _ if a.falses() == All || b.falses() == All || trues == All => Nothing,
        _ if a.nulls == Nothing && b.nulls == Nothing => Nothing,
        (Verdict { trues: All, .. }, other) | (other, Verdict { trues: All, .. }) => other.nulls,
        _ if a.nulls == All && b.nulls == All => All,
        _ => Unknown,
    };
    Verdict { trues, nulls }
}

/// Returns what indexes, or else the footer, prove about one predicate in one row group.
pub fn leaf_verdict(leaf: &Leaf, segment: &BoundSegment, row_group: RowGroupIdx) -> Verdict {
    let answer = segment.lookups().answer(leaf);
    let known = answer.map_or(Verdict::UNKNOWN, Answer::verdict);
    if known.trues != Unknown {
        return known;
    }
    let slot = match &leaf.predicate {
        Predicate::Test { operand, .. } | Predicate::IsNull { operand, .. } => operand.bare_slot(),
        Predicate::Boolean(_) => None,
    };
    match slot.and_then(|slot| segment.statistics(row_group, slot)) {
        Some(statistics) => of_statistics(&leaf.predicate, &statistics),
        None => Verdict::UNKNOWN,
    }
}

/// Returns what statistics of its value prove about a predicate.
pub fn of_statistics(predicate: &Predicate, statistics: &Statistics) -> Verdict {
    let is_all = statistics.null_count == u64::try_from(statistics.row_count).ok();
    let nulls = match statistics.null_count {
        Some(0) => Nothing,
        Some(_) if is_all => All,
        _ => Unknown,
    };
    match predicate {
        Predicate::IsNull { negated, .. } => {
            let is_null = Verdict {
                trues: nulls,
                nulls: Nothing,
            };
            if *negated { is_null.not() } else { is_null }
        }
        Predicate::Test {
            test,
            on_null,
            is_convex,
            ..
        } => {
            let (min, max) = (statistics.min.as_ref(), statistics.max.as_ref());
            let values = if nulls == All || !test.may_match(min, max) {
                Nothing
            } else if test.verdict() == Some(true) {
                All
            } else {
                match (min, max) {
                    (Some(min), Some(max))
                        if !statistics.may_have_nan
                            && (*is_convex || min == max)
                            && test.matches(min)
                            && test.matches(max) =>
                    {
                        All
                    }
                    _ => Unknown,
                }
            };
            of_parts(values, nulls, *on_null)
        }
        Predicate::Boolean(_) => Verdict::UNKNOWN,
    }
}

/// Joins how many of the values pass with how many rows are null.
fn of_parts(values: Extent, nulls: Extent, on_null: OnNull) -> Verdict {
    match on_null {
        OnNull::Null => {
            let trues = match (values, nulls) {
                (Nothing, _) | (_, All) => Nothing,
                (All, Nothing) => All,
                _ => Unknown,
            };
            Verdict { trues, nulls }
        }
        OnNull::Constant(passes) => {
            let trues = match (values, nulls, passes) {
                (_, All, true) => All,
                (_, All, false) => Nothing,
                (All, _, true) | (All, Nothing, false) => All,
                (Nothing, _, false) | (Nothing, Nothing, true) => Nothing,
                _ => Unknown,
            };
            Verdict {
                trues,
                nulls: Nothing,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTENTS: [Extent; 3] = [Nothing, All, Unknown];

    /// Lists the truth values that rows may have under a verdict: false, null, true.
    fn allowed(verdict: Verdict) -> [bool; 3] {
        let no_true = verdict.trues == Nothing || verdict.nulls == All;
        let no_null = verdict.nulls == Nothing || verdict.trues == All;
        let no_false = verdict.falses() == Nothing;
        [!no_false, !no_null, !no_true]
    }

    #[test]
    fn conjunctions_never_claim_what_rows_can_refute() {
        let verdicts = || {
            EXTENTS
                .into_iter()
                .flat_map(|trues| EXTENTS.map(|nulls| Verdict { trues, nulls }))
        };
        // A contradiction describes no rows.
        let possible = |verdict: &Verdict| !(verdict.trues == All && verdict.nulls == All);
        for a in verdicts().filter(possible) {
            for b in verdicts().filter(possible) {
                let both = and(a, b);
                for (left, _) in allowed(a).iter().enumerate().filter(|(_, may)| **may) {
                    for (right, _) in allowed(b).iter().enumerate().filter(|(_, may)| **may) {
                        assert!(allowed(both)[left.min(right)], "{a:?} {b:?} {both:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn nulls_follow_the_default_when_handling_is_off() {
        let off = |values, nulls, passes| of_parts(values, nulls, OnNull::Constant(passes)).trues;
        assert_eq!(off(Nothing, Nothing, true), Nothing);
        assert_eq!(off(Nothing, Unknown, true), Unknown);
        assert_eq!(off(Nothing, Unknown, false), Nothing);
        assert_eq!(off(All, Unknown, true), All);
        assert_eq!(off(All, Unknown, false), Unknown);
        assert_eq!(off(Nothing, All, true), All);
        assert_eq!(of_parts(All, Unknown, OnNull::Null).trues, Unknown);
        assert_eq!(of_parts(Nothing, Unknown, OnNull::Null).trues, Nothing);
    }
}
