//! The rows of one batch: where they lie in the segment, for row ids and for errors that name one.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array};
use growler_base::{ErrorKind, RowGroupIdx, RowId, RowRanges};
use growler_variant::Error as Variant;

use crate::Error;
use crate::column::Refused;
use crate::schema::Column;
use crate::segment::Inner;

/// Rows of a batch.
pub(crate) struct BatchRows<'a> {
    pub(crate) segment: &'a Inner,
    pub(crate) group: RowGroupIdx,
    /// Local to the row group.
    pub(crate) ranges: &'a RowRanges,
}

impl BatchRows<'_> {
    pub(crate) fn row_count(&self) -> usize {
        self.ranges.row_count()
    }

    /// Returns the row ids as an array.
    pub(crate) fn ids(&self) -> ArrayRef {
        let first = self.first();
        let ids = self.ranges.iter().flatten();
        // Row ids are checked to be INT when the file is opened.
        let ids = ids.map(|row| i32::try_from(first.saturating_add(row)).unwrap_or(i32::MAX));
        Arc::new(Int32Array::from_iter_values(ids))
    }

    /// Returns the id of a row of the batch.
    fn id(&self, row: usize) -> RowId {
        let local = self.ranges.iter().flatten().nth(row).unwrap_or(0);
        RowId(u32::try_from(self.first().saturating_add(local)).unwrap_or(u32::MAX))
    }

    fn first(&self) -> usize {
        self.segment.row_group(self.group).first_row.index()
    }

    pub(crate) fn internal(&self, cause: &str) -> Error {
        let place = Box::new(self.segment.place(Some(self.group), None));
        Error::Internal {
            place,
            cause: cause.into(),
        }
    }

    /// Returns the error of a column whose array was not converted.
    pub(crate) fn failure(&self, column: &Column, refused: Refused) -> Error {
        let segment = self.segment.id.clone();
        let (kind, cause) = match refused {
            Refused::Variant(Variant::NonObjectRoot { row, found }) => {
                let (column, row) = (column.name.clone(), self.id(row));
                return Error::NonObjectRoot {
                    column,
                    row,
                    found,
                    segment,
                };
            }
            Refused::Variant(Variant::Contradiction { row }) => {
                return Error::Contradiction {
                    row: self.id(row),
                    segment,
                };
            }
            // What is missing was asked for, so the footer must have hidden it.
            Refused::Variant(Variant::NeedsResidual { .. }) => {
                let cause = "a variant column holds values that its statistics deny";
                (ErrorKind::Corrupt, cause.to_owned())
            }
            Refused::Variant(error) => (error.kind(), error.to_string()),
            Refused::Value(cause) => (ErrorKind::Corrupt, cause),
            Refused::Narrow(cause) => (ErrorKind::Unsupported, cause),
            Refused::Limit(cause) => (ErrorKind::LimitExceeded, cause),
            Refused::Internal(cause) => (ErrorKind::Internal, cause),
        };
        let place = Box::new(
            self.segment
                .place(Some(self.group), Some(column.name.clone())),
        );
        let cause = cause.into();
        match kind {
            ErrorKind::Unsupported => Error::Unsupported { place, cause },
            ErrorKind::LimitExceeded => Error::Limit { place, cause },
            ErrorKind::Corrupt => Error::Corrupt { place, cause },
            _ => Error::Internal { place, cause },
        }
    }
}
