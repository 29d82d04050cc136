//! A table as a catalog hands it out.

use std::sync::Arc;

use serde_json::Value;

use super::answers::{self, Object, StorageCredential};
use super::names::TableId;
use crate::objects::Storage;
use crate::secret::Properties;
use crate::{Error, TableMetadata};

/// Which snapshots a load asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Snapshots {
    /// All that the table keeps.
    #[default]
    All,
    /// Those that branches and tags lead to; others must be asked for before they are called unknown.
    Refs,
}

impl Snapshots {
    pub(crate) fn query(self) -> &'static str {
        match self {
            Self::All => "snapshots=all",
            Self::Refs => "snapshots=refs",
        }
    }
}

/// A table at the version that the catalog calls current.
#[derive(Debug, Clone)]
pub struct LoadedTable {
    /// Its metadata.
    pub metadata: Arc<TableMetadata>,
    /// The file that the metadata is from. Not enough to tell one version from another: a table made
    /// anew may get the location of its predecessor.
    pub metadata_location: Option<String>,
    /// What to compare by `RestCatalog::load_unless`.
    pub etag: Option<String>,
    /// Which snapshots were asked for.
    pub snapshots: Snapshots,
    /// How to reach its files.
    pub storage: Storage,
}

/// The answer to a load, before its metadata is looked at.
pub(crate) struct LoadAnswer {
    document: Value,
    metadata_location: Option<String>,
    etag: Option<String>,
    config: Properties,
    credentials: Vec<StorageCredential>,
}

impl LoadAnswer {
    pub(crate) fn of(mut object: Object, etag: Option<String>) -> Option<Self> {
        let document = object.remove("metadata").filter(Value::is_object)?;
        let location = object.get("metadata-location").and_then(Value::as_str);
        Some(Self {
            metadata_location: location.map(str::to_owned),
            config: answers::properties(&object, "config"),
            credentials: answers::storage_credentials(&object),
            document,
            etag,
        })
    }

    pub(crate) fn config(&self) -> &Properties {
        &self.config
    }

    pub(crate) fn into_table(
        self,
        id: &TableId,
        snapshots: Snapshots,
        catalog: &Properties,
    ) -> Result<LoadedTable, Error> {
        let mut properties = catalog.clone();
        properties.extend(&self.config);
        let credentials = self.credentials.into_iter();
        let storage = Storage::new(
            properties,
            credentials.map(|found| (found.prefix, found.properties)),
        );
        let path = match &self.metadata_location {
            Some(location) => location.clone(),
            None => id.to_string(),
        };
        let metadata = TableMetadata::of_document(self.document, &path)?;
        Ok(LoadedTable {
            metadata: Arc::new(metadata),
            metadata_location: self.metadata_location,
            etag: self.etag,
            snapshots,
            storage,
        })
    }
}
