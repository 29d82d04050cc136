//! A key of every row as an array.

use std::sync::Arc;

use arrow_array::{Array, StructArray, new_null_array};
use growler_base::LeafIdx;

use super::arrays::MetadataArray;
use super::collect::Batch;
use super::finder::LevelFinder;
use super::hand_on::hand_on;
use super::tally::Tally;
use super::walk::{Piece, Walk};
use super::{KeyColumn, KeyOutput, KeyPlan, LeafFacts, NonObjectRoot};
use crate::Error;

/// Reads one key out of batches of a pruned variant group.
#[derive(Debug)]
pub struct KeyReader {
    plan: Arc<KeyPlan>,
    output: KeyOutput,
    roots: NonObjectRoot,
    finders: Vec<LevelFinder>,
    held_untyped: Vec<LeafIdx>,
}

impl KeyReader {
    /// Makes a reader of a key.
    pub fn new(plan: Arc<KeyPlan>, output: KeyOutput, roots: NonObjectRoot) -> Self {
        let levels = plan.levels().iter().enumerate();
        let finders = levels
            .map(|(depth, level)| LevelFinder::new(plan.path(), depth, level))
            .collect();
        Self {
            plan,
            output,
            roots,
            finders,
            held_untyped: Vec::new(),
        }
    }

    /// Returns the residuals below the root that hold something in a row that lacks the typed part,
    /// or of which that is not known, in the rows read so far.
    pub fn held_untyped(&self) -> &[LeafIdx] {
        &self.held_untyped
    }

    /// Reads the key of every row. `facts` are those of the row group that the column comes from,
    /// and that its leaves were chosen by.
    ///
    /// # Errors
    /// [`Error::NeedsResidual`] when residuals are needed that were not read; `Unsupported` for a
    /// root that is no object, `Corrupt` for a value both typed and residual, with the row.
    pub fn read(&mut self, column: &StructArray, facts: &LeafFacts) -> Result<KeyColumn, Error> {
        let plan = Arc::clone(&self.plan);
        let metadata = MetadataArray::find(column)?;
        let mut tally = Tally::default();
        let walk = Walk {
            plan: &plan,
            facts,
            output: self.output,
            roots: self.roots,
            metadata,
            finders: &mut self.finders,
            tally: &mut tally,
            held_untyped: &mut self.held_untyped,
            strayed: false,
            pieces: Vec::new(),
            missing: Vec::new(),
            missing_row: 0,
        };
        let pieces = walk.run(column)?;
        if pieces.is_empty() {
            let array = new_null_array(&self.output.data_type().arrow_type(), column.len());
            return Ok(KeyColumn {
                array,
                malformed_rows: tally.malformed_rows(),
            });
        }
        if let [Piece::Leaf { array, rows, .. }] = pieces.as_slice()
            && let Some(array) = hand_on(array, rows, self.output)
        {
            return Ok(KeyColumn {
                array,
                malformed_rows: tally.malformed_rows(),
            });
        }
        let roots = self.roots;
        let mut batch = Batch {
            pieces: &pieces,
            metadata,
            roots,
            finders: &mut self.finders,
            len: column.len(),
        };
        batch.collect(self.output, &tally)
    }
}
