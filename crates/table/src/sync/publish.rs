//! Where views go.

use std::sync::Arc;

use growler_exec::View;

use crate::evolve::ServedSchema;
use crate::store::{SchemaVersion, ViewVersion};

/// Takes views as they are published; the server answers queries with them.
pub trait Publisher: Send + Sync {
    /// Takes the view that is served from now on. It is on disk already: it must be taken.
    fn publish(&self, published: Published);

    /// Starts a reload of all segments of a table: a type was widened. Queries see the new type
    /// already; the reload refreshes metadata and indexes.
    fn reload(&self, table: &str);

    /// Returns how far the reload of a table is, if there was one.
    fn reload_progress(&self, _table: &str) -> Option<ReloadProgress> {
        None
    }
}

/// A view that is served from now on.
#[derive(Debug)]
pub struct Published {
    /// Name of the table, without `_OFFLINE`.
    pub table: String,
    /// The view.
    pub view: View,
    /// Which one it is.
    pub view_version: ViewVersion,
    /// The schema that it shows, with what the source says of it.
    pub schema: Arc<ServedSchema>,
    /// Which one it is.
    pub schema_version: SchemaVersion,
}

/// How far a reload is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReloadProgress {
    /// Segments to reload.
    pub total: u64,
    /// Segments that were.
    pub done: u64,
    /// Segments that failed.
    pub failed: u64,
}
