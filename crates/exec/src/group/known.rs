//! Aggregates of a whole row group that its footer proves.

use arrow_array::ArrayRef;

use super::GroupPartial;
use crate::{
    error::Error,
    plan::{Aggregate, operand::Nulls, substitute::single},
    run::scan::{Front, WindowRows},
};

/// What is known of one aggregate.
enum Known {
    /// How many rows it counts.
    Count(u64),
    /// All values that matter to it.
    Values(Vec<ArrayRef>),
}

/// Folds in a window of all rows of a row group, when the footer tells enough of every aggregate;
/// returns how many of its rows are done.
pub(super) fn collect(
    groups: &mut GroupPartial<'_>,
    rows: &WindowRows<'_>,
) -> Result<Front, Error> {
    let (grouping, segment) = (groups.grouping(), rows.morsel.segment.segment());
    let row_count = segment.row_group(rows.morsel.row_group).row_count;
    if !grouping.keys.is_empty() || rows.window != (0..row_count) || !rows.passed.is_all() {
        return Ok(Front::default());
    }
    let nulls = groups.nulls();
    let aggregates = grouping.aggregates.iter();
    let known = aggregates.map(|aggregate| known(aggregate, nulls, rows).transpose());
    let Some(known) = known.collect::<Option<Result<Vec<_>, _>>>().transpose()? else {
        return Ok(Front::default());
    };
    for (aggregate, known) in known.into_iter().enumerate() {
        match known {
            Known::Count(count) => groups.fold_count(aggregate, count)?,
            Known::Values(values) => values
                .iter()
                .try_for_each(|values| groups.fold_values(aggregate, values))?,
        }
    }
    Ok(Front {
        rows: row_count,
        passed: row_count as u64,
    })
}

fn known(
    aggregate: &Aggregate,
    nulls: Nulls,
    rows: &WindowRows<'_>,
) -> Result<Option<Known>, Error> {
    let row_count = rows.window.len() as u64;
    let arg = match aggregate.args.as_slice() {
        _ if aggregate.filter.is_some() => return Ok(None),
        [] if aggregate.function.counts_values() => return Ok(Some(Known::Count(row_count))),
        [arg] if !arg.column_type().multi_value => arg,
        _ => return Ok(None),
    };
    let (segment, row_group) = (&rows.morsel.segment, rows.morsel.row_group);
    let slot = arg.bare_slot();
    let statistics = slot.and_then(|slot| segment.statistics(row_group, slot));
    let Some((statistics, null_count)) =
        statistics.and_then(|of| Some((of.clone(), of.null_count?)))
    else {
        return Ok(None);
    };
    if aggregate.function.counts_values() {
        return Ok(Some(Known::Count(row_count.saturating_sub(null_count))));
    }
    // Of NaN some functions make a number.
    let is_exact = statistics.exact && !statistics.may_have_nan || statistics.is_all_null();
    if !aggregate.function.is_of_extremes() || !is_exact {
        return Ok(None);
    }
    let mut values = Vec::with_capacity(3);
    if !statistics.is_all_null() {
        let (Some(min), Some(max)) = (&statistics.min, &statistics.max) else {
            return Ok(None);
        };
        values.extend([single(min)?, single(max)?]);
    }
    if nulls == Nulls::Fill && null_count > 0 {
        values.push(single(arg.default_null())?);
    }
    Ok(Some(Known::Values(values)))
}
