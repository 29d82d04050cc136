//! What is counted of runs.

use super::record::Phase;
use crate::store::RunState;

/// Takes what happens; the server turns it into metrics.
pub trait SyncMetrics: Send + Sync {
    /// A run ended; `failed_in` says where, if it failed.
    fn run_ended(&self, _table: &str, _state: RunState, _failed_in: Option<Phase>, _took_ms: i64) {}

    /// Files were read, came to be served, or ceased to be.
    fn files(&self, _table: &str, _ingested: u64, _removed: u64, _failed: u64) {}

    /// Another schema is served; `widened` says whether a type was widened.
    fn schema_updated(&self, _table: &str, _widened: bool) {}

    /// A change of the source's schema is not followed.
    fn schema_rejected(&self, _table: &str) {}

    /// Something was tried again.
    fn retried(&self, _table: &str) {}
}

/// Counts nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoMetrics;

impl SyncMetrics for NoMetrics {}
