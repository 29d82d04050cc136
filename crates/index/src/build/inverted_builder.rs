//! An inverted index of rows whose ranks are known.

use std::io::Write;
use std::path::PathBuf;

use super::Budget;
use super::assemble::assemble;
use super::chunk::{Chunk, Record};
use super::ranked::{Ranked, RankedRows};
use crate::inverted::InvertedWriter;
use crate::row_set::CHUNK_ROWS;
use crate::{Error, RowSetBuilder};

/// Takes the ranks of rows in order and makes an inverted index of them; everything is held in
/// memory, two to four bytes a row.
#[derive(Debug)]
pub struct InvertedBuilder {
    rank_count: u32,
    next_row: u32,
    chunk: Chunk,
    records: Vec<Record>,
    memory_bytes: usize,
    folder: PathBuf,
}

impl InvertedBuilder {
    /// Begins an index of so many ranks, each of which some row will have.
    pub fn new(rank_count: u32, budget: &Budget) -> Self {
        let folder = budget.spill_folder.clone();
        Self {
            rank_count,
            next_row: 0,
            chunk: Chunk::default(),
            records: Vec::new(),
            memory_bytes: budget.memory_bytes,
            folder: folder.unwrap_or_else(std::env::temp_dir),
        }
    }

    /// Adds the ranks of the next rows.
    pub fn push(&mut self, mut ranks: &[u32]) {
        while !ranks.is_empty() {
            let [a, b, c, d] = self.next_row.to_be_bytes();
            let (key, first) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
            let left = (CHUNK_ROWS - u32::from(first)) as usize;
            let (piece, rest) = ranks.split_at(ranks.len().min(left));
            self.chunk
                .push(key, first, piece, &mut RowSetBuilder::new());
            self.next_row += u32::try_from(piece.len()).unwrap_or(0);
            if piece.len() == left {
                self.records.extend(self.chunk.end(self.rank_count));
            }
            ranks = rest;
        }
    }

    /// Writes the index.
    ///
    /// # Errors
    /// Unavailable.
    pub fn finish(mut self, out: &mut impl Write) -> Result<(), Error> {
        self.records.extend(self.chunk.end(self.rank_count));
        let order: Vec<u32> = (0..self.rank_count).collect();
        let rows: RankedRows = Ranked::of_memory(self.records, &order);
        let mut ranked = Ranked {
            rank_count: self.rank_count,
            rows,
        };
        let shape = (ranked.rank_count, ranked.row_count());
        let mut writer = InvertedWriter::new(self.next_row, shape, self.memory_bytes, &self.folder);
        assemble(&mut ranked, &mut writer, self.memory_bytes, out)?;
        writer.finish(out)
    }
}
