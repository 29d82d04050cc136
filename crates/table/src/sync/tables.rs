//! Which tables are followed, and how: what the owner of the configs tells the engine.

use std::sync::Arc;

use growler_schema::TableSchema;

use super::source::CatalogSource;
use super::views::Views;
use crate::config::ExternalConfig;

/// Knows the External Tables.
pub trait Tables: Send + Sync {
    /// Returns their names, without `_OFFLINE`.
    fn names(&self) -> Vec<String>;

    /// Returns how a table is followed, as its config says now; none when there is no such table.
    ///
    /// # Errors
    /// What is wrong with its config.
    fn followed(&self, table: &str) -> Result<Option<Followed>, String>;

    /// Is told that a declared schema is served, and kept: from now on it says nothing new.
    fn adopted(&self, _table: &str, _declared: &TableSchema) {}
}

/// How one table is followed.
#[derive(Clone)]
pub struct Followed {
    /// What its config says.
    pub config: Arc<ExternalConfig>,
    /// The schema that a user declared and that is not served yet; none where the source's is to be
    /// served.
    pub declared: Option<TableSchema>,
    /// Where it comes from.
    pub source: Arc<dyn CatalogSource>,
    /// What reads its files.
    pub views: Arc<dyn Views>,
}
