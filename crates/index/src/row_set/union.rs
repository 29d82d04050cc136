//! Many sets to one, in any order.

use super::container::{Bits, CHUNK_ROWS, Container};
use super::set::{Chunk, RowSet, place};

/// Sparse rows that are kept as they come before bitmaps are made.
const LOOSE_ROWS: usize = 1 << 15;

/// Gathers rows in any order; a bitmap a chunk once there are many.
#[derive(Debug, Default)]
pub(crate) struct Union {
    /// Rows that came singly.
    loose: Vec<u32>,
    /// Bitmaps of chunks, by key.
    chunks: Vec<Option<Box<Bits>>>,
}

impl Union {
    /// Adds a row.
    pub fn add_row(&mut self, row: u32) {
        self.loose.push(row);
        if self.loose.len() >= LOOSE_ROWS {
            self.settle();
        }
    }

    /// Adds rows of a chunk.
    pub fn add(&mut self, key: u16, rows: &Container) {
        match rows {
            Container::Array(array) if array.len() <= 16 => {
                for &position in array {
                    self.add_row(Chunk::row(key, position));
                }
            }
            rows => {
                if let Some(bits) = self.bits(key) {
                    rows.add_to(bits);
                }
            }
        }
    }

    /// Returns the set of all that was added.
    pub fn finish(mut self) -> RowSet {
        if !self.chunks.is_empty() {
            self.settle();
        }
        let mut set = of_loose(self.loose);
        if self.chunks.is_empty() {
            return set;
        }
        for (key, bits) in (0_u16..=u16::MAX).zip(self.chunks) {
            set.push_chunk(key, bits.and_then(Container::of_bits));
        }
        set
    }

    fn bits(&mut self, key: u16) -> Option<&mut Bits> {
        let at = usize::from(key);
        if self.chunks.len() <= at {
            self.chunks.resize_with(at + 1, || None);
        }
        let slot = self.chunks.get_mut(at)?;
        Some(slot.get_or_insert_with(Bits::empty))
    }

    fn settle(&mut self) {
        let mut loose = std::mem::take(&mut self.loose);
        for row in loose.drain(..) {
            let (key, position) = place(row);
            if let Some(bits) = self.bits(key) {
                bits.insert(position);
            }
        }
        self.loose = loose;
    }
}

fn of_loose(mut rows: Vec<u32>) -> RowSet {
    rows.sort_unstable();
    let mut set = RowSet::new();
    for rows in rows.chunk_by(|a, b| a / CHUNK_ROWS == b / CHUNK_ROWS) {
        let Some((key, _)) = rows.first().map(|row| place(*row)) else {
            continue;
        };
        let mut array: Vec<u16> = rows.iter().map(|row| place(*row).1).collect();
        array.dedup();
        set.push_chunk(key, Container::of_array(array));
    }
    set
}
