//! Opening a table by its folder, or by one of its metadata files.

use std::sync::Arc;

use growler_base::limits;

use super::manifest_cache::{ManifestCache, TableManifests};
use super::version;
use crate::error::{Error, FileKind};
use crate::files::{Files, read_whole};
use crate::location::{Relocation, canonical};
use crate::metadata::{Schema, Snapshot, TableMetadata};

const METADATA_FOLDER: &str = "metadata";

/// A table at one version of its metadata; cheap to clone.
#[derive(Clone)]
pub struct IcebergTable {
    pub(crate) files: Arc<dyn Files>,
    pub(crate) metadata: Arc<TableMetadata>,
    pub(crate) relocation: Arc<Relocation>,
    pub(crate) known: Option<TableManifests>,
}

impl std::fmt::Debug for IcebergTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = self.metadata.path();
        f.debug_struct("IcebergTable").field("path", &path).finish()
    }
}

impl IcebergTable {
    /// Opens the table of a folder at its newest version, or, of a `*.metadata.json` file, at that
    /// version.
    ///
    /// The table may lie elsewhere than it was written: what it recorded under its own location is
    /// read where the metadata was found.
    ///
    /// # Errors
    /// `NotFound` when nothing, or no table, is there; `Corrupt`, `Unsupported`, `LimitExceeded`.
    pub fn open(files: Arc<dyn Files>, location: &str) -> Result<Self, Error> {
        let location = canonical(location);
        if is_metadata_file(&location) {
            let metadata = read_metadata(files.as_ref(), &location)?;
            let root = root_of(&location).to_owned();
            return Ok(Self::new(files, metadata, &root));
        }
        let folder = format!("{location}/{METADATA_FOLDER}");
        let mut newest: Option<TableMetadata> = None;
        for name in version::newest(files.as_ref(), &folder)? {
            let metadata = read_metadata(files.as_ref(), &format!("{folder}/{name}"))?;
            let is_newer = |old: &TableMetadata| old.last_updated_ms <= metadata.last_updated_ms;
            if newest.as_ref().is_none_or(is_newer) {
                newest = Some(metadata);
            }
        }
        let metadata = newest.ok_or_else(|| Error::NotATable {
            path: Arc::from(folder),
            cause: "folder has no metadata file".into(),
        })?;
        Ok(Self::new(files, metadata, &location))
    }

    /// Makes the table of metadata that a catalog handed out; its files are where it says.
    pub fn of_catalog(files: Arc<dyn Files>, metadata: TableMetadata) -> Self {
        let location = metadata.location.clone().unwrap_or_default();
        Self::new(files, metadata, &location)
    }

    fn new(files: Arc<dyn Files>, metadata: TableMetadata, root: &str) -> Self {
        let recorded = metadata.location.as_deref().unwrap_or(root);
        let relocation = Relocation::new(recorded, root);
        if canonical(recorded) != relocation.root() {
            tracing::debug!(recorded, root, "table lies elsewhere than it recorded");
        }
        Self {
            files,
            relocation: Arc::new(relocation),
            metadata: Arc::new(metadata),
            known: None,
        }
    }

    /// Returns the table with manifests that are kept for an owner, whose plans then read only those
    /// that are new. A table that has no identity gets none.
    #[must_use]
    pub fn with_manifests(mut self, cache: &Arc<ManifestCache>, owner: &str) -> Self {
        let uuid = self.metadata.table_uuid.as_deref();
        self.known = uuid.map(|uuid| TableManifests::new(Arc::clone(cache), owner, uuid));
        self
    }

    /// Returns the table's metadata.
    pub fn metadata(&self) -> &Arc<TableMetadata> {
        &self.metadata
    }

    /// Returns the folder where the table lies.
    pub fn root(&self) -> &str {
        self.relocation.root()
    }

    /// Returns where a path that the table recorded lies.
    pub fn resolve(&self, recorded: &str) -> String {
        self.relocation.resolve(recorded)
    }

    /// Returns the schema that a snapshot was written with; that of the table where the snapshot does
    /// not say, or the table keeps it no more.
    pub fn schema_of(&self, snapshot: &Snapshot) -> &Arc<Schema> {
        let schema = snapshot.schema_id.and_then(|id| self.metadata.schema(id));
        schema.unwrap_or_else(|| self.metadata.current_schema())
    }
}

fn is_metadata_file(location: &str) -> bool {
    location.ends_with(".metadata.json") || location.ends_with(".metadata.json.gz")
}

/// The table's folder, of the path of a metadata file.
fn root_of(path: &str) -> &str {
    let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
    match folder.rsplit_once('/') {
        Some((root, METADATA_FOLDER)) => root,
        None if folder == METADATA_FOLDER => ".",
        _ => folder,
    }
}

fn read_metadata(files: &dyn Files, path: &str) -> Result<TableMetadata, Error> {
    let most = u64::try_from(limits::METADATA_LEN_BYTES).unwrap_or(u64::MAX);
    let bytes = read_whole(files, &Arc::from(path), FileKind::Metadata, most)?;
    TableMetadata::parse(&bytes, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_where_its_metadata_folder_is() {
        for (path, expected) in [
            ("/lake/t/metadata/v1.metadata.json", "/lake/t"),
            ("/lake/t/other/v1.metadata.json", "/lake/t/other"),
            ("metadata/v1.metadata.json", "."),
            ("v1.metadata.json", "."),
        ] {
            assert_eq!(root_of(path), expected, "{path}");
        }
    }
}
