//! The distinct values of a subject, sorted.

use std::marker::PhantomData;
use std::ops::{Bound, Range};

use arrow_array::{ArrayRef, new_empty_array};
use growler_schema::{DataType, Value};

use crate::Error;

/// The distinct non-null values of a subject, sorted and typed, read in place; a value's *rank* is
/// its position.
///
/// Numbers sort by value, floats in total order (-0.0 before 0.0, NaN last), text and bytes by
/// bytes.
#[derive(Debug, Clone, Copy)]
pub struct Dictionary<'a> {
    data_type: DataType,
    bytes: PhantomData<&'a [u8]>,
}

impl Dictionary<'_> {
    /// Returns the type of the values.
    pub fn data_type(&self) -> DataType {
        self.data_type
    }

    /// Returns how many values there are.
    pub fn len(&self) -> u32 {
        0
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the values of a range of ranks, as an array of exactly the type's Arrow type.
    ///
    /// Values are decoded, so ask for [`growler_base::limits::INDEX_DICTIONARY_BATCH`] at a time.
    ///
    /// # Errors
    /// Corrupt. Ranks beyond the last one are an internal error.
    pub fn values(&self, ranks: Range<u32>) -> Result<ArrayRef, Error> {
        let _ = ranks;
        Ok(new_empty_array(&self.data_type.arrow_type()))
    }

    /// Returns the ranks of the values within two bounds, in the order of the dictionary.
    ///
    /// # Errors
    /// Corrupt. A bound of another type is an internal error.
    pub fn rank_range(
        &self,
        lower: Bound<&Value>,
        upper: Bound<&Value>,
    ) -> Result<Range<u32>, Error> {
        let _ = (lower, upper);
        Ok(0..0)
    }

    /// Returns the rank of a value.
    ///
    /// # Errors
    /// Corrupt. A value of another type is an internal error.
    pub fn rank(&self, value: &Value) -> Result<Option<u32>, Error> {
        let ranks = self.rank_range(Bound::Included(value), Bound::Included(value))?;
        Ok((!ranks.is_empty()).then_some(ranks.start))
    }

    /// Returns the value of a rank.
    ///
    /// # Errors
    /// Corrupt. A rank beyond the last one is an internal error.
    pub fn value(&self, rank: u32) -> Result<Value, Error> {
        Err(Error::internal(format!("no such rank: rank={rank}")))
    }

    /// Returns the first value.
    ///
    /// # Errors
    /// Corrupt.
    pub fn min(&self) -> Result<Option<Value>, Error> {
        match self.len() {
            0 => Ok(None),
            _ => self.value(0).map(Some),
        }
    }

    /// Returns the last value.
    ///
    /// # Errors
    /// Corrupt.
    pub fn max(&self) -> Result<Option<Value>, Error> {
        match self.len() {
            0 => Ok(None),
            len => self.value(len - 1).map(Some),
        }
    }
}
