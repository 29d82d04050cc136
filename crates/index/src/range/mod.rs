//! Rows by intervals of values: bit slices.
//!
//! Values are numbers that sort as they do ([`crate::order`]); BIG_DECIMAL, text and bytes take
//! part by their ranks in the dictionary.

use std::ops::Bound;

use arrow_array::Array;
use growler_schema::DataType;

use crate::{Error, RowSet};

/// Takes the values of a subject in row order and slices them.
#[derive(Debug)]
pub struct RangeBuilder {
    row_count: u32,
}

impl RangeBuilder {
    /// Begins the slices of a subject of `row_count` rows.
    pub fn new(data_type: DataType, row_count: u32) -> Self {
        let _ = data_type;
        Self { row_count }
    }

    /// Adds the next rows: values of the type, or `UInt32` ranks for a type without numbers to
    /// sort by ([`crate::order::is_ordered`]). Null rows match no interval.
    ///
    /// # Errors
    /// Internal, when the array is of another type.
    pub fn push(&mut self, values: &dyn Array) -> Result<(), Error> {
        let _ = values;
        Ok(())
    }

    /// Returns how many bytes are held.
    pub fn held_bytes(&self) -> usize {
        0
    }

    /// Returns the slices as bytes.
    ///
    /// # Errors
    /// Limit exceeded.
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        let _ = self.row_count;
        Ok(Vec::new())
    }
}

/// The slices of one subject, read in place.
#[derive(Debug, Clone, Copy)]
pub struct RangeView<'a> {
    bytes: &'a [u8],
}

impl<'a> RangeView<'a> {
    /// Checks the header of slices that a builder made.
    ///
    /// # Errors
    /// Corrupt, or the slices are of another number of rows.
    pub fn try_new(bytes: &'a [u8], row_count: u32) -> Result<Self, Error> {
        let _ = row_count;
        Ok(Self { bytes })
    }

    /// Returns the rows whose number ([`crate::order::ordered`], or rank) lies within two bounds.
    ///
    /// # Errors
    /// Corrupt.
    pub fn rows(&self, lower: Bound<u64>, upper: Bound<u64>) -> Result<RowSet, Error> {
        let _ = (self.bytes, lower, upper);
        Err(Error::internal("range index is not built yet"))
    }
}
