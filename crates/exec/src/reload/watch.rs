//! How far a reload is, and whether it is to stop.

use std::sync::atomic::{AtomicU64, Ordering};

use growler_segment::Segment;

use super::Error;
use super::segment::{Advance, ReloadOptions};

/// Counts rows and tells the caller.
pub(super) struct Watch<'a> {
    options: &'a ReloadOptions,
    done: AtomicU64,
    total: AtomicU64,
}

impl<'a> Watch<'a> {
    pub(super) fn new(options: &'a ReloadOptions) -> Self {
        Self {
            options,
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
        }
    }

    /// Adds to the rows that are to be read.
    pub(super) fn expect(&self, rows: u64) {
        self.total.fetch_add(rows, Ordering::Relaxed);
        self.tell();
    }

    /// Counts rows that were read.
    pub(super) fn advance(&self, rows: u64) {
        self.done.fetch_add(rows, Ordering::Relaxed);
        self.tell();
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.options.cancel.is_cancelled()
    }

    /// Fails once the reload was cancelled.
    pub(super) fn check(&self, segment: &Segment) -> Result<(), Error> {
        match self.is_cancelled() {
            true => Err(Error::Cancelled(segment.id().clone())),
            false => Ok(()),
        }
    }

    fn tell(&self) {
        if let Some(progress) = &self.options.progress {
            progress(Advance {
                rows_done: self.done.load(Ordering::Relaxed),
                rows_total: self.total.load(Ordering::Relaxed),
            });
        }
    }
}
