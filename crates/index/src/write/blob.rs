//! One blob, streamed into the file.

use std::hash::Hasher;
use std::io::{self, Write};

use twox_hash::XxHash3_64;

/// Writes one blob: counts and hashes what goes through.
pub(crate) struct BlobWriter<'a, W: Write> {
    out: &'a mut W,
    hash: XxHash3_64,
    len: u64,
}

impl<'a, W: Write> BlobWriter<'a, W> {
    pub fn new(out: &'a mut W) -> Self {
        Self {
            out,
            hash: XxHash3_64::with_seed(0),
            len: 0,
        }
    }

    /// Returns length and hash of what was written.
    pub fn finish(self) -> (u64, u64) {
        (self.len, self.hash.finish())
    }
}

impl<W: Write> Write for BlobWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write_all(bytes)?;
        self.hash.write(bytes);
        self.len += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
