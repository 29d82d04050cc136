//! Arrays to comparable rows.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_row::{RowConverter, Rows, SortField};
use arrow_schema::DataType as ArrowType;

use crate::{error::Error, group::canonical::canonical, plan::SortKey};

/// Turns the values of sort keys into rows that compare as bytes.
#[derive(Debug)]
pub struct Order {
    converter: RowConverter,
}

impl Order {
    /// Makes the order of some keys. Two of the same keys make rows that compare with each other.
    ///
    /// # Errors
    /// [`Error::Validation`] when a key is of a type that has no order.
    pub fn try_new(keys: &[SortKey]) -> Result<Self, Error> {
        let field = |key: &SortKey| {
            SortField::new_with_options(key.operand.column_type().arrow_type(), key.options)
        };
        let converter = RowConverter::new(keys.iter().map(field).collect());
        let refused = |error| Error::Validation(format!("cannot sort: {error}"));
        Ok(Self {
            converter: converter.map_err(refused)?,
        })
    }

    /// Returns the comparable rows of some arrays, one array a key.
    ///
    /// # Errors
    /// [`Error::Internal`] when an array is of another type than its key.
    pub fn rows(&self, arrays: &[ArrayRef]) -> Result<Rows, Error> {
        let plain = arrays.iter().map(plain).collect::<Result<Vec<_>, _>>()?;
        self.converter.convert_columns(&plain).map_err(internal)
    }

    /// Returns the value of the first key of the bytes of a comparable row, as an array of one.
    ///
    /// # Errors
    /// [`Error::Internal`] when the row is of another order.
    pub fn first_value(&self, bytes: &[u8]) -> Result<ArrayRef, Error> {
        let parser = self.converter.parser();
        let arrays = self.converter.convert_rows([parser.parse(bytes)]);
        let first = arrays.map_err(internal)?.into_iter().next();
        first.ok_or_else(|| Error::Internal("an order without keys".to_owned()))
    }

    /// Returns the positions of rows in order; equal rows stay in theirs.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn sorted(&self, arrays: &[ArrayRef]) -> Result<Vec<u32>, Error> {
        let rows = self.rows(arrays)?;
        let mut positions: Vec<usize> = (0..rows.num_rows()).collect();
        positions.sort_by(|&a, &b| rows.row(a).cmp(&rows.row(b)));
        Ok(positions
            .into_iter()
            .map(|row| u32::try_from(row).unwrap_or(u32::MAX))
            .collect())
    }
}

/// Returns text without its dictionary, and floats with one zero and one NaN.
fn plain(array: &ArrayRef) -> Result<ArrayRef, Error> {
    match array.data_type() {
        ArrowType::Dictionary(..) | ArrowType::Utf8 => {
            arrow_cast::cast(array, &ArrowType::Utf8View).map_err(internal)
        }
        ArrowType::Float32 | ArrowType::Float64 => Ok(canonical(array)),
        _ => Ok(Arc::clone(array)),
    }
}

fn internal(error: arrow_schema::ArrowError) -> Error {
    Error::Internal(error.to_string())
}
