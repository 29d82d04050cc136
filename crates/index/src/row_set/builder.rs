//! Rows in order to a set.

use std::ops::Range;

use arrow_buffer::BooleanBuffer;

use super::container::{ARRAY_ROWS, Bits, CHUNK_WORDS, Container};
use super::set::{RowSet, place, split};

/// Takes rows in ascending order and makes a set of them.
///
/// Rows that go back are ignored in release builds, as they cannot be told from a defect.
#[derive(Debug, Default)]
pub struct RowSetBuilder {
    set: RowSet,
    key: u16,
    array: Vec<u16>,
    bits: Option<Box<Bits>>,
}

impl RowSetBuilder {
    /// Begins the empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a row beyond the last one.
    pub fn push(&mut self, row: u32) {
        let (key, position) = place(row);
        if key != self.key {
            self.end_chunk(key);
        }
        match &mut self.bits {
            Some(bits) => bits.insert(position),
            None => self.array.push(position),
        }
        if self.array.len() > ARRAY_ROWS {
            self.dense();
        }
    }

    /// Adds a range of rows beyond the last one.
    pub fn push_range(&mut self, rows: Range<u32>) {
        for (key, run) in split(rows) {
            if key != self.key {
                self.end_chunk(key);
            }
            self.dense().insert_run(run);
        }
    }

    /// Adds the rows whose bits are set, the first bit being `first_row`, beyond the last one.
    pub fn push_mask(&mut self, first_row: u32, mask: &BooleanBuffer) {
        for (from, to) in mask.set_slices() {
            let (Ok(from), Ok(to)) = (u32::try_from(from), u32::try_from(to)) else {
                return;
            };
            let (from, to) = (first_row.saturating_add(from), first_row.saturating_add(to));
            // A bitmap is only worth its 8 KiB when there is much to set.
            if to - from > 64 {
                self.push_range(from..to);
            } else {
                (from..to).for_each(|row| self.push(row));
            }
        }
    }

    /// Adds a whole chunk beyond the last one, as its bitmap.
    pub fn push_words(&mut self, chunk: u16, words: &[u64; CHUNK_WORDS]) {
        self.end_chunk(chunk);
        self.bits = Some(Box::new(Bits { words: *words }));
    }

    /// Returns the set.
    pub fn finish(mut self) -> RowSet {
        self.end_chunk(0);
        self.set
    }

    fn dense(&mut self) -> &mut Bits {
        let array = &mut self.array;
        self.bits.get_or_insert_with(|| {
            let mut bits = Bits::empty();
            for position in array.drain(..) {
                bits.insert(position);
            }
            bits
        })
    }

    fn end_chunk(&mut self, next: u16) {
        let key = std::mem::replace(&mut self.key, next);
        let rows = match self.bits.take() {
            Some(bits) => Container::of_bits(bits),
            None => Container::of_array(std::mem::take(&mut self.array)),
        };
        if self.set.chunks.last().is_none_or(|last| last.key < key) {
            self.set.push_chunk(key, rows);
        }
    }
}
