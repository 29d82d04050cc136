//! FIRSTWITHTIME, LASTWITHTIME.

use std::any::Any;

use arrow_array::{Array, ArrayRef, cast::AsArray, types::Int64Type};
use arrow_cast::cast;
use arrow_schema::DataType as ArrowType;
use growler_schema::{ColumnType, Value};

use super::{
    accumulator::{Accumulator, Assigned, GroupMap, arg, same},
    picked::{At, Picked},
};
use crate::{error::Error, plan::substitute};

/// Value at the smallest, or largest, time of each group: of equal times the first, or last, row.
#[derive(Debug)]
pub(super) struct WithTime {
    column_type: ColumnType,
    last: bool,
    empty: Option<Value>,
    states: Vec<Option<(i64, At)>>,
    picked: Picked,
}

impl WithTime {
    /// Makes LASTWITHTIME when `last`, else FIRSTWITHTIME; `empty` is the result without values.
    pub(super) fn new(column_type: ColumnType, last: bool, empty: Option<Value>) -> Self {
        Self {
            column_type,
            last,
            empty,
            states: Vec::new(),
            picked: Picked::default(),
        }
    }

    fn grow(&mut self, group_count: usize) {
        self.states.resize(group_count.max(self.states.len()), None);
    }

    fn is_better(&self, time: i64, so_far: i64) -> bool {
        if self.last {
            time >= so_far
        } else {
            time < so_far
        }
    }

    /// Drops values that no state points at once they are the most.
    fn tidy(&mut self) -> Result<(), Error> {
        if self.picked.row_count() <= 2 * self.states.len() + 1024 {
            return Ok(());
        }
        let kept: Vec<At> = self.states.iter().flatten().map(|(_, at)| *at).collect();
        let values = self.picked.gather(&kept, &self.column_type.arrow_type())?;
        let mut picked = Picked::default();
        let rows = (0..u32::try_from(values.len()).unwrap_or(u32::MAX)).collect();
        for (state, at) in self
            .states
            .iter_mut()
            .flatten()
            .zip(picked.keep(&values, rows)?)
        {
            state.1 = at;
        }
        self.picked = picked;
        Ok(())
    }
}

impl Accumulator for WithTime {
    fn update(&mut self, args: &[ArrayRef], assigned: &Assigned<'_>) -> Result<(), Error> {
        self.grow(assigned.group_count);
        let values = arg(args, 0)?;
        let times = cast(arg(args, 1)?, &ArrowType::Int64)
            .map_err(|error| Error::Internal(error.to_string()))?;
        let times = times.as_primitive::<Int64Type>();
        let nulls = values.logical_nulls();
        // First the best row of each group in this batch, then only those values are copied.
        let mut best: Vec<(usize, u32)> = Vec::new();
        let mut best_of: hashbrown::HashMap<usize, usize, foldhash::fast::RandomState> =
            hashbrown::HashMap::default();
        for row in 0..times.len() {
            if times.is_null(row) || nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                continue;
            }
            let (group, time) = (assigned.group(row), times.value(row));
            let position = u32::try_from(row).unwrap_or(u32::MAX);
            match best_of.get(&group).and_then(|&idx| best.get_mut(idx)) {
                Some((_, so_far)) if self.is_better(time, times.value(*so_far as usize)) => {
                    *so_far = position;
                }
                Some(_) => {}
                None => {
                    best_of.insert(group, best.len());
                    best.push((group, position));
                }
            }
        }
        best.retain(|&(group, row)| {
            let so_far = self.states.get(group).copied().flatten();
            so_far.is_none_or(|(so_far, _)| self.is_better(times.value(row as usize), so_far))
        });
        let rows = best.iter().map(|(_, row)| *row).collect();
        for ((group, row), at) in best.into_iter().zip(self.picked.keep(values, rows)?) {
            if let Some(state) = self.states.get_mut(group) {
                *state = Some((times.value(row as usize), at));
            }
        }
        self.tidy()
    }

    fn merge(&mut self, other: Box<dyn Accumulator>, map: &GroupMap<'_>) -> Result<(), Error> {
        self.grow(map.group_count);
        let other = same::<Self>(other)?;
        let moved = self.picked.append(other.picked);
        map.each(other.states, |target, state| {
            let Some((time, at)) = state else {
                return;
            };
            let so_far = self.states.get(target).copied().flatten();
            if so_far.is_none_or(|(so_far, _)| self.is_better(time, so_far))
                && let Some(state) = self.states.get_mut(target)
            {
                *state = Some((time, moved(at)));
            }
        });
        self.tidy()
    }

    fn finish(&mut self) -> Result<ArrayRef, Error> {
        let states = std::mem::take(&mut self.states);
        let kept: Vec<At> = states.iter().flatten().map(|(_, at)| *at).collect();
        let values = self.picked.gather(&kept, &self.column_type.arrow_type())?;
        let mut position = 0;
        let rows = states.iter().map(|state| {
            let at = state.is_some().then_some(position);
            position += u32::from(state.is_some());
            at
        });
        let rows: arrow_array::UInt32Array = rows.collect();
        let results = arrow_select::take::take(&values, &rows, None)
            .map_err(|error| Error::Internal(error.to_string()))?;
        match &self.empty {
            Some(empty) => substitute::fill_nulls(&results, empty),
            None => Ok(results),
        }
    }

    fn size_bytes(&self) -> usize {
        self.states.capacity() * size_of::<Option<(i64, At)>>() + self.picked.size_bytes()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
