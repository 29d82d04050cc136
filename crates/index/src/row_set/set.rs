//! A set of rows of one segment.

use std::ops::Range;

use super::container::{CHUNK_ROWS, Container, Run};

/// A set of rows of one segment, by their positions from 0.
///
/// Cost and size follow the number of rows in it or the number of chunks it touches, whichever is
/// kinder: dense chunks cost a bit a row, sparse ones two bytes a member, ranges nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowSet {
    /// Chunks by ascending key, none empty.
    pub(crate) chunks: Vec<Chunk>,
}

/// Rows of one chunk: those whose upper sixteen bits are `key`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chunk {
    pub key: u16,
    pub rows: Container,
}

impl Chunk {
    /// Returns the row at a position.
    pub fn row(key: u16, position: u16) -> u32 {
        u32::from(key) << 16 | u32::from(position)
    }
}

impl RowSet {
    /// Returns the empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the set of all rows of a range.
    pub fn of_range(rows: Range<u32>) -> Self {
        let chunks = split(rows).map(|(key, run)| Chunk {
            key,
            rows: Container::Runs(vec![run]),
        });
        Self {
            chunks: chunks.collect(),
        }
    }

    /// Returns how many rows are in.
    pub fn len(&self) -> u64 {
        self.chunks
            .iter()
            .map(|chunk| u64::from(chunk.rows.len()))
            .sum()
    }

    /// Tells whether no row is in.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Tells whether a row is in.
    pub fn contains(&self, row: u32) -> bool {
        let (key, position) = place(row);
        self.chunk(key).is_some_and(|rows| rows.contains(position))
    }

    /// Returns how many rows of a range are in.
    pub fn len_within(&self, rows: Range<u32>) -> u64 {
        let within = split(rows).filter_map(|(key, run)| Some(self.chunk(key)?.len_within(run)));
        within.map(u64::from).sum()
    }

    /// Returns the last row that is in.
    pub fn last(&self) -> Option<u32> {
        let chunk = self.chunks.last()?;
        Some(Chunk::row(chunk.key, chunk.rows.last()?))
    }

    /// Returns about how many bytes the set takes.
    pub fn held_bytes(&self) -> usize {
        let rows = self.chunks.iter().map(|chunk| match &chunk.rows {
            Container::Array(array) => array.capacity() * 2,
            Container::Bits(_) => 8192,
            Container::Runs(runs) => runs.capacity() * 4,
        });
        rows.sum::<usize>() + self.chunks.capacity() * size_of::<Chunk>()
    }

    /// Returns the rows of a chunk.
    pub(crate) fn chunk(&self, key: u16) -> Option<&Container> {
        let at = self.chunks.binary_search_by_key(&key, |chunk| chunk.key);
        self.chunks.get(at.ok()?).map(|chunk| &chunk.rows)
    }

    /// Adds the rows of a chunk beyond the last one; no rows, no chunk.
    pub(crate) fn push_chunk(&mut self, key: u16, rows: Option<Container>) {
        debug_assert!(self.chunks.last().is_none_or(|last| last.key < key));
        if let Some(rows) = rows {
            self.chunks.push(Chunk { key, rows });
        }
    }
}

/// Returns a row's chunk and its position there.
pub(super) fn place(row: u32) -> (u16, u16) {
    let [a, b, c, d] = row.to_be_bytes();
    (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]))
}

/// Returns the chunks that a range touches, each with the run of its positions.
pub(super) fn split(rows: Range<u32>) -> impl Iterator<Item = (u16, Run)> {
    let end = rows.end;
    let mut next = (rows.start < end).then_some(rows.start);
    std::iter::from_fn(move || {
        let start = next?;
        let (key, first) = place(start);
        let chunk_end = u64::from(key) * u64::from(CHUNK_ROWS) + u64::from(CHUNK_ROWS);
        let (_, last) = place(u32::try_from(chunk_end.min(end.into()) - 1).ok()?);
        next = u32::try_from(chunk_end).ok().filter(|start| *start < end);
        Some((key, Run { first, last }))
    })
}
