//! Pairs in a temporary file: value's id u32, row u32, little-endian.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::pairs::{PAIR_BYTES, Pair};
use crate::Error;

/// Pairs that go to the file, or come from it, at a time.
const BUFFER_PAIRS: usize = 16 << 10;

/// A temporary file of pairs.
#[derive(Debug)]
pub(super) struct Spill {
    folder: PathBuf,
    file: File,
    len: u64,
    buffer: Vec<u8>,
    pairs: Vec<Pair>,
}

impl Spill {
    /// Makes an empty file.
    ///
    /// # Errors
    /// Unavailable.
    pub fn new(folder: &Path) -> Result<Self, Error> {
        let file = tempfile::tempfile_in(folder);
        Ok(Self {
            folder: folder.to_owned(),
            file: file.map_err(|source| Error::io("write", folder, source))?,
            len: 0,
            buffer: Vec::new(),
            pairs: Vec::new(),
        })
    }

    /// Appends pairs; returns where they are.
    ///
    /// # Errors
    /// Unavailable.
    pub fn push(&mut self, pairs: &[Pair]) -> Result<(u64, u32), Error> {
        let from = self.len;
        for part in pairs.chunks(BUFFER_PAIRS) {
            self.buffer.clear();
            for (id, row) in part {
                self.buffer.extend_from_slice(&id.to_le_bytes());
                self.buffer.extend_from_slice(&row.to_le_bytes());
            }
            self.file
                .write_all(&self.buffer)
                .map_err(|source| Error::io("write", &self.folder, source))?;
            self.len += self.buffer.len() as u64;
        }
        let count = u32::try_from(pairs.len()).map_err(|_| Error::internal("too many pairs"))?;
        Ok((from, count))
    }

    /// Calls `see` with pairs that were appended.
    ///
    /// # Errors
    /// Unavailable.
    pub fn each(
        &mut self,
        from: u64,
        count: u32,
        see: &mut impl FnMut(&[Pair]),
    ) -> Result<(), Error> {
        let read = self.try_each(from, count as usize, see);
        read.map_err(|source| Error::io("read", &self.folder, source))
    }

    fn try_each(
        &mut self,
        from: u64,
        count: usize,
        see: &mut impl FnMut(&[Pair]),
    ) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(from))?;
        let mut left = count;
        while left > 0 {
            let here = left.min(BUFFER_PAIRS);
            self.buffer.resize(here * PAIR_BYTES, 0);
            self.file.read_exact(&mut self.buffer)?;
            self.pairs.clear();
            let (words, _) = self.buffer.as_chunks::<4>();
            let (pairs, _) = words.as_chunks::<2>();
            let pair =
                |[id, row]: &[[u8; 4]; 2]| (u32::from_le_bytes(*id), u32::from_le_bytes(*row));
            self.pairs.extend(pairs.iter().map(pair));
            see(&self.pairs);
            left -= here;
        }
        Ok(())
    }
}
