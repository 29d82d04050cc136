//! A table of a REST catalog that is asked only when it is needed.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use growler_catalog::objects::{Storage, StorageVendor};
use growler_catalog::rest::{
    RestCatalog, RestConfig, RestError, Snapshots, TableCredentials, TableId,
};
use growler_catalog::{Files, IcebergTable, ObjectFiles};

use crate::sync::{CatalogSource, Loaded, SourceError};

/// A catalog that is connected with at the first call.
#[derive(Debug)]
pub(super) struct LazyCatalog {
    config: RestConfig,
    id: TableId,
    connected: Mutex<Option<RestCatalog>>,
}

impl LazyCatalog {
    pub(super) fn new(config: RestConfig, id: TableId) -> Self {
        Self {
            config,
            id,
            connected: Mutex::default(),
        }
    }

    fn get(&self) -> Result<RestCatalog, RestError> {
        let mut connected = self.lock();
        if let Some(catalog) = &*connected {
            return Ok(catalog.clone());
        }
        let catalog = RestCatalog::connect(self.config.clone())?;
        *connected = Some(catalog.clone());
        Ok(catalog)
    }

    fn forget(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<RestCatalog>> {
        self.connected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl StorageVendor for LazyCatalog {
    fn vend(&self) -> io::Result<Storage> {
        let catalog = self.get();
        let catalog = catalog.map_err(|error| io::Error::other(error.to_string()))?;
        TableCredentials::new(catalog, self.id.clone()).vend()
    }
}

/// One table of a catalog.
pub(super) struct RestSource {
    catalog: Arc<LazyCatalog>,
    files: ObjectFiles,
    vends: bool,
}

impl RestSource {
    pub(super) fn new(catalog: Arc<LazyCatalog>, files: ObjectFiles, vends: bool) -> Self {
        Self {
            catalog,
            files,
            vends,
        }
    }
}

impl CatalogSource for RestSource {
    fn tries_again(&self) -> bool {
        true
    }

    fn load(&self) -> Result<Loaded, SourceError> {
        let (catalog, id) = (self.catalog.get()?, &self.catalog.id);
        let loaded = catalog.load(id, Snapshots::All)?;
        if self.vends {
            self.files.renew(loaded.storage.clone());
        }
        let metadata_location = loaded.metadata_location.clone();
        let files: Arc<dyn Files> = Arc::new(self.files.clone());
        let loaded = match loaded.metadata.current_snapshot_id {
            Some(snapshot) => catalog.with_snapshot(id, loaded, snapshot, files.as_ref())?,
            None => loaded,
        };
        let metadata = Arc::unwrap_or_clone(loaded.metadata);
        Ok(Loaded::Iceberg {
            table: IcebergTable::of_catalog(files, metadata),
            metadata_location,
        })
    }

    fn renew(&self) -> Result<(), SourceError> {
        // The next call connects again, with a token of its own.
        self.catalog.forget();
        Ok(())
    }

    fn files(&self) -> Option<Arc<dyn Files>> {
        Some(Arc::new(self.files.clone()))
    }
}
