//! Rows whose bytes are malformed do not fail a read; they are counted.

use crate::Error;

/// Counts malformed rows.
#[derive(Debug, Default, Clone)]
pub(super) struct Tally {
    malformed_rows: u64,
}

impl Tally {
    /// Counts the row if its own bytes are to blame for a failure; hands on every other failure.
    #[inline(always)]
    pub(super) fn absorb(&mut self, row: Result<(), Error>) -> Result<(), Error> {
        match row {
            Ok(()) => Ok(()),
            Err(error) => self.blame(error),
        }
    }

    #[cold]
    fn blame(&mut self, error: Error) -> Result<(), Error> {
        if !error.is_row_malformed() {
            return Err(error);
        }
        self.malformed_rows = self.malformed_rows.saturating_add(1);
        Ok(())
    }

    /// Returns the count.
    pub(super) fn malformed_rows(&self) -> u64 {
        self.malformed_rows
    }
}
