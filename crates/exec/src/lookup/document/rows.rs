//! Rows that an index of documents found.

use growler_index::{Error as IndexError, RowSet};

use crate::error::Error;

/// Where a predicate is true and null, and where only a scan tells; no row is in two of them.
#[derive(Debug, Default)]
pub struct DocumentRows {
    /// Rows where it is true.
    pub trues: RowSet,
    /// Rows where it is null.
    pub nulls: RowSet,
    /// Rows that only a scan tells.
    pub unknown: RowSet,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Declined {
    /// The scan knows better, or an index is damaged, which was logged where it was found.
    Scan,
    /// The query ends.
    Query(Error),
}

impl From<IndexError> for Declined {
    fn from(_: IndexError) -> Self {
        Self::Scan
    }
}

impl DocumentRows {
    /// Adds rows that the predicate says the same of.
    pub(super) fn add(&mut self, rows: &RowSet, verdict: Option<bool>) {
        match verdict {
            Some(true) => self.trues = self.trues.or(rows),
            Some(false) => {}
            None => self.nulls = self.nulls.or(rows),
        }
    }

    /// Leaves rows to the scan, whatever is known of them.
    pub(super) fn forget(mut self, rows: &RowSet) -> Self {
        if !rows.is_empty() {
            self.trues = self.trues.without(rows);
            self.nulls = self.nulls.without(rows);
            self.unknown = self.unknown.or(rows);
        }
        self
    }

    /// Returns about how many bytes the rows take.
    pub fn held_bytes(&self) -> usize {
        let sets = [&self.trues, &self.nulls, &self.unknown].into_iter();
        sets.map(RowSet::held_bytes).fold(0, usize::saturating_add)
    }
}
