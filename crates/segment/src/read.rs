//! Asked rows of asked sources, as arrays.

use arrow_array::ArrayRef;
use growler_base::{RowRanges, limits};

use crate::Error;

/// How to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadOptions {
    /// Most rows in a batch.
    pub batch_rows: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { batch_rows: limits::BATCH_ROWS }
    }
}

/// Arrays of all asked sources for the same rows.
#[derive(Debug, Clone)]
pub struct Batch {
    /// One array a source, in the order asked; of the source's column type, except that text may be
    /// `Dictionary(Int32, Utf8)`.
    pub columns: Vec<ArrayRef>,
    /// Rows in every array.
    pub row_count: usize,
    /// The rows, local to the row group.
    pub rows: RowRanges,
}

/// Yields the asked rows of one row group in ascending order; ends after an error.
pub struct BatchReader {
    done: bool,
}

impl BatchReader {
    pub(crate) fn empty() -> Self {
        Self { done: true }
    }
}

impl Iterator for BatchReader {
    type Item = Result<Batch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let _ = self.done;
        None
    }
}
