//! COUNT.

use std::any::Any;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array};
use arrow_buffer::NullBuffer;

use super::accumulator::{Accumulator, Assigned, GroupMap, Repeated, same};
use crate::error::Error;

/// Counts rows, or non-null values when there is an argument.
#[derive(Debug, Default)]
pub(super) struct Count {
    counts: Vec<i64>,
}

impl Count {
    /// Makes the states of groups that have so many rows.
    pub(super) fn of(counts: Vec<i64>) -> Self {
        Self { counts }
    }

    fn add(&mut self, group: usize, count: i64) {
        if let Some(total) = self.counts.get_mut(group) {
            *total += count;
        }
    }

    fn grow(&mut self, group_count: usize) {
        self.counts.resize(group_count.max(self.counts.len()), 0);
    }
}

impl Accumulator for Count {
    fn update(&mut self, args: &[ArrayRef], assigned: &Assigned<'_>) -> Result<(), Error> {
        self.grow(assigned.group_count);
        // Entries of dictionaries may be null, too.
        let nulls = args.first().and_then(|array| array.logical_nulls());
        let Some(groups) = assigned.groups else {
            let null_count = nulls.as_ref().map_or(0, NullBuffer::null_count);
            let counted = assigned.row_count.saturating_sub(null_count);
            self.add(0, i64::try_from(counted).unwrap_or(i64::MAX));
            return Ok(());
        };
        match &nulls {
            None => groups.iter().for_each(|&group| self.add(group as usize, 1)),
            Some(nulls) => {
                nulls
                    .valid_indices()
                    .for_each(|row| self.add(assigned.group(row), 1));
            }
        }
        Ok(())
    }

    fn update_repeated(&mut self, args: &[ArrayRef], repeated: &Repeated<'_>) -> Result<(), Error> {
        self.grow(repeated.assigned.group_count);
        let nulls = args.first().and_then(|array| array.logical_nulls());
        for (value, &count) in repeated.counts.iter().enumerate() {
            if nulls.as_ref().is_none_or(|nulls| nulls.is_valid(value)) {
                let count = i64::try_from(count).unwrap_or(i64::MAX);
                self.add(repeated.assigned.group(value), count);
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: Box<dyn Accumulator>, map: &GroupMap<'_>) -> Result<(), Error> {
        self.grow(map.group_count);
        map.each(same::<Self>(other)?.counts, |target, count| {
            self.add(target, count);
        });
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayRef, Error> {
        Ok(Arc::new(Int64Array::from(std::mem::take(&mut self.counts))))
    }

    fn size_bytes(&self) -> usize {
        self.counts.capacity() * 8
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
