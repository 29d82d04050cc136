//! What an observer may watch while a query runs.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that only grow; reading them costs the query nothing.
#[derive(Debug, Default)]
pub struct Progress {
    rows_total: AtomicU64,
    rows_done: AtomicU64,
    rows_folded_unread: AtomicU64,
    rows_tested_by_ids: AtomicU64,
}

impl Progress {
    /// Returns how many rows the query has to look at; 0 before it is planned.
    pub fn rows_total(&self) -> u64 {
        self.rows_total.load(Ordering::Relaxed)
    }

    /// Returns how many of them are done: looked at, or proven not to matter.
    pub fn rows_done(&self) -> u64 {
        self.rows_done.load(Ordering::Relaxed)
    }

    /// Returns how many times a predicate was told of a row by the id of its value, which was not made.
    pub fn rows_tested_by_ids(&self) -> u64 {
        self.rows_tested_by_ids.load(Ordering::Relaxed)
    }

    pub(crate) fn add_tested_by_ids(&self, rows: u64) {
        self.rows_tested_by_ids.fetch_add(rows, Ordering::Relaxed);
    }

    /// Returns how many rows were grouped and folded without arrays of their values: as ids, or because
    /// the footer told enough.
    pub fn rows_folded_unread(&self) -> u64 {
        self.rows_folded_unread.load(Ordering::Relaxed)
    }

    pub(crate) fn add_folded_unread(&self, rows: u64) {
        self.rows_folded_unread.fetch_add(rows, Ordering::Relaxed);
    }

    pub(crate) fn add_total(&self, rows: u64) {
        self.rows_total.fetch_add(rows, Ordering::Relaxed);
    }

    pub(crate) fn add_done(&self, rows: u64) {
        self.rows_done.fetch_add(rows, Ordering::Relaxed);
    }
}
