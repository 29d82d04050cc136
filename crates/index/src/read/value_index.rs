//! The indexes of one subject.

use std::marker::PhantomData;
use std::ops::{Bound, Range};

use growler_schema::{DataType, Value};

use crate::{Dictionary, Error, Kind, RowSet, SegmentIndexes};

/// The indexes of one column or key.
///
/// An error of any method means that an index is damaged: it is absent from then on
/// ([`Self::has`]), was logged once with the reason, and the caller scans.
#[derive(Debug, Clone, Copy)]
pub struct ValueIndex<'a> {
    file: PhantomData<&'a SegmentIndexes>,
    data_type: DataType,
}

impl<'a> ValueIndex<'a> {
    /// Returns the type of the values that were indexed.
    ///
    /// A slot of another type must not be answered from here.
    pub fn data_type(&self) -> DataType {
        self.data_type
    }

    /// Tells whether there is an index of a kind, not found damaged so far.
    pub fn has(&self, kind: Kind) -> bool {
        let _ = kind;
        false
    }

    /// Returns how many rows have no value, from the directory.
    pub fn null_count(&self) -> Option<u32> {
        None
    }

    /// Returns how many distinct values the dictionary has, from the directory.
    pub fn distinct_count(&self) -> Option<u32> {
        None
    }

    /// Returns how many rows have a value that the dictionary does not hold, from the directory.
    pub fn other_count(&self) -> u32 {
        0
    }

    /// Returns how many rows the segment has.
    pub fn row_count(&self) -> u32 {
        0
    }

    /// Returns the rows without a value.
    ///
    /// # Errors
    /// Corrupt; not found without the index.
    pub fn nulls(&self) -> Result<RowSet, Error> {
        Err(Error::Absent { kind: Kind::Nulls })
    }

    /// Returns the rows that have a value which the dictionary does not hold; a scan tells them.
    /// None when there are none.
    ///
    /// # Errors
    /// Corrupt.
    pub fn others(&self) -> Result<Option<RowSet>, Error> {
        Ok(None)
    }

    /// Returns the dictionary; none without one.
    ///
    /// # Errors
    /// Corrupt.
    pub fn dictionary(&self) -> Result<Option<Dictionary<'a>>, Error> {
        Ok(None)
    }

    /// Returns how many rows have a value of one of the ranks (ascending, apart), from cumulative counts: no
    /// posting is touched, and a range costs two loads.
    ///
    /// # Errors
    /// Corrupt; not found without an inverted index.
    pub fn count(&self, ranks: &[Range<u32>]) -> Result<u64, Error> {
        let _ = ranks;
        Err(Error::Absent {
            kind: Kind::Inverted,
        })
    }

    /// Returns how many rows each rank of a range has.
    ///
    /// # Errors
    /// Corrupt; not found without an inverted index.
    pub fn counts(&self, ranks: Range<u32>) -> Result<Vec<u32>, Error> {
        let _ = ranks;
        Err(Error::Absent {
            kind: Kind::Inverted,
        })
    }

    /// Returns the rows that have a value of one of the ranks (ascending, apart).
    ///
    /// # Errors
    /// Corrupt; not found without an inverted index.
    pub fn rows(&self, ranks: &[Range<u32>]) -> Result<RowSet, Error> {
        let _ = ranks;
        Err(Error::Absent {
            kind: Kind::Inverted,
        })
    }

    /// Returns the rows whose value lies within two bounds, from the range index; none without one.
    ///
    /// For text, bytes and BIG_DECIMAL the rows of [`Self::others`] are not among them: a scan tells them.
    ///
    /// # Errors
    /// Corrupt. A bound of another type is an internal error.
    pub fn range_rows(
        &self,
        lower: Bound<&Value>,
        upper: Bound<&Value>,
    ) -> Result<Option<RowSet>, Error> {
        let _ = (lower, upper);
        Ok(None)
    }

    /// Tells whether a value may be in the subject: false is a proof by the bloom filter.
    pub fn may_contain(&self, value: &Value) -> bool {
        let _ = value;
        true
    }
}
