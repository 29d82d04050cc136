//! Rows of each rank to where they begin.

use std::io::{self, Write};
use std::path::Path;

use tempfile::SpooledTempFile;

use super::marks::BLOCK_WORDS;
use super::{MARKS, SEQUENCE};
use crate::sequence::SequenceWriter;
use crate::write::append;

/// Bytes that are held before they go to a temporary file.
const HELD: usize = 1 << 20;
/// Bytes that are gathered before they are written.
const GATHERED: usize = 8 << 10;
/// Rows of a rank, on average, up to which a bit a row is less than a number a rank.
const MARKED: u64 = 8;

/// Takes the number of rows of each rank.
#[derive(Debug)]
pub(super) struct CountsWriter {
    form: Form,
    file: SpooledTempFile,
    ranks: u64,
    rows: u64,
}

#[derive(Debug)]
enum Form {
    Sequence(SequenceWriter),
    Marks(MarksWriter),
}

/// What was written.
pub(super) struct Written {
    pub form: u64,
    pub len_bytes: u64,
}

impl CountsWriter {
    /// Begins counts of so many ranks, whose rows are so many; neither needs to be exact.
    pub fn new(ranks: u32, rows: u64, spill_folder: &Path) -> Self {
        let form = match rows <= u64::from(ranks) * MARKED {
            true => Form::Marks(MarksWriter::default()),
            false => Form::Sequence(SequenceWriter::default()),
        };
        Self {
            form,
            file: SpooledTempFile::new_in(HELD, spill_folder),
            ranks: 0,
            rows: 0,
        }
    }

    /// Adds the next rank's rows; at least one.
    pub fn push(&mut self, count: u64) -> io::Result<()> {
        match &mut self.form {
            Form::Sequence(sequence) => sequence.push(self.rows, &mut self.file)?,
            Form::Marks(marks) => marks.push(count, &mut self.file)?,
        }
        self.rows += count;
        self.ranks += 1;
        Ok(())
    }

    /// Writes the counts; nothing when every rank has one row.
    pub fn finish(mut self, out: &mut impl Write) -> io::Result<Written> {
        let form = match self.form {
            _ if self.rows == self.ranks => {
                return Ok(Written {
                    form: SEQUENCE,
                    len_bytes: 0,
                });
            }
            Form::Sequence(mut sequence) => {
                sequence.push(self.rows, &mut self.file)?;
                sequence.finish(&mut self.file)?;
                SEQUENCE
            }
            Form::Marks(marks) => {
                marks.finish(&mut self.file)?;
                self.file.write_all(&self.rows.to_le_bytes())?;
                MARKS
            }
        };
        let len_bytes = append(self.file, out)?;
        Ok(Written { form, len_bytes })
    }
}

/// Writes a bit a row; the numbers of blocks are held until the end.
#[derive(Debug, Default)]
struct MarksWriter {
    word: u64,
    /// Bits of the word that are taken.
    word_bits: u64,
    words: usize,
    /// Ranks that begin before the word.
    ranks: u64,
    blocks: SequenceWriter,
    blocks_bytes: Vec<u8>,
    bytes: Vec<u8>,
}

impl MarksWriter {
    fn push(&mut self, count: u64, out: &mut impl Write) -> io::Result<()> {
        self.word |= 1 << self.word_bits;
        self.word_bits += count;
        while self.word_bits >= 64 {
            self.end_word(out)?;
            self.word_bits -= 64;
        }
        Ok(())
    }

    fn end_word(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.words.is_multiple_of(BLOCK_WORDS) {
            self.blocks.push(self.ranks, &mut self.blocks_bytes)?;
        }
        self.ranks += u64::from(self.word.count_ones());
        self.bytes.extend_from_slice(&self.word.to_le_bytes());
        self.words += 1;
        self.word = 0;
        if self.bytes.len() >= GATHERED {
            out.write_all(&self.bytes)?;
            self.bytes.clear();
        }
        Ok(())
    }

    fn finish(mut self, out: &mut impl Write) -> io::Result<()> {
        if self.word_bits > 0 {
            self.end_word(out)?;
        }
        while !self.words.is_multiple_of(BLOCK_WORDS) {
            self.end_word(out)?;
        }
        out.write_all(&self.bytes)?;
        self.blocks.finish(&mut self.blocks_bytes)?;
        out.write_all(&self.blocks_bytes)
    }
}
