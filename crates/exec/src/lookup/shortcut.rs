//! Aggregates that dictionaries and counts answer without a row being read.

use growler_base::limits;
use growler_index::{Kind, ValueIndex};
use growler_schema::{DataType, Value};

use crate::plan::{Aggregate, BoundSegment, Grouping, Operand, Plan, Shape};

/// Distinct values that are always looked at rather than rows.
const FEW_VALUES: u32 = 4096;
/// From how many rows a value on the distinct values are fewer enough to look at.
const ROWS_A_VALUE: u32 = 4;

/// How a segment's part of the groups is found without its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortcut {
    /// The number of rows that pass a filter which indexes answer.
    Count,
    /// Aggregates over all rows that only depend on which values there are.
    Values,
    /// The groups of one key over all rows, counted.
    Groups,
}

impl Shortcut {
    /// Returns the shortcut of a plan in a segment, when there is one.
    pub fn of(plan: &Plan, segment: &BoundSegment) -> Option<Self> {
        let Shape::Group(grouping) = &plan.shape else {
            return None;
        };
        if !plan.filter.is_true() {
            let counts = grouping.only_counts_rows() && segment.lookups().covers(&plan.filter);
            return counts.then_some(Self::Count);
        }
        // Dictionaries and their counts know nothing of rows that are gone.
        if segment.deleted_rows().is_some() {
            return None;
        }
        match grouping.keys.as_slice() {
            [] => {
                let mut aggregates = grouping.aggregates.iter();
                let all = aggregates.all(|aggregate| is_of_values(aggregate, segment));
                (all && !grouping.aggregates.is_empty()).then_some(Self::Values)
            }
            [key] => Self::of_key(plan, grouping, key, segment),
            _ => None,
        }
    }

    fn of_key(
        plan: &Plan,
        grouping: &Grouping,
        key: &Operand,
        segment: &BoundSegment,
    ) -> Option<Self> {
        let counts = |aggregate: &Aggregate| {
            aggregate.filter.is_none() && aggregate.function.counts_rows(&aggregate.arg_types())
        };
        if !grouping.aggregates.iter().all(counts) {
            return None;
        }
        let values = indexed(segment, key, &[Kind::Dictionary, Kind::Inverted])?;
        let distinct = values.distinct_count()?;
        let few = distinct <= FEW_VALUES;
        // A scan for any few groups ends with the first rows.
        let worth = few || !plan.any_groups_do() && distinct < values.row_count() / ROWS_A_VALUE;
        (worth && distinct <= limits::INDEX_SHORTCUT_VALUES).then_some(Self::Groups)
    }
}

/// Tells whether an aggregate over all rows follows from the distinct values and the count of nulls.
fn is_of_values(aggregate: &Aggregate, segment: &BoundSegment) -> bool {
    if aggregate.filter.is_some() {
        return false;
    }
    let function = &aggregate.function;
    match aggregate.args.as_slice() {
        [] => function.counts_rows(&aggregate.arg_types()),
        [arg] if function.counts_values() => indexed(segment, arg, &[]).is_some(),
        [arg] if function.ignores_repeats() => {
            let values = indexed(segment, arg, &[Kind::Dictionary]);
            values.is_some_and(|values| {
                let is_short = |count| count <= limits::INDEX_SHORTCUT_VALUES;
                let reads_few =
                    function.is_of_extremes() || values.distinct_count().is_some_and(is_short);
                reads_few && has_one_zero(&values)
            })
        }
        _ => false,
    }
}

/// Returns what is indexed of an operand, when it has some kinds and all values are in them.
pub fn indexed<'s>(
    segment: &'s BoundSegment,
    operand: &Operand,
    kinds: &[Kind],
) -> Option<ValueIndex<'s>> {
    let (place, values) = segment.lookups().values(operand.bare_slot()?)?;
    let has = |kind: &Kind| place.allows(*kind) && values.has(*kind);
    let whole = values.other_count() == 0 && values.null_count().is_some();
    (whole && place.allows(Kind::Nulls) && kinds.iter().all(has)).then_some(values)
}

/// Tells whether zero has no second form: of two equal zeros an aggregate keeps the first.
fn has_one_zero(values: &ValueIndex<'_>) -> bool {
    let zero = match values.data_type() {
        DataType::Float => Value::Float(-0.0),
        DataType::Double => Value::Double(-0.0),
        _ => return true,
    };
    let dictionary = values.dictionary().ok().flatten();
    dictionary.is_some_and(|dictionary| matches!(dictionary.rank(&zero), Ok(None)))
}
