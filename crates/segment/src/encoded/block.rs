//! Rows of one page as ids of those that have a value.

use arrow_array::Int32Array;
use arrow_buffer::{NullBuffer, ScalarBuffer};

/// Consecutive rows, all of one page.
#[derive(Debug)]
pub struct Block<'r> {
    /// How many rows.
    pub row_count: usize,
    /// Which of them have a value; none when all do.
    pub validity: Option<NullBuffer>,
    /// The ids of rows with a value, in row order; each is below the dictionary's length.
    pub ids: &'r [u32],
}

impl Block<'_> {
    /// Returns an id for each row; null where it has no value.
    pub fn row_ids(&self) -> Int32Array {
        let mut rows = vec![0; self.row_count];
        // A dictionary has fewer entries than i32 counts: each takes a byte of a page at least.
        let ids = self.ids.iter().map(|id| id.cast_signed());
        match &self.validity {
            None => rows.iter_mut().zip(ids).for_each(|(row, id)| *row = id),
            Some(validity) => {
                for (row, id) in validity.valid_indices().zip(ids) {
                    if let Some(slot) = rows.get_mut(row) {
                        *slot = id;
                    }
                }
            }
        }
        Int32Array::new(ScalarBuffer::from(rows), self.validity.clone())
    }
}
