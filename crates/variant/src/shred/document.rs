//! Whole documents as JSON text.

use std::sync::Arc;

use arrow_array::StructArray;
use growler_base::LeafIdx;

use super::{KeyColumn, Layout, LeafFacts, NonObjectRoot};
use crate::Error;

/// Reads whole documents out of batches of a variant group.
#[derive(Debug)]
pub struct DocumentReader {
    layout: Arc<Layout>,
    roots: NonObjectRoot,
}

impl DocumentReader {
    /// Makes a reader of documents.
    pub fn new(layout: Arc<Layout>, roots: NonObjectRoot) -> Self {
        Self { layout, roots }
    }

    /// Returns the leaves to read in a row group, in leaf order.
    pub fn leaves(&self, facts: &LeafFacts) -> Vec<LeafIdx> {
        let _ = facts;
        self.layout.leaves()
    }

    /// Reads the document of every row; SQL NULL is null.
    ///
    /// # Errors
    /// `Unsupported` for a root that is no object, `Corrupt` for a value both typed and residual,
    /// with the row.
    pub fn read(&self, column: &StructArray) -> Result<KeyColumn, Error> {
        let _ = (column, self.roots);
        Err(Error::NeedsResidual { row: 0 })
    }
}

/// Writes the values of a variant that is nested in a struct, list or map; any root will do.
#[derive(Debug)]
pub struct ValueWriter<'a> {
    column: &'a StructArray,
}

/// What [`ValueWriter::write`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// Nothing: the group is null.
    Null,
    /// Nothing: the bytes of the value are malformed.
    Malformed,
    /// The JSON text of the value.
    Value,
}

impl<'a> ValueWriter<'a> {
    /// Looks at a variant group, as the Parquet reader returns it.
    ///
    /// # Errors
    /// `Internal` when an array is not what the layout says.
    pub fn try_new(layout: &'a Layout, column: &'a StructArray) -> Result<Self, Error> {
        let _ = layout;
        Ok(Self { column })
    }

    /// Appends the JSON text of a row's value.
    ///
    /// # Errors
    /// `Corrupt` for a value both typed and residual, with the row.
    pub fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<Written, Error> {
        let _ = (row, out, self.column);
        Ok(Written::Null)
    }
}
