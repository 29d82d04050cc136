//! The first rows that pass.

use arrow_array::{Array, ArrayRef};

use super::Pieces;
use crate::{
    error::Error,
    expr::InputBatch,
    plan::physical::Selected,
    run::{
        MemoryBudget,
        scan::{Collector, Matched, Wanted},
    },
};

/// Selected items of the first rows that pass.
pub struct SelectPartial<'p> {
    select: &'p [Selected],
    limit: usize,
    /// The rows.
    pub pieces: Pieces,
}

impl<'p> SelectPartial<'p> {
    /// Starts without rows; takes at most `limit`.
    pub fn new(select: &'p [Selected], limit: usize, budget: &MemoryBudget) -> Self {
        Self {
            select,
            limit,
            pieces: Pieces::new(budget),
        }
    }
}

impl Collector for SelectPartial<'_> {
    fn collect(&mut self, matched: &Matched) -> Result<usize, Error> {
        let taken = matched
            .batch
            .row_count
            .min(self.limit - self.pieces.row_count());
        let batch = head(&matched.batch, taken);
        let columns = self
            .select
            .iter()
            .map(|item| item.operand.evaluate(&batch, item.nulls));
        self.pieces
            .push(&columns.collect::<Result<Vec<_>, _>>()?, taken)?;
        Ok(taken)
    }

    fn wanted(&self) -> Wanted {
        match self.limit.saturating_sub(self.pieces.row_count()) {
            0 => Wanted::Nothing,
            count => Wanted::Rows(count),
        }
    }
}

/// Returns the first rows of a batch.
fn head(batch: &InputBatch, row_count: usize) -> InputBatch {
    let first = |column: &ArrayRef| column.slice(0, row_count.min(column.len()));
    InputBatch {
        columns: batch.columns.iter().map(first).collect(),
        row_count,
    }
}
