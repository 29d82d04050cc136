//! An expression ready to run.

use arrow_array::ArrayRef;
use growler_schema::{ColumnType, Value};

use crate::{error::Error, expr::InputBatch};

/// A compiled expression.
#[derive(Debug)]
pub struct Compiled {
    column_type: ColumnType,
}

impl Compiled {
    /// Returns the type of the result.
    pub fn column_type(&self) -> ColumnType {
        self.column_type
    }

    /// Evaluates the expression for every row of a batch.
    ///
    /// The array has exactly the type's Arrow type, save that a bare slot's text may keep its
    /// dictionary.
    ///
    /// # Errors
    /// [`Error::Execution`] when a value cannot be processed.
    pub fn evaluate(&self, batch: &InputBatch) -> Result<ArrayRef, Error> {
        let _ = batch;
        Err(Error::Internal(
            "expressions are not evaluated yet".to_owned(),
        ))
    }

    /// Returns the result when it is the same for every row; the inner `None` is SQL NULL.
    pub fn constant(&self) -> Option<Option<Value>> {
        None
    }

    /// Returns the slots that are read, ascending, each once.
    pub fn slots(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Returns the slot when the expression is nothing but a column or key.
    pub fn bare_slot(&self) -> Option<usize> {
        None
    }
}
