//! Ids of the rows of one chunk.

use super::distinct::{NULL, OTHER};
use crate::RowSetBuilder;

/// Distinct values up to which a chunk's rows are counted into them at once: the counts then stay
/// in the cache, and postings are copied in pieces.
const COUNTED: usize = 1 << 14;

/// Takes ids of rows in order, of one chunk.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    key: u16,
    first: u16,
    ids: Vec<u32>,
    /// Positions, once there is a gap between them.
    positions: Option<Vec<u16>>,
}

/// The rows of a chunk, or of a part of it, that have values.
#[derive(Debug)]
pub(super) struct Record {
    pub key: u16,
    pub rows: RecordRows,
}

/// How the rows of a record are kept.
#[derive(Debug)]
pub(super) enum RecordRows {
    /// By id: those of id `i` are `positions[starts[i]..starts[i + 1]]`, ascending.
    Counted {
        starts: Vec<u32>,
        positions: Vec<u16>,
    },
    /// As they came: an id each, from position `first` on without a gap.
    Dense { first: u16, ids: Vec<u32> },
    /// As they came: a position and an id each.
    Sparse { positions: Vec<u16>, ids: Vec<u32> },
}

impl Chunk {
    /// Adds rows of the chunk; those that a dictionary leaves out go to `others`.
    pub fn push(&mut self, key: u16, first: u16, ids: &[u32], others: &mut RowSetBuilder) {
        if self.ids.is_empty() && self.positions.is_none() {
            (self.key, self.first) = (key, first);
        }
        let dense = ids.iter().fold(true, |dense, id| dense & (*id < OTHER));
        let next = usize::from(self.first) + self.ids.len();
        if dense && self.positions.is_none() && next == usize::from(first) {
            self.ids.extend_from_slice(ids);
            return;
        }
        let (from, len) = (self.first, self.ids.len());
        let positions = self
            .positions
            .get_or_insert_with(|| (from..=u16::MAX).take(len).collect());
        for (position, &id) in (first..=u16::MAX).zip(ids) {
            match id {
                NULL => {}
                OTHER => others.push(u32::from(key) << 16 | u32::from(position)),
                id => {
                    positions.push(position);
                    self.ids.push(id);
                }
            }
        }
    }

    /// Ends the chunk, or the part of it so far; nothing when no row has a value.
    pub fn end(&mut self, distinct_count: u32) -> Option<Record> {
        let mut positions = self.positions.take();
        if self.ids.is_empty() {
            return None;
        }
        let distinct_count = distinct_count as usize;
        let rows = if distinct_count <= COUNTED.min(self.ids.len()) {
            let rows = count(&self.ids, self.first, positions.as_deref(), distinct_count);
            self.ids.clear();
            rows
        } else {
            // A new list of exactly the size: the old one is of a whole chunk's.
            let ids = self.ids.as_slice().to_vec();
            self.ids.clear();
            match positions.as_mut() {
                Some(positions) => RecordRows::Sparse {
                    positions: positions.as_slice().to_vec(),
                    ids,
                },
                None => RecordRows::Dense {
                    first: self.first,
                    ids,
                },
            }
        };
        Some(Record {
            key: self.key,
            rows,
        })
    }

    /// Returns how many bytes are held.
    pub fn held_bytes(&self) -> usize {
        let positions = self.positions.as_ref().map_or(0, Vec::capacity);
        self.ids.capacity() * 4 + positions * 2
    }
}

/// Counts rows into their ids.
fn count(ids: &[u32], first: u16, positions: Option<&[u16]>, distinct_count: usize) -> RecordRows {
    let mut next = vec![0_u32; distinct_count + 1];
    for &id in ids {
        if let Some(count) = next.get_mut(id as usize) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for count in &mut next {
        let begin = sum;
        sum += *count;
        *count = begin;
    }
    let starts = next.clone();
    let mut sorted = vec![0_u16; ids.len()];
    let mut place = |position: u16, id: u32| {
        if let Some(next) = next.get_mut(id as usize)
            && let Some(slot) = sorted.get_mut(*next as usize)
        {
            *slot = position;
            *next += 1;
        }
    };
    match positions {
        Some(positions) => positions
            .iter()
            .zip(ids)
            .for_each(|(at, id)| place(*at, *id)),
        None => (first..=u16::MAX)
            .zip(ids)
            .for_each(|(at, id)| place(at, *id)),
    }
    RecordRows::Counted {
        starts,
        positions: sorted,
    }
}

impl Record {
    /// Returns how many bytes are held.
    pub fn held_bytes(&self) -> usize {
        match &self.rows {
            RecordRows::Counted { starts, positions } => starts.len() * 4 + positions.len() * 2,
            RecordRows::Dense { ids, .. } => ids.len() * 4,
            RecordRows::Sparse { positions, ids } => positions.len() * 2 + ids.len() * 4,
        }
    }

    /// Returns how many rows there are.
    pub fn len(&self) -> usize {
        match &self.rows {
            RecordRows::Counted { positions, .. } => positions.len(),
            RecordRows::Dense { ids, .. } | RecordRows::Sparse { ids, .. } => ids.len(),
        }
    }

    /// Returns the row at a position.
    pub fn row(&self, position: u16) -> u32 {
        u32::from(self.key) << 16 | u32::from(position)
    }

    /// Returns the positions of an id, where rows are kept by id.
    pub fn positions(&self, id: u32) -> Option<&[u16]> {
        let RecordRows::Counted { starts, positions } = &self.rows else {
            return None;
        };
        let from = starts.get(id as usize)?;
        let to = starts.get(id as usize + 1)?;
        positions.get(*from as usize..*to as usize)
    }

    /// Calls `each` with position and id of every row; those of one id ascend.
    #[inline]
    pub fn each(&self, mut each: impl FnMut(u16, u32)) {
        match &self.rows {
            RecordRows::Dense { first, ids } => {
                for (position, id) in (*first..=u16::MAX).zip(ids) {
                    each(position, *id);
                }
            }
            RecordRows::Sparse { positions, ids } => {
                for (position, id) in positions.iter().zip(ids) {
                    each(*position, *id);
                }
            }
            RecordRows::Counted { starts, .. } => {
                for id in (0..).take(starts.len().saturating_sub(1)) {
                    for position in self.positions(id).unwrap_or_default() {
                        each(*position, id);
                    }
                }
            }
        }
    }
}
