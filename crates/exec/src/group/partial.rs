//! Groups of some rows, with the states of their aggregates.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, UInt32Array, cast::AsArray};
use arrow_schema::DataType as ArrowType;
use arrow_select::{filter::filter, take::take};

use super::{Grouper, encoded, explode, known, whole};
use crate::{
    aggregate::{Accumulator, Assigned, Function, GroupMap, Repeated},
    error::Error,
    expr::InputBatch,
    plan::{Aggregate, Grouping, Operand, operand::Nulls, substitute::fill_nulls},
    run::{
        Charge, MemoryBudget,
        scan::{Collector, Front, Matched, Taken, Wanted, Whole, WindowRows},
    },
};

/// Groups of the rows of one morsel, or of all morsels so far.
pub struct GroupPartial<'p> {
    grouping: &'p Grouping,
    nulls: Nulls,
    grouper: Grouper,
    states: Vec<Box<dyn Accumulator>>,
    charge: Charge,
    groups: Vec<u32>,
    /// Groups after which no further row matters.
    enough: Option<usize>,
}

impl<'p> GroupPartial<'p> {
    /// Starts without rows. `enough` tells how many groups do when any will do.
    pub fn new(
        grouping: &'p Grouping,
        nulls: Nulls,
        budget: &MemoryBudget,
        enough: Option<usize>,
    ) -> Self {
        let types: Vec<_> = grouping
            .keys
            .iter()
            .map(|key| key.column_type().data_type)
            .collect();
        let states = grouping
            .aggregates
            .iter()
            .map(|aggregate| aggregate.function.accumulator(&aggregate.arg_types()));
        Self {
            grouping,
            nulls,
            grouper: Grouper::new(&types),
            states: states.collect(),
            charge: budget.charge("groups"),
            groups: Vec::new(),
            enough,
        }
    }

    /// Returns how many groups there are.
    pub fn len(&self) -> usize {
        self.grouper.len()
    }

    /// Folds in groups of rows that come after all rows so far; groups beyond `limit` are dropped.
    /// Returns whether some were.
    ///
    /// # Errors
    /// [`Error::Memory`] when there is no room for them.
    pub fn merge(&mut self, other: Self, limit: usize) -> Result<bool, Error> {
        self.groups.clear();
        let keys = other.grouper.keys()?;
        self.grouper
            .intern(&keys, other.grouper.len(), &mut self.groups)?;
        let kept = |&group: &u32| ((group as usize) < limit).then_some(group);
        let groups: Vec<_> = self.groups.iter().map(kept).collect();
        let map = GroupMap {
            groups: &groups,
            group_count: self.grouper.len().min(limit),
        };
        for (state, theirs) in self.states.iter_mut().zip(other.states) {
            state.merge(theirs, &map)?;
        }
        self.measure()?;
        Ok(self.grouper.len() > limit)
    }

    /// Folds in rows that no aggregate looks at.
    ///
    /// # Errors
    /// [`Error::Internal`] when an aggregate does.
    pub fn fold_row_count(&mut self, assigned: &Assigned<'_>) -> Result<(), Error> {
        self.states
            .iter_mut()
            .try_for_each(|state| state.update(&[], assigned))
    }

    /// Folds in values of the argument of one aggregate, all of the one group without keys.
    ///
    /// # Errors
    /// [`Error::Internal`] when the aggregate is for other values.
    pub(super) fn fold_values(&mut self, aggregate: usize, values: &ArrayRef) -> Result<(), Error> {
        let assigned = Assigned {
            row_count: values.len(),
            groups: None,
            group_count: 1,
        };
        match self.states.get_mut(aggregate) {
            Some(state) => state.update(std::slice::from_ref(values), &assigned)?,
            None => return Err(Error::Internal("no such aggregate".to_owned())),
        }
        self.measure()
    }

    /// Folds in a number of rows of one aggregate, a COUNT, all of the one group without keys.
    ///
    /// # Errors
    /// [`Error::Internal`] when the aggregate is no COUNT.
    pub(super) fn fold_count(&mut self, aggregate: usize, count: u64) -> Result<(), Error> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let map = GroupMap {
            groups: &[Some(0)],
            group_count: 1,
        };
        match self.states.get_mut(aggregate) {
            Some(state) => state.merge(Function::counted(vec![count]), &map),
            None => Err(Error::Internal("no such aggregate".to_owned())),
        }
    }

    /// Folds in rows by their key, so many of each, in the order in which they first appear; all
    /// aggregates count rows.
    ///
    /// # Errors
    /// [`Error::Memory`] when there is no room for them.
    pub(super) fn fold_groups(&mut self, keys: &ArrayRef, counts: &[i64]) -> Result<(), Error> {
        self.groups.clear();
        self.grouper
            .intern(std::slice::from_ref(keys), keys.len(), &mut self.groups)?;
        let groups: Vec<_> = self.groups.iter().map(|&group| Some(group)).collect();
        let map = GroupMap {
            groups: &groups,
            group_count: self.grouper.len(),
        };
        for state in &mut self.states {
            state.merge(Function::counted(counts.to_vec()), &map)?;
        }
        self.measure()
    }

    /// Returns the group of each of some keys, one array a key; new ones are numbered in their order.
    ///
    /// # Errors
    /// [`Error::Internal`] when an array is of another type.
    pub(super) fn number(&mut self, keys: &[ArrayRef], row_count: usize) -> Result<&[u32], Error> {
        self.groups.clear();
        self.grouper.intern(keys, row_count, &mut self.groups)?;
        Ok(&self.groups)
    }

    /// Folds values of one aggregate's argument in, each with its group and the number of rows that
    /// have it; no groups when all are in the one without keys.
    ///
    /// # Errors
    /// [`Error::Internal`] when the aggregate is for other values, [`Error::Memory`] when there is no
    /// room for all of them.
    pub(super) fn fold_repeated(
        &mut self,
        aggregate: usize,
        args: &[ArrayRef],
        groups: Option<&[u32]>,
        counts: &[u64],
    ) -> Result<(), Error> {
        let assigned = Assigned {
            row_count: counts.len(),
            groups,
            group_count: self.grouper.len(),
        };
        let function = self.grouping.aggregates.get(aggregate);
        if function.is_some_and(|aggregate| aggregate.function.keeps_values()) {
            // Before there are so many of them.
            let values: u64 = counts.iter().sum();
            let values = usize::try_from(values).unwrap_or(usize::MAX);
            self.charge.add(values.saturating_mul(size_of::<f64>()))?;
        }
        let state = self.states.get_mut(aggregate);
        let state = state.ok_or_else(|| Error::Internal("no such aggregate".to_owned()))?;
        state.update_repeated(args, &Repeated { assigned, counts })
    }

    /// Returns what is computed for each group.
    pub(super) fn grouping(&self) -> &'p Grouping {
        self.grouping
    }

    /// Returns what becomes of nulls.
    pub(super) fn nulls(&self) -> Nulls {
        self.nulls
    }

    /// Tells whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.grouper.is_empty()
    }

    /// Returns the keys and aggregates of the first `limit` groups, one array a column, and how many
    /// groups these are.
    ///
    /// # Errors
    /// [`Error::Execution`] when a result does not fit its type.
    pub fn finish(mut self, limit: usize) -> Result<(Vec<ArrayRef>, usize), Error> {
        let group_count = self.grouper.len().min(limit);
        // Makes the states of groups that no row was folded into.
        self.grow(group_count)?;
        let keys = self.grouper.keys()?;
        let mut columns: Vec<_> = keys.iter().map(|key| key.slice(0, group_count)).collect();
        for state in &mut self.states {
            columns.push(state.finish()?);
        }
        Ok((columns, group_count))
    }

    fn grow(&mut self, group_count: usize) -> Result<(), Error> {
        let map = GroupMap {
            groups: &[],
            group_count,
        };
        for (state, aggregate) in self.states.iter_mut().zip(&self.grouping.aggregates) {
            state.merge(aggregate.function.accumulator(&aggregate.arg_types()), &map)?;
        }
        Ok(())
    }

    /// Charges what is held.
    ///
    /// # Errors
    /// [`Error::Memory`] when there is no room for it.
    pub(super) fn measure(&mut self) -> Result<(), Error> {
        let states: usize = self.states.iter().map(|state| state.size_bytes()).sum();
        let groups = self.groups.capacity() * size_of::<u32>();
        self.charge.set(self.grouper.size_bytes() + states + groups)
    }

    /// Numbers the groups of a batch; the result tells the row of each, when keys are multi-value.
    fn assign(&mut self, batch: &InputBatch) -> Result<Option<UInt32Array>, Error> {
        self.groups.clear();
        let keys = self
            .grouping
            .keys
            .iter()
            .map(|key| key.evaluate(batch, self.nulls));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        let Some(exploded) = explode(&keys, batch.row_count)? else {
            self.grouper
                .intern(&keys, batch.row_count, &mut self.groups)?;
            return Ok(None);
        };
        let filled = exploded
            .keys
            .iter()
            .zip(&self.grouping.keys)
            .map(|(array, key)| {
                match self.nulls {
                    Nulls::Keep => Ok(array.clone()),
                    // An empty list has no value to fill before it is taken apart.
                    Nulls::Fill => fill_nulls(array, key.default_null()),
                }
            });
        let filled = filled.collect::<Result<Vec<_>, _>>()?;
        self.grouper
            .intern(&filled, exploded.rows.len(), &mut self.groups)?;
        Ok(Some(exploded.rows))
    }
}

impl Collector for GroupPartial<'_> {
    fn collect(&mut self, matched: &Matched) -> Result<usize, Error> {
        let batch = &matched.batch;
        let is_grouped = !self.grouping.keys.is_empty();
        let rows = if is_grouped {
            self.assign(batch)?
        } else {
            None
        };
        let group_count = self.grouper.len();
        for (state, aggregate) in self.states.iter_mut().zip(&self.grouping.aggregates) {
            let (args, passed) = arguments(aggregate, batch, rows.as_ref(), self.nulls)?;
            let groups = is_grouped.then_some(self.groups.as_slice());
            let row_count = rows.as_ref().map_or(batch.row_count, |rows| rows.len());
            let folded = Folded {
                args,
                groups,
                row_count,
                group_count,
            };
            folded.fold(state.as_mut(), aggregate, passed.as_ref(), self.nulls)?;
        }
        self.measure()?;
        Ok(batch.row_count)
    }

    fn collect_whole(&mut self, whole: &Whole<'_>) -> Result<Option<Taken>, Error> {
        whole::collect(self, whole)
    }

    fn collect_front(&mut self, rows: &WindowRows<'_>) -> Result<Front, Error> {
        match known::collect(self, rows)? {
            Front { rows: 0, .. } => encoded::collect::collect(self, rows),
            front => Ok(front),
        }
    }

    fn wanted(&self) -> Wanted {
        match self.enough {
            None => Wanted::All,
            Some(enough) if self.grouper.len() >= enough => Wanted::Nothing,
            Some(_) => Wanted::More,
        }
    }
}

/// Evaluates the arguments of an aggregate, and which rows its filter passes, for rows of a batch.
fn arguments(
    aggregate: &Aggregate,
    batch: &InputBatch,
    rows: Option<&UInt32Array>,
    nulls: Nulls,
) -> Result<(Vec<ArrayRef>, Option<BooleanArray>), Error> {
    let args = aggregate.args.iter().map(|arg| {
        let array = arg.evaluate(batch, nulls)?;
        rows.map_or_else(|| Ok(Arc::clone(&array)), |rows| taken(&array, rows))
    });
    let args = args.collect::<Result<Vec<_>, _>>()?;
    let Some(filter) = &aggregate.filter else {
        return Ok((args, None));
    };
    let trues = filter.evaluate(batch)?.trues;
    if trues.is_all() {
        return Ok((args, None));
    }
    let passed: ArrayRef = Arc::new(BooleanArray::new(trues.bits().clone(), None));
    let passed = rows.map_or_else(|| Ok(Arc::clone(&passed)), |rows| taken(&passed, rows))?;
    Ok((args, Some(passed.as_boolean().clone())))
}

/// Arguments of one aggregate for the rows of a batch.
struct Folded<'a> {
    args: Vec<ArrayRef>,
    groups: Option<&'a [u32]>,
    row_count: usize,
    group_count: usize,
}

impl Folded<'_> {
    fn fold(
        self,
        state: &mut dyn Accumulator,
        aggregate: &Aggregate,
        passed: Option<&BooleanArray>,
        nulls: Nulls,
    ) -> Result<(), Error> {
        let (mut args, mut row_count) = (self.args, self.row_count);
        let mut own_groups: Option<Vec<u32>> = None;
        if let Some(passed) = passed {
            args = args
                .iter()
                .map(|arg| kept(arg, passed))
                .collect::<Result<_, _>>()?;
            row_count = passed.true_count();
            let rows = passed.values().set_indices();
            let group = |groups: &[u32], row| groups.get(row).copied().unwrap_or(0);
            own_groups = self
                .groups
                .map(|groups| rows.map(|row| group(groups, row)).collect());
        }
        let groups = own_groups.as_deref().or(self.groups);
        // Each value of a multi-value argument counts.
        if let [arg] = args.as_slice()
            && matches!(arg.data_type(), ArrowType::List(_))
        {
            let (values, groups) = each_value(arg, groups, aggregate.args.first(), nulls)?;
            let row_count = values.len();
            let assigned = Assigned {
                row_count,
                groups: groups.as_deref(),
                group_count: self.group_count,
            };
            return state.update(&[values], &assigned);
        }
        state.update(
            &args,
            &Assigned {
                row_count,
                groups,
                group_count: self.group_count,
            },
        )
    }
}

/// Takes apart a multi-value argument, with the group of each value.
fn each_value(
    lists: &ArrayRef,
    groups: Option<&[u32]>,
    operand: Option<&Operand>,
    nulls: Nulls,
) -> Result<(ArrayRef, Option<Vec<u32>>), Error> {
    let exploded = explode(std::slice::from_ref(lists), lists.len())?;
    let Some((values, rows)) = exploded.and_then(|mut all| Some((all.keys.pop()?, all.rows)))
    else {
        return Err(Error::Internal(
            "multi-value argument is no list".to_owned(),
        ));
    };
    let values = match (nulls, operand) {
        (Nulls::Fill, Some(operand)) => fill_nulls(&values, operand.default_null())?,
        _ => values,
    };
    let group = |groups: &[u32], row: u32| groups.get(row as usize).copied().unwrap_or(0);
    let groups = groups.map(|groups| {
        rows.values()
            .iter()
            .map(|&row| group(groups, row))
            .collect()
    });
    Ok((values, groups))
}

fn kept(array: &ArrayRef, passed: &BooleanArray) -> Result<ArrayRef, Error> {
    filter(array, passed).map_err(|error| Error::Internal(error.to_string()))
}

fn taken(array: &ArrayRef, rows: &UInt32Array) -> Result<ArrayRef, Error> {
    take(array, rows, None).map_err(|error| Error::Internal(error.to_string()))
}
