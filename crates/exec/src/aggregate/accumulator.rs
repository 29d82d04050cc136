//! The contract of an aggregate function's states.

use std::any::Any;

use arrow_array::ArrayRef;

use crate::error::Error;

/// The group each row of a batch belongs to.
#[derive(Debug, Clone, Copy)]
pub struct Assigned<'a> {
    /// Rows of the batch.
    pub row_count: usize,
    /// Group of each row; none when all rows are in group 0.
    pub groups: Option<&'a [u32]>,
    /// Groups known so far; every group of a row is below it.
    pub group_count: usize,
}

impl Assigned<'_> {
    /// Returns the group of a row.
    pub fn group(&self, row: usize) -> usize {
        match self.groups {
            Some(groups) => groups.get(row).map_or(0, |&group| group as usize),
            None => 0,
        }
    }
}

/// Values that stand for several rows each.
#[derive(Debug, Clone, Copy)]
pub struct Repeated<'a> {
    /// The group of each value.
    pub assigned: Assigned<'a>,
    /// How many rows have it, one count a value.
    pub counts: &'a [u64],
}

impl Repeated<'_> {
    /// Returns how many rows a value stands for.
    pub fn count(&self, value: usize) -> u64 {
        self.counts.get(value).copied().unwrap_or(0)
    }
}

/// Where the groups of one accumulator go in another.
#[derive(Debug, Clone, Copy)]
pub struct GroupMap<'a> {
    /// Group of the other accumulator for each of ours; none when it is dropped. Ascending where new.
    pub groups: &'a [Option<u32>],
    /// Groups the other accumulator has from now on.
    pub group_count: usize,
}

impl GroupMap<'_> {
    /// Returns where a group goes.
    pub fn target(&self, group: usize) -> Option<usize> {
        self.groups
            .get(group)
            .copied()
            .flatten()
            .map(|target| target as usize)
    }

    /// Hands each of the other accumulator's states to the group it goes to; dropped ones are
    /// passed over.
    pub(super) fn each<S>(&self, states: Vec<S>, mut merge: impl FnMut(usize, S)) {
        for (group, state) in states.into_iter().enumerate() {
            if let Some(target) = self.target(group) {
                merge(target, state);
            }
        }
    }

    /// Merges each of the other accumulator's states into that of the group it goes to.
    pub(super) fn merge<S>(
        &self,
        states: Vec<S>,
        into: &mut [S],
        mut merge: impl FnMut(&mut S, S),
    ) {
        self.each(states, |target, state| {
            if let Some(ours) = into.get_mut(target) {
                merge(ours, state);
            }
        });
    }
}

/// States of one aggregate function, one a group.
///
/// Nulls are skipped: without null handling the caller has replaced them by defaults before.
pub trait Accumulator: Send {
    /// Folds rows into the states of their groups; all groups below `assigned.group_count` exist
    /// afterwards. `args` has one array an argument, of the types the function was made for.
    ///
    /// # Errors
    /// [`Error::Internal`] when an array is of another type.
    fn update(&mut self, args: &[ArrayRef], assigned: &Assigned<'_>) -> Result<(), Error>;

    /// Folds in values that stand for several rows each. Only for functions that take them so
    /// ([`Function::takes_repeats`](super::Function::takes_repeats)); to most of these repeats say
    /// nothing new.
    ///
    /// # Errors
    /// As [`Self::update`].
    fn update_repeated(&mut self, args: &[ArrayRef], repeated: &Repeated<'_>) -> Result<(), Error> {
        self.update(args, &repeated.assigned)
    }

    /// Folds in the states of rows that come after all rows seen so far. `other` is of the same
    /// function.
    ///
    /// # Errors
    /// [`Error::Internal`] when it is not.
    fn merge(&mut self, other: Box<dyn Accumulator>, map: &GroupMap<'_>) -> Result<(), Error>;

    /// Returns the results, one a group; the accumulator is spent.
    ///
    /// # Errors
    /// [`Error::Execution`] when a result does not fit its type.
    fn finish(&mut self) -> Result<ArrayRef, Error>;

    /// Returns the bytes held; exact up to what the last batch added.
    fn size_bytes(&self) -> usize;

    /// Makes the concrete type reachable for [`Self::merge`].
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

/// Takes the concrete accumulator out of the box.
pub(super) fn same<A: Any>(other: Box<dyn Accumulator>) -> Result<A, Error> {
    let concrete = other.into_any().downcast::<A>();
    concrete
        .map(|concrete| *concrete)
        .map_err(|_| Error::Internal("aggregates of different functions meet".to_owned()))
}

/// Refuses an array of a type the function was not made for.
pub(super) fn mismatch(array: &ArrayRef) -> Error {
    Error::Internal(format!(
        "aggregate argument of another type: found={}",
        array.data_type()
    ))
}

/// Returns the argument at a position.
pub(super) fn arg(args: &[ArrayRef], idx: usize) -> Result<&ArrayRef, Error> {
    args.get(idx)
        .ok_or_else(|| Error::Internal(format!("missing aggregate argument: idx={idx}")))
}
