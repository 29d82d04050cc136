//! Groups of a whole segment, from its indexes instead of its rows.

use std::ops::Bound;

use arrow_array::{Array, ArrayRef, UInt32Array, new_null_array};
use arrow_select::{concat::concat, take::take};
use growler_base::limits;
use growler_index::{Dictionary, Error as IndexError, Kind, RowSet, ValueIndex};
use growler_schema::{DataType, Value};

use super::GroupPartial;
use crate::{
    aggregate::{Assigned, Function},
    error::Error,
    lookup::{Shortcut, shortcut::indexed},
    plan::{Operand, operand::Nulls, substitute::single},
    run::{
        Charge, Context,
        scan::{Taken, Whole},
    },
};

/// Why a segment cannot be taken whole.
enum Refused {
    /// An index is damaged; it was logged where that was found.
    Index,
    Query(Error),
}

impl From<IndexError> for Refused {
    fn from(_: IndexError) -> Self {
        Self::Index
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Query(error)
    }
}

/// Folds a segment into groups; returns what it stands for, and none when an index turned out to be
/// damaged before anything was folded.
pub(super) fn collect(
    groups: &mut GroupPartial<'_>,
    whole: &Whole<'_>,
) -> Result<Option<Taken>, Error> {
    let collected = match whole.shortcut {
        Shortcut::Count => count(groups, whole),
        Shortcut::Values => values(groups, whole),
        Shortcut::Groups => keys(groups, whole),
    };
    match collected {
        Ok(taken) => Ok(Some(taken)),
        Err(Refused::Index) => Ok(None),
        Err(Refused::Query(error)) => Err(error),
    }
}

fn count(groups: &mut GroupPartial<'_>, whole: &Whole<'_>) -> Result<Taken, Refused> {
    let row_count = u32::try_from(whole.segment.segment().row_count()).unwrap_or(u32::MAX);
    let deleted = whole.segment.deleted_rows();
    let lookups = whole.segment.lookups();
    let counted = lookups.count(whole.filter, row_count, deleted, whole.context)?;
    let counted = counted.ok_or(Refused::Index)?;
    groups.fold_row_count(&Assigned {
        row_count: usize::try_from(counted).unwrap_or(usize::MAX),
        groups: None,
        group_count: 1,
    })?;
    Ok(Taken {
        row_count: counted,
        looked_at: 0,
    })
}

/// What one aggregate is computed from.
enum Input {
    Rows(u64),
    Values(Entries),
}

/// Values out of a dictionary, and the account of their memory.
struct Entries {
    arrays: Vec<ArrayRef>,
    held: Charge,
}

impl Entries {
    fn new(whole: &Whole<'_>) -> Self {
        Self {
            arrays: Vec::new(),
            held: whole.context.budget.charge("index look-ups"),
        }
    }

    fn push(&mut self, values: ArrayRef) -> Result<(), Error> {
        self.held.add(values.get_array_memory_size())?;
        self.arrays.push(values);
        Ok(())
    }
}

fn values(groups: &mut GroupPartial<'_>, whole: &Whole<'_>) -> Result<Taken, Refused> {
    let (nulls, row_count) = (groups.nulls(), whole.segment.segment().row_count() as u64);
    let mut inputs = Vec::new();
    for aggregate in &groups.grouping().aggregates {
        inputs.push(match aggregate.args.as_slice() {
            [] => Input::Rows(row_count),
            [arg] if aggregate.function.counts_values() => {
                let indexed = indexed(whole.segment, arg, &[]).ok_or(Refused::Index)?;
                let null_count = indexed.null_count().ok_or(Refused::Index)?;
                Input::Rows(row_count.saturating_sub(null_count.into()))
            }
            [arg] => Input::Values(distinct(whole, &aggregate.function, arg, nulls)?),
            _ => return Err(Refused::Index),
        });
    }
    for (aggregate, input) in inputs.into_iter().enumerate() {
        match input {
            Input::Rows(count) => groups.fold_count(aggregate, count)?,
            Input::Values(values) => values
                .arrays
                .iter()
                .try_for_each(|values| groups.fold_values(aggregate, values))?,
        }
    }
    Ok(Taken {
        row_count,
        looked_at: 0,
    })
}

/// Returns the distinct values of an operand that matter, with what nulls stand for.
fn distinct(
    whole: &Whole<'_>,
    function: &Function,
    operand: &Operand,
    nulls: Nulls,
) -> Result<Entries, Refused> {
    let indexed = indexed(whole.segment, operand, &[Kind::Dictionary]).ok_or(Refused::Index)?;
    let dictionary = indexed.dictionary()?.ok_or(Refused::Index)?;
    let mut entries = Entries::new(whole);
    match function.is_of_extremes() {
        true => push_extremes(&mut entries, &dictionary)?,
        false => push_all(&mut entries, &dictionary, whole.context)?,
    }
    if nulls == Nulls::Fill && indexed.null_count() != Some(0) {
        entries.push(single(operand.default_null())?)?;
    }
    Ok(entries)
}

/// Adds the first and the last value; behind the last number NaN may come.
fn push_extremes(entries: &mut Entries, dictionary: &Dictionary<'_>) -> Result<(), Refused> {
    let infinity = match dictionary.data_type() {
        DataType::Float => Some(Value::Float(f32::INFINITY)),
        DataType::Double => Some(Value::Double(f64::INFINITY)),
        _ => None,
    };
    let len = dictionary.len();
    let numbers = match &infinity {
        Some(infinity) => {
            dictionary
                .rank_range(Bound::Unbounded, Bound::Included(infinity))?
                .end
        }
        None => len,
    };
    let mut ranks = vec![0, numbers.saturating_sub(1), len.saturating_sub(1)];
    ranks.dedup();
    for rank in ranks.into_iter().filter(|rank| *rank < len) {
        entries.push(dictionary.values(rank..rank + 1)?)?;
    }
    Ok(())
}

fn push_all(
    entries: &mut Entries,
    dictionary: &Dictionary<'_>,
    context: &Context,
) -> Result<(), Refused> {
    let mut start = 0;
    while start < dictionary.len() {
        context.check()?;
        let end = dictionary
            .len()
            .min(start.saturating_add(limits::INDEX_DICTIONARY_BATCH));
        entries.push(dictionary.values(start..end)?)?;
        start = end;
    }
    Ok(())
}

fn keys(groups: &mut GroupPartial<'_>, whole: &Whole<'_>) -> Result<Taken, Refused> {
    let [key] = groups.grouping().keys.as_slice() else {
        return Err(Refused::Index);
    };
    let kinds = [Kind::Dictionary, Kind::Inverted];
    let indexed = indexed(whole.segment, key, &kinds).ok_or(Refused::Index)?;
    let dictionary = indexed.dictionary()?.ok_or(Refused::Index)?;
    let mut entries = Entries::new(whole);
    push_all(&mut entries, &dictionary, whole.context)?;
    let counts_bytes = size_of::<i64>() + size_of::<u32>();
    entries
        .held
        .add(counts_bytes.saturating_mul(dictionary.len() as usize))?;
    let counts = indexed.counts(0..dictionary.len())?;
    let mut counts: Vec<i64> = counts.into_iter().map(i64::from).collect();
    let mut first_rows = first_rows(&indexed, dictionary.len(), whole.context)?;
    let null_count = indexed.null_count().ok_or(Refused::Index)?;
    if null_count > 0 {
        let null = match groups.nulls() {
            Nulls::Keep => new_null_array(&key.column_type().data_type.arrow_type(), 1),
            Nulls::Fill => single(key.default_null())?,
        };
        entries.push(null)?;
        counts.push(null_count.into());
        first_rows.push(first(&indexed.nulls()?)?);
    }
    let taken = Taken {
        row_count: whole.segment.segment().row_count() as u64,
        looked_at: first_rows.len() as u64,
    };
    if entries.arrays.is_empty() {
        return Ok(taken);
    }
    // Groups are numbered in the order of rows, whatever finds them.
    let mut order: Vec<u32> = (0..u32::try_from(first_rows.len()).unwrap_or(u32::MAX)).collect();
    let first_row = |entry: u32| first_rows.get(entry as usize).copied();
    order.sort_unstable_by_key(|&entry| first_row(entry));
    let counts: Vec<i64> = order
        .iter()
        .map(|&entry| counts.get(entry as usize).copied().unwrap_or(0))
        .collect();
    groups.fold_groups(&ordered(&entries.arrays, order)?, &counts)?;
    Ok(taken)
}

/// Returns the first row of each value.
fn first_rows(indexed: &ValueIndex<'_>, len: u32, context: &Context) -> Result<Vec<u32>, Refused> {
    let first_row = |rank: u32| {
        context.check()?;
        first(&indexed.rows(std::slice::from_ref(&(rank..rank + 1)))?)
    };
    (0..len).map(first_row).collect()
}

fn first(rows: &RowSet) -> Result<u32, Refused> {
    rows.iter().next().ok_or(Refused::Index)
}

fn ordered(arrays: &[ArrayRef], order: Vec<u32>) -> Result<ArrayRef, Error> {
    let internal = |error: arrow_schema::ArrowError| Error::Internal(error.to_string());
    let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
    let all = concat(&arrays).map_err(internal)?;
    take(&all, &UInt32Array::from(order), None).map_err(internal)
}
