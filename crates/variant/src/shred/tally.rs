//! Rows whose bytes are malformed do not fail a read; they are counted.

use std::collections::BTreeSet;

use crate::Error;

/// Counts malformed rows of a batch, each once, however many parts of it are broken.
#[derive(Debug, Default, Clone)]
pub(super) struct Tally {
    malformed: BTreeSet<usize>,
}

impl Tally {
    /// Counts the row if its own bytes are to blame for a failure; hands on every other failure.
    #[inline(always)]
    pub(super) fn absorb(&mut self, row: usize, done: Result<(), Error>) -> Result<(), Error> {
        match done {
            Ok(()) => Ok(()),
            Err(error) => self.blame(row, error),
        }
    }

    #[cold]
    fn blame(&mut self, row: usize, error: Error) -> Result<(), Error> {
        if !error.is_row_malformed() {
            return Err(error);
        }
        self.malformed.insert(row);
        Ok(())
    }

    /// Returns the count.
    pub(super) fn malformed_rows(&self) -> u64 {
        self.malformed.len() as u64
    }
}
