//! Ids of the rows of one chunk.

use super::distinct::OTHER;
use crate::RowSetBuilder;

/// Distinct values up to which a chunk's rows are counted into them at once: the counts then stay
/// in the cache.
const COUNTED: usize = 1 << 14;
/// Distinct values whose counts are kept in an array, which needs no check of bounds.
const FEW: usize = 1 << 10;

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
        append_present(first, ids, positions, &mut self.ids);
        if ids.contains(&OTHER) {
            let pairs = (first..=u16::MAX).zip(ids).filter(|(_, id)| **id == OTHER);
            pairs.for_each(|(position, _)| others.push(u32::from(key) << 16 | u32::from(position)));
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

/// Appends the rows whose value is in the dictionary.
fn append_present(first: u16, ids: &[u32], positions: &mut Vec<u16>, kept: &mut Vec<u32>) {
    let mut len = kept.len();
    positions.resize(len + ids.len(), 0);
    kept.resize(len + ids.len(), 0);
    let mut position = first;
    for &id in ids {
        // Written always, kept when there is a value: no branch to guess.
        if let (Some(slot), Some(kept)) = (positions.get_mut(len), kept.get_mut(len)) {
            (*slot, *kept) = (position, id);
        }
        len += usize::from(id < OTHER);
        position = position.wrapping_add(1);
    }
    positions.truncate(len);
    kept.truncate(len);
}

/// Counts rows into their ids.
fn count(ids: &[u32], first: u16, positions: Option<&[u16]>, distinct_count: usize) -> RecordRows {
    let mut starts = Vec::with_capacity(distinct_count + 1);
    let sorted = if distinct_count < FEW {
        let mut counts = [0; FEW];
        let few = |id: u32| id as usize % FEW;
        sort(ids, first, positions, &mut counts, few, |counts| {
            starts.extend(counts.iter().take(distinct_count + 1));
        })
    } else {
        let mut counts = vec![0; distinct_count + 1];
        let many = |id: u32| id as usize;
        sort(ids, first, positions, &mut counts, many, |counts| {
            starts.extend_from_slice(counts);
        })
    };
    RecordRows::Counted {
        starts,
        positions: sorted,
    }
}

/// Returns positions sorted by id; `begin` is told where each id's begin.
#[inline(always)]
fn sort(
    ids: &[u32],
    first: u16,
    positions: Option<&[u16]>,
    counts: &mut [u32],
    at: impl Fn(u32) -> usize,
    mut begin: impl FnMut(&[u32]),
) -> Vec<u16> {
    for &id in ids {
        if let Some(count) = counts.get_mut(at(id)) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for count in &mut *counts {
        let begin = sum;
        sum += *count;
        *count = begin;
    }
    begin(counts);
    let mut sorted = vec![0_u16; ids.len()];
    let mut place = |position: u16, id: u32| {
        if let Some(next) = counts.get_mut(at(id)) {
            if let Some(slot) = sorted.get_mut(*next as usize) {
                *slot = position;
            }
            *next += 1;
        }
    };
    match positions {
        Some(positions) => positions
            .iter()
            .zip(ids)
            .for_each(|(position, id)| place(*position, *id)),
        None => {
            let mut position = first;
            for &id in ids {
                place(position, id);
                position = position.wrapping_add(1);
            }
        }
    }
    sorted
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
        Some(piece(starts, positions, id))
    }

    /// Turns ids into the ranks of their values, a list of rows in any case.
    pub fn rank(self, ranks: &[u32]) -> Self {
        let rank = |id: u32| ranks.get(id as usize).copied().unwrap_or(id);
        let rows = match self.rows {
            RecordRows::Dense { first, mut ids } => {
                ids.iter_mut().for_each(|id| *id = rank(*id));
                RecordRows::Dense { first, ids }
            }
            RecordRows::Sparse { positions, mut ids } => {
                ids.iter_mut().for_each(|id| *id = rank(*id));
                RecordRows::Sparse { positions, ids }
            }
            RecordRows::Counted { starts, positions } => {
                let mut ids = Vec::with_capacity(positions.len());
                let ends = starts.iter().skip(1);
                for (id, (from, to)) in (0..).zip(starts.iter().zip(ends)) {
                    ids.extend(std::iter::repeat_n(rank(id), (to - from) as usize));
                }
                RecordRows::Sparse { positions, ids }
            }
        };
        Self { rows, ..self }
    }

    /// Puts the rows of a record that was counted into the order of ranks, given ids in that order.
    pub fn reorder(&mut self, order: &[u32]) {
        let RecordRows::Counted { starts, positions } = &self.rows else {
            return;
        };
        let mut rank_starts = Vec::with_capacity(order.len() + 1);
        let mut sorted = Vec::with_capacity(positions.len());
        for id in order {
            rank_starts.push(u32::try_from(sorted.len()).unwrap_or(0));
            sorted.extend_from_slice(piece(starts, positions, *id));
        }
        rank_starts.push(u32::try_from(sorted.len()).unwrap_or(0));
        self.rows = RecordRows::Counted {
            starts: rank_starts,
            positions: sorted,
        };
    }

    /// Appends the rows of a rank, or id.
    #[inline]
    pub fn append(&self, rank: u32, rows: &mut Vec<u32>) {
        let RecordRows::Counted { starts, positions } = &self.rows else {
            return;
        };
        let base = self.row(0);
        let piece = piece(starts, positions, rank);
        // Most pieces are short and of any length: copying as much every time spares the guess.
        const STEP: usize = 16;
        let behind = positions.len().saturating_sub(STEP);
        let from = starts.get(rank as usize).map_or(0, |from| *from as usize);
        if piece.len() <= STEP
            && from <= behind
            && let Some(block) = positions.get(from..).and_then(<[u16]>::first_chunk::<STEP>)
        {
            let len = rows.len();
            rows.resize(len + STEP, base);
            for (row, position) in rows.iter_mut().skip(len).zip(block) {
                *row |= u32::from(*position);
            }
            rows.truncate(len + piece.len());
            return;
        }
        rows.extend(piece.iter().map(|position| base | u32::from(*position)));
    }

    /// Calls `each` with position and rank of every row; ids are ranks without a map of them.
    /// The rows of one rank ascend.
    #[inline]
    pub fn each_rank(&self, ranks: Option<&[u32]>, mut each: impl FnMut(u16, u32)) {
        match ranks {
            None => self.each(each),
            Some(ranks) => self.each(|position, id| {
                if let Some(rank) = ranks.get(id as usize) {
                    each(position, *rank);
                }
            }),
        }
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

/// Returns the positions of an id, none for one that came later.
#[inline]
fn piece<'a>(starts: &[u32], positions: &'a [u16], id: u32) -> &'a [u16] {
    match starts.get(id as usize..) {
        Some(&[from, to, ..]) => positions.get(from as usize..to as usize),
        _ => None,
    }
    .unwrap_or_default()
}
