//! An expression ready to run.

use arrow_array::ArrayRef;
use growler_schema::{ColumnType, Value};

use super::{InputBatch, node::Node};
use crate::error::Error;

/// A compiled expression.
#[derive(Debug)]
pub struct Compiled {
    node: Node,
}

impl Compiled {
    /// Wraps a compiled tree.
    pub(crate) fn new(node: Node) -> Self {
        Self { node }
    }

    /// Returns the type of the result.
    pub fn column_type(&self) -> ColumnType {
        self.node.column_type
    }

    /// Evaluates the expression for every row of a batch.
    ///
    /// The array has exactly the type's Arrow type, save that a bare slot's text may keep its
    /// dictionary. With null handling off it has no nulls.
    ///
    /// # Errors
    /// [`Error::Execution`] when a value cannot be processed.
    pub fn evaluate(&self, batch: &InputBatch) -> Result<ArrayRef, Error> {
        match self.node.as_slot() {
            Some(_) => self.node.rows(batch),
            None => self.node.plain_rows(batch),
        }
    }

    /// Returns the result when it is the same for every row; the inner `None` is SQL NULL.
    pub fn constant(&self) -> Option<Option<Value>> {
        self.node.as_constant().map(|value| value.cloned())
    }

    /// Returns the slots that are read, ascending, each once.
    pub fn slots(&self) -> Vec<usize> {
        let mut slots = Vec::new();
        self.node.collect_slots(&mut slots);
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// Returns the slot when the expression is nothing but a column or key.
    pub fn bare_slot(&self) -> Option<usize> {
        self.node.as_slot()
    }
}
