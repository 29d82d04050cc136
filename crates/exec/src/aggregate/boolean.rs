//! BOOL_AND, BOOL_OR.

use std::any::Any;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, cast::AsArray};
use arrow_schema::DataType as ArrowType;

use super::accumulator::{Accumulator, Assigned, GroupMap, arg, mismatch, same};
use crate::error::Error;

/// Whether all, or any, of the values are true.
#[derive(Debug)]
pub(super) struct BooleanFold {
    states: Vec<Option<bool>>,
    all: bool,
    empty: Option<bool>,
}

impl BooleanFold {
    /// Makes BOOL_AND when `all`, else BOOL_OR; `empty` is the result without values.
    pub(super) fn new(all: bool, empty: Option<bool>) -> Self {
        Self {
            states: Vec::new(),
            all,
            empty,
        }
    }

    fn grow(&mut self, group_count: usize) {
        self.states.resize(group_count.max(self.states.len()), None);
    }

    fn fold(&mut self, group: usize, value: bool) {
        if let Some(state) = self.states.get_mut(group) {
            let so_far = state.unwrap_or(self.all);
            *state = Some(if self.all {
                so_far & value
            } else {
                so_far | value
            });
        }
    }
}

impl Accumulator for BooleanFold {
    fn update(&mut self, args: &[ArrayRef], assigned: &Assigned<'_>) -> Result<(), Error> {
        self.grow(assigned.group_count);
        let array = arg(args, 0)?;
        if *array.data_type() != ArrowType::Boolean {
            return Err(mismatch(array));
        }
        let values = array.as_boolean();
        for row in 0..values.len() {
            if values.is_valid(row) {
                self.fold(assigned.group(row), values.value(row));
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: Box<dyn Accumulator>, map: &GroupMap<'_>) -> Result<(), Error> {
        self.grow(map.group_count);
        map.each(same::<Self>(other)?.states, |target, state| {
            if let Some(value) = state {
                self.fold(target, value);
            }
        });
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, Error> {
        let states = std::mem::take(&mut self.states);
        let results: BooleanArray = states
            .into_iter()
            .map(|state| state.or(self.empty))
            .collect();
        Ok(Arc::new(results))
    }

    fn size_bytes(&self) -> usize {
        self.states.capacity()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
