//! Rows of each rank to an inverted index.

use std::io::Write;
use std::path::Path;

use tempfile::SpooledTempFile;

use super::LONG;
use super::counts_writer::CountsWriter;
use crate::posting::PostingWriter;
use crate::row_set::{ARRAY_ROWS, CHUNK_ROWS};
use crate::sequence::{Packer, packed_len, width};
use crate::write::append;
use crate::{Error, RowSet};

/// Rows of short postings that are gathered and then packed at once.
const PENDING: usize = 1 << 13;

/// Writes an inverted index, rank by rank; portable bytes stream out, the other parts wait.
pub(crate) struct InvertedWriter {
    posting: PostingWriter,
    positions: Vec<u16>,
    /// What comes before the containers of a long posting.
    head: Vec<u8>,
    portable_len: u64,
    packer: Packer,
    row_bits: u32,
    pending: Vec<u32>,
    packed: Vec<u8>,
    short: SpooledTempFile,
    short_rows: u64,
    counts: CountsWriter,
    long: Vec<u8>,
    long_rows: u32,
    rank: u32,
}

impl InvertedWriter {
    /// Begins the index of a segment of `row_count` rows, with so many ranks and rows of them; an eighth
    /// of the memory is used.
    pub fn new(
        row_count: u32,
        (ranks, rows): (u32, u64),
        memory_bytes: usize,
        spill_folder: &Path,
    ) -> Self {
        let row_bits = width(row_count.saturating_sub(1).into());
        Self {
            posting: PostingWriter::default(),
            positions: Vec::new(),
            head: Vec::new(),
            portable_len: 0,
            packer: Packer::new(row_bits),
            row_bits,
            pending: Vec::new(),
            packed: Vec::new(),
            short: SpooledTempFile::new_in(memory_bytes / 8, spill_folder),
            short_rows: 0,
            counts: CountsWriter::new(ranks, rows, spill_folder),
            long: Vec::new(),
            long_rows: 0,
            rank: 0,
        }
    }

    /// Adds the next rank's rows, which ascend; at least one.
    ///
    /// # Errors
    /// Unavailable.
    pub fn push_rows(&mut self, rows: &[u32], out: &mut impl Write) -> Result<(), Error> {
        let packed = packed_len(rows.len() as u64, self.row_bits);
        if rows.len() <= 4 || is_short(rows, packed) {
            return self.end_short(rows);
        }
        let mut positions = std::mem::take(&mut self.positions);
        for chunk in rows.chunk_by(|a, b| a / CHUNK_ROWS == b / CHUNK_ROWS) {
            positions.clear();
            positions.extend(chunk.iter().map(|row| low(*row)));
            let key = chunk.first().map_or(0, |row| high(*row));
            self.posting.push(key, &positions);
        }
        self.positions = positions;
        if self.posting.len_bytes() as u64 >= packed {
            self.posting.clear();
            return self.end_short(rows);
        }
        self.end_long(rows.len(), out)
    }

    /// Adds the next rank's rows as chunks of ascending keys: positions that ascend, at least one.
    ///
    /// # Errors
    /// Unavailable.
    pub fn push_chunks<'a>(
        &mut self,
        chunks: impl Iterator<Item = (u16, &'a [u16])> + Clone,
        out: &mut impl Write,
    ) -> Result<(), Error> {
        let mut row_count = 0;
        for (key, positions) in chunks.clone() {
            row_count += positions.len();
            self.posting.push(key, positions);
        }
        let packed = packed_len(row_count as u64, self.row_bits);
        if self.posting.len_bytes() as u64 >= packed {
            self.posting.clear();
            let rows = chunks.flat_map(|(key, positions)| {
                let row = move |low: &u16| u32::from(key) << 16 | u32::from(*low);
                positions.iter().map(row)
            });
            let rows: Vec<u32> = rows.collect();
            return self.end_short(&rows);
        }
        self.end_long(row_count, out)
    }

    /// Adds the next rank's rows.
    ///
    /// # Errors
    /// Unavailable.
    pub fn push_set(&mut self, rows: &RowSet, out: &mut impl Write) -> Result<(), Error> {
        let row_count = rows.len();
        let bytes = crate::posting::portable(rows);
        write(out, &bytes)?;
        self.put_long(
            bytes.len(),
            usize::try_from(row_count).unwrap_or(usize::MAX),
        )
    }

    fn end_short(&mut self, rows: &[u32]) -> Result<(), Error> {
        self.pending.extend_from_slice(rows);
        self.short_rows += rows.len() as u64;
        if self.pending.len() >= PENDING {
            self.pack()?;
        }
        self.end_rank(rows.len())
    }

    fn pack(&mut self) -> Result<(), Error> {
        let numbers = self.pending.iter().map(|row| u64::from(*row));
        self.packer.push_all(numbers, &mut self.packed);
        self.pending.clear();
        write(&mut self.short, &self.packed)?;
        self.packed.clear();
        Ok(())
    }

    fn end_long(&mut self, count: usize, out: &mut impl Write) -> Result<(), Error> {
        self.head.clear();
        self.posting.put_head(&mut self.head);
        let body = self.posting.body();
        let len = self.head.len() + body.len();
        write(out, &self.head)?;
        write(out, body)?;
        self.posting.clear();
        self.put_long(len, count)
    }

    /// Ends the rank of a long posting of so many bytes, which were written.
    fn put_long(&mut self, len_bytes: usize, count: usize) -> Result<(), Error> {
        self.long.extend_from_slice(&self.rank.to_le_bytes());
        self.long.extend_from_slice(&self.long_rows.to_le_bytes());
        self.long
            .extend_from_slice(&self.portable_len.to_le_bytes());
        self.portable_len += len_bytes as u64;
        self.long_rows = u32::try_from(count)
            .ok()
            .and_then(|count| self.long_rows.checked_add(count))
            .ok_or_else(|| Error::internal("more rows in postings than in a segment"))?;
        self.end_rank(count)
    }

    fn end_rank(&mut self, count: usize) -> Result<(), Error> {
        self.counts.push(count as u64).map_err(spilled)?;
        self.rank += 1;
        Ok(())
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// Unavailable.
    pub fn finish(mut self, out: &mut impl Write) -> Result<(), Error> {
        self.pack()?;
        self.packer.flush(&mut self.packed);
        self.packed.extend_from_slice(&[0; 8]);
        write(&mut self.short, &self.packed)?;
        let short_len = append(self.short, out).map_err(spilled)?;
        let counts = self.counts.finish(out).map_err(spilled)?;
        debug_assert_eq!(self.long.len() % LONG, 0);
        write(out, &self.long)?;
        for number in [
            self.portable_len,
            short_len,
            counts.len_bytes,
            self.long.len() as u64,
            self.short_rows,
            counts.form << 48 | u64::from(self.row_bits) << 32 | u64::from(self.rank),
        ] {
            write(out, &number.to_le_bytes())?;
        }
        Ok(())
    }
}

fn low(row: u32) -> u16 {
    let [.., a, b] = row.to_be_bytes();
    u16::from_be_bytes([a, b])
}

fn high(row: u32) -> u16 {
    let [a, b, ..] = row.to_be_bytes();
    u16::from_be_bytes([a, b])
}

/// Tells whether rows are for sure no shorter in portable form.
fn is_short(rows: &[u32], packed: u64) -> bool {
    if rows.len() > ARRAY_ROWS {
        return false;
    }
    // With no two neighbours there are no runs, so every container is an array.
    let next = rows.get(1..).unwrap_or_default();
    let (mut neighbours, mut chunks) = (0_u32, 1_u32);
    for (a, b) in rows.iter().zip(next) {
        neighbours += u32::from(a + 1 == *b);
        chunks += u32::from((a ^ b) >= CHUNK_ROWS);
    }
    neighbours == 0 && packed <= 8 + u64::from(chunks) * 8 + rows.len() as u64 * 2
}

fn write(out: &mut impl Write, bytes: &[u8]) -> Result<(), Error> {
    out.write_all(bytes).map_err(spilled)
}

fn spilled(source: std::io::Error) -> Error {
    Error::io("write", Path::new("temporary"), source)
}
