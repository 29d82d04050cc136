//! The rows of an answer, column by column.

use std::io::Write;

use arrow_array::ArrayRef;
use growler_schema::ColumnType;

use super::cell::Cells;
use super::{arrow_stream, csv, json, text};
use crate::error::Error;

/// A table of results: one name, type and array a column.
#[derive(Debug, Clone)]
pub struct ResultTable {
    /// Names as the client sees them; they may repeat.
    pub names: Vec<String>,
    /// Types, which decide how cells are written.
    pub types: Vec<ColumnType>,
    /// One array a column, of the column's Arrow type; text may also be `Utf8` or
    /// `Dictionary(Int32, Utf8)`.
    pub columns: Vec<ArrayRef>,
    /// Rows of every array; counts even where there is no column.
    pub row_count: usize,
}

impl ResultTable {
    /// Makes a table; every array must have as many rows as the first and the type of its column.
    ///
    /// # Errors
    /// [`Error::Internal`] when names, types and arrays do not agree.
    pub fn try_new(
        names: Vec<String>,
        types: Vec<ColumnType>,
        columns: Vec<ArrayRef>,
    ) -> Result<Self, Error> {
        let row_count = columns.first().map_or(0, |column| column.len());
        let table = Self {
            names,
            types,
            columns,
            row_count,
        };
        table.cells()?;
        Ok(table)
    }

    /// Returns the types' names as Pinot writes them.
    pub fn type_names(&self) -> impl Iterator<Item = String> + '_ {
        self.types.iter().map(|column_type| column_type.name())
    }

    /// Appends the rows as one JSON array of row arrays.
    ///
    /// # Errors
    /// [`Error::Internal`] when an array does not have its column's type.
    pub fn write_json_rows(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        json::write_rows(self, out)
    }

    /// Appends the table as CSV with a header line; null is an empty cell, empty text is `""`.
    ///
    /// # Errors
    /// [`Error::Internal`] when an array does not have its column's type.
    pub fn write_csv(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        csv::write(self, out)
    }

    /// Appends the table as aligned text for people; null is `null`. With a width, in characters,
    /// long cells are cut so that lines fit it; without one nothing is cut.
    ///
    /// # Errors
    /// [`Error::Internal`] when an array does not have its column's type.
    pub fn write_text(&self, width: Option<usize>, out: &mut Vec<u8>) -> Result<(), Error> {
        text::write(self, width, out)
    }

    /// Writes the table as an Arrow IPC stream of one batch.
    ///
    /// # Errors
    /// [`Error::Execution`] when the writer fails.
    pub fn write_arrow_stream(&self, out: impl Write) -> Result<(), Error> {
        arrow_stream::write(self, out)
    }

    /// Turns the table into a record batch.
    ///
    /// # Errors
    /// [`Error::Internal`] when the arrays do not make a batch.
    pub fn to_record_batch(&self) -> Result<arrow_array::RecordBatch, Error> {
        arrow_stream::record_batch(self)
    }

    pub(super) fn cells(&self) -> Result<Vec<Cells<'_>>, Error> {
        let shapes = [self.names.len(), self.types.len(), self.columns.len()];
        if shapes.iter().any(|&count| count != self.columns.len()) {
            return Err(Error::Internal(format!(
                "result table is ragged: shapes={shapes:?}"
            )));
        }
        let mut cells = Vec::with_capacity(self.columns.len());
        for ((name, column_type), array) in self.names.iter().zip(&self.types).zip(&self.columns) {
            if array.len() != self.row_count {
                return Err(Error::Internal(format!(
                    "result column has other rows than its table: column={name} rows={} table={}",
                    array.len(),
                    self.row_count
                )));
            }
            let column = Cells::try_new(array.as_ref(), *column_type).ok_or_else(|| {
                Error::Internal(format!(
                    "result column is not of its type: column={name} type={} array={}",
                    column_type.name(),
                    array.data_type()
                ))
            })?;
            cells.push(column);
        }
        Ok(cells)
    }
}
