//! Numbers to a sequence.

use std::io::{self, Write};

use super::packed::{Packer, width};
use super::{BLOCK, PADDING};

/// Writes a sequence: data streams out, headers are held until the end.
#[derive(Debug, Default)]
pub(crate) struct SequenceWriter {
    block: Vec<u64>,
    headers: Vec<u8>,
    data_len: u64,
    count: u64,
    bytes: Vec<u8>,
}

impl SequenceWriter {
    /// Adds a number.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn push(&mut self, number: u64, out: &mut impl Write) -> io::Result<()> {
        self.block.push(number);
        if self.block.len() == BLOCK {
            self.end_block(out)?;
        }
        Ok(())
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn finish(mut self, out: &mut impl Write) -> io::Result<()> {
        self.end_block(out)?;
        out.write_all(&[0; PADDING])?;
        out.write_all(&self.headers)?;
        out.write_all(&self.count.to_le_bytes())
    }

    fn end_block(&mut self, out: &mut impl Write) -> io::Result<()> {
        let (Some(&base), Some(&top)) = (self.block.iter().min(), self.block.iter().max()) else {
            return Ok(());
        };
        let width = width(top - base);
        let mut packer = Packer::new(width);
        let numbers = self.block.iter().map(|number| number - base);
        packer.push_all(numbers, &mut self.bytes);
        packer.flush(&mut self.bytes);
        out.write_all(&self.bytes)?;
        self.headers.extend_from_slice(&base.to_le_bytes());
        let place = self.data_len << 8 | u64::from(width);
        self.headers.extend_from_slice(&place.to_le_bytes());
        self.data_len += self.bytes.len() as u64;
        self.count += self.block.len() as u64;
        self.bytes.clear();
        self.block.clear();
        Ok(())
    }
}
