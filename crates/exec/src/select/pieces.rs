//! Arrays of results put together.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, new_empty_array};
use arrow_schema::DataType as ArrowType;
use arrow_select::concat::concat;
use growler_schema::ColumnType;

use crate::{
    aggregate::compact,
    error::Error,
    run::{Charge, MemoryBudget},
};

/// Rows of results, in pieces; each piece has one array a column.
#[derive(Debug)]
pub struct Pieces {
    pieces: Vec<Vec<ArrayRef>>,
    row_count: usize,
    charge: Charge,
}

impl Pieces {
    /// Starts without rows.
    pub fn new(budget: &MemoryBudget) -> Self {
        Self {
            pieces: Vec::new(),
            row_count: 0,
            charge: budget.charge("result rows"),
        }
    }

    /// Returns how many rows there are.
    pub fn row_count(&self) -> usize {
        self.row_count
    }

    /// Appends rows; text comes out of its dictionary, and no page is kept alive.
    ///
    /// # Errors
    /// [`Error::Memory`] when there is no room for them.
    pub fn push(&mut self, columns: &[ArrayRef], row_count: usize) -> Result<(), Error> {
        let columns = columns.iter().map(compact).collect::<Result<Vec<_>, _>>()?;
        self.charge.add(
            columns
                .iter()
                .map(|column| column.get_array_memory_size())
                .sum(),
        )?;
        self.pieces.push(columns);
        self.row_count += row_count;
        Ok(())
    }

    /// Appends all rows of another.
    ///
    /// # Errors
    /// [`Error::Memory`] when there is no room for them.
    pub fn append(&mut self, other: Self) -> Result<(), Error> {
        let size_bytes = other.charge.bytes();
        self.row_count += other.row_count;
        self.pieces.extend(other.pieces);
        drop(other.charge);
        self.charge.add(size_bytes)
    }

    /// Returns the rows `skip..skip + count` as whole columns.
    ///
    /// # Errors
    /// [`Error::Internal`] when the pieces do not fit together.
    pub fn finish(
        self,
        types: &[ColumnType],
        skip: usize,
        count: usize,
    ) -> Result<(Vec<ArrayRef>, usize), Error> {
        let skip = skip.min(self.row_count);
        let count = count.min(self.row_count - skip);
        let whole = |(idx, column_type): (usize, &ColumnType)| {
            let arrow_type = column_type.arrow_type();
            let pieces = self.pieces.iter().filter_map(|piece| piece.get(idx));
            let pieces: Vec<ArrayRef> = pieces
                .map(|piece| retyped(piece, &arrow_type))
                .collect::<Result<_, _>>()?;
            let pieces: Vec<&dyn Array> = pieces.iter().map(|piece| &**piece).collect();
            match pieces.as_slice() {
                [] => Ok(new_empty_array(&arrow_type)),
                pieces => Ok(concat(pieces).map_err(internal)?.slice(skip, count)),
            }
        };
        let columns = types
            .iter()
            .enumerate()
            .map(whole)
            .collect::<Result<_, Error>>()?;
        Ok((columns, count))
    }
}

/// Returns an array as exactly its type; lists may name their items otherwise.
fn retyped(array: &ArrayRef, arrow_type: &ArrowType) -> Result<ArrayRef, Error> {
    if array.data_type() == arrow_type {
        return Ok(Arc::clone(array));
    }
    arrow_cast::cast(array, arrow_type).map_err(internal)
}

fn internal(error: arrow_schema::ArrowError) -> Error {
    Error::Internal(error.to_string())
}
