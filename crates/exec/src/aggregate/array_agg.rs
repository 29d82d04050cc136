//! ARRAY_AGG.

use std::any::Any;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, ListArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::Field as ArrowField;
use foldhash::fast::RandomState;
use growler_schema::DataType;
use hashbrown::HashSet;

use super::{
    accumulator::{Accumulator, Assigned, GroupMap, arg, same},
    picked::{At, Picked},
};
use crate::{error::Error, group::Grouper};

/// All values of each group in the order of their rows; each value once when distinct.
#[derive(Debug)]
pub(super) struct ArrayAgg {
    data_type: DataType,
    states: Vec<Vec<(At, u32)>>,
    picked: Picked,
    kept: usize,
    once: Option<Once>,
}

/// Which group has which value already.
#[derive(Debug)]
struct Once {
    values: Grouper,
    seen: HashSet<(u32, u32), RandomState>,
}

impl ArrayAgg {
    pub(super) fn new(data_type: DataType, distinct: bool) -> Self {
        let once = || Once {
            values: Grouper::new(&[data_type]),
            seen: HashSet::default(),
        };
        let once = distinct.then(once);
        Self {
            data_type,
            states: Vec::new(),
            picked: Picked::default(),
            kept: 0,
            once,
        }
    }

    fn grow(&mut self, group_count: usize) {
        self.states
            .resize(group_count.max(self.states.len()), Vec::new());
    }

    fn push(&mut self, group: usize, at: At, value: u32) {
        if let Some(state) = self.states.get_mut(group) {
            state.push((at, value));
            self.kept += 1;
        }
    }
}

impl Accumulator for ArrayAgg {
    fn update(&mut self, args: &[ArrayRef], assigned: &Assigned<'_>) -> Result<(), Error> {
        self.grow(assigned.group_count);
        let array = arg(args, 0)?;
        let nulls = array.logical_nulls();
        let mut ids = Vec::new();
        if let Some(once) = &mut self.once {
            once.values
                .intern(std::slice::from_ref(array), array.len(), &mut ids)?;
        }
        let (mut rows, mut places) = (Vec::new(), Vec::new());
        for row in 0..array.len() {
            if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                continue;
            }
            let group = assigned.group(row);
            let value = ids.get(row).copied().unwrap_or(0);
            let is_new = self.once.as_mut().is_none_or(|once| {
                once.seen
                    .insert((u32::try_from(group).unwrap_or(u32::MAX), value))
            });
            if is_new {
                rows.push(u32::try_from(row).unwrap_or(u32::MAX));
                places.push((group, value));
            }
        }
        let kept = self.picked.keep(array, rows)?;
        for ((group, value), at) in places.into_iter().zip(kept) {
            self.push(group, at, value);
        }
        Ok(())
    }

    fn merge(&mut self, other: Box<dyn Accumulator>, map: &GroupMap<'_>) -> Result<(), Error> {
        self.grow(map.group_count);
        let other = same::<Self>(other)?;
        let moved = self.picked.append(other.picked);
        let mut ids = Vec::new();
        if let (Some(ours), Some(theirs)) = (&mut self.once, &other.once) {
            ours.values
                .intern(&theirs.values.keys()?, theirs.values.len(), &mut ids)?;
        }
        map.each(other.states, |target, values| {
            for (at, value) in values {
                let value = ids.get(value as usize).copied().unwrap_or(0);
                let group = u32::try_from(target).unwrap_or(u32::MAX);
                let once = self.once.as_mut();
                if once.is_none_or(|once| once.seen.insert((group, value))) {
                    self.push(target, moved(at), value);
                }
            }
        });
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, Error> {
        let states = std::mem::take(&mut self.states);
        let mut offsets = vec![0i32];
        let mut end = 0usize;
        for state in &states {
            end += state.len();
            offsets.push(i32::try_from(end).map_err(|_| {
                Error::Execution(format!("too many values in ARRAY_AGG: count={end}"))
            })?);
        }
        let at: Vec<At> = states.iter().flatten().map(|(at, _)| *at).collect();
        let item = self.data_type.arrow_type();
        let values = self.picked.gather(&at, &item)?;
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        let field = Arc::new(ArrowField::new_list_field(item, true));
        let lists = ListArray::try_new(field, offsets, values, None);
        Ok(Arc::new(
            lists.map_err(|error| Error::Internal(error.to_string()))?,
        ))
    }

    fn size_bytes(&self) -> usize {
        let once = self.once.as_ref().map_or(0, |once| {
            once.values.size_bytes() + once.seen.capacity() * (size_of::<(u32, u32)>() + 1)
        });
        let states = self.states.capacity() * size_of::<Vec<(At, u32)>>();
        states + self.kept * size_of::<(At, u32)>() + self.picked.size_bytes() + once
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
