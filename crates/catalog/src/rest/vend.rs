//! Credentials of a table's files, fetched anew when they end.

use super::client::RestCatalog;
use super::load::Snapshots;
use super::names::TableId;
use crate::objects::{Storage, StorageVendor};

/// Hands out a table's storage settings by loading the table.
#[derive(Debug, Clone)]
pub struct TableCredentials {
    catalog: RestCatalog,
    id: TableId,
}

impl TableCredentials {
    /// Makes the vendor of a table's credentials.
    pub fn new(catalog: RestCatalog, id: TableId) -> Self {
        Self { catalog, id }
    }
}

impl StorageVendor for TableCredentials {
    fn vend(&self) -> std::io::Result<Storage> {
        let loaded = self.catalog.load(&self.id, Snapshots::Refs);
        loaded
            .map(|loaded| loaded.storage)
            .map_err(|error| std::io::Error::other(error.to_string()))
    }
}
