//! The catalog as callers see it: calls that block.

use std::fmt;
use std::sync::Arc;

use super::config::RestConfig;
use super::error::RestError;
use super::load::{LoadedTable, Snapshots};
use super::names::{Namespace, TableId};
use super::session::Session;
use crate::files::read_whole;
use crate::{Error, FileKind, Files, SnapshotId, TableMetadata, blocking};

/// Deepest namespace that is looked into by [`RestCatalog::all_namespaces`], in levels.
const LEVELS: usize = 16;
/// Most namespaces that are listed.
const NAMESPACES: usize = 100_000;

/// A client of an Iceberg REST catalog; cheap to clone. All calls block, and may be made from any thread.
#[derive(Clone)]
pub struct RestCatalog {
    uri: Arc<str>,
    session: Arc<Session>,
}

impl fmt::Debug for RestCatalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RestCatalog").finish_non_exhaustive()
    }
}

impl RestCatalog {
    /// Asks a catalog for its configuration.
    ///
    /// # Errors
    /// `Settings` that cannot be used; what any call may fail with.
    pub fn connect(config: RestConfig) -> Result<Self, RestError> {
        let uri = Arc::from(config.uri.as_str());
        let session = on_runtime(Session::connect(config))?;
        Ok(Self {
            uri,
            session: Arc::new(session),
        })
    }

    /// Returns the address that the catalog was found at.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Lists the namespaces right below one, or the outermost.
    ///
    /// # Errors
    /// What any call may fail with; `NotFound` when there is no such namespace.
    pub fn namespaces(&self, parent: Option<&Namespace>) -> Result<Vec<Namespace>, RestError> {
        let (session, parent) = (Arc::clone(&self.session), parent.cloned());
        on_runtime(async move { session.namespaces(parent.as_ref()).await })
    }

    /// Lists all namespaces, those below others included, each after the one it is below.
    ///
    /// # Errors
    /// What any call may fail with; `TooMuch` beyond 100,000.
    pub fn all_namespaces(&self) -> Result<Vec<Namespace>, RestError> {
        let mut found = self.namespaces(None)?;
        let mut next = 0;
        while let Some(parent) = found.get(next).cloned() {
            next = next.saturating_add(1);
            if parent.levels().len() >= LEVELS {
                continue;
            }
            match self.namespaces(Some(&parent)) {
                Ok(below) => found.extend(below),
                // Gone meanwhile, or a server that nests no namespaces.
                Err(RestError::NotFound { .. } | RestError::Refused { .. }) => {}
                Err(error) => return Err(error),
            }
            if found.len() > NAMESPACES {
                return Err(RestError::TooMuch {
                    url: self.uri.as_ref().into(),
                    cause: format!("too many namespaces limit={NAMESPACES}").into(),
                });
            }
        }
        Ok(found)
    }

    /// Lists the tables of a namespace, without those of namespaces below.
    ///
    /// # Errors
    /// What any call may fail with; `NotFound` when there is no such namespace.
    pub fn tables(&self, namespace: &Namespace) -> Result<Vec<TableId>, RestError> {
        let (session, namespace) = (Arc::clone(&self.session), namespace.clone());
        on_runtime(async move { session.tables(&namespace).await })
    }

    /// Loads a table at its current version.
    ///
    /// # Errors
    /// What any call may fail with; `NotFound` when there is no such table; `Table` when its metadata
    /// cannot be read.
    pub fn load(&self, id: &TableId, snapshots: Snapshots) -> Result<LoadedTable, RestError> {
        let loaded = self.ask_for(id, snapshots, None)?;
        loaded.ok_or_else(|| RestError::Malformed {
            url: id.to_string().into(),
            cause: "not modified, though no version was named".into(),
        })
    }

    /// Loads a table with all snapshots; none when it still has the tag of an earlier load.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn load_unless(&self, id: &TableId, etag: &str) -> Result<Option<LoadedTable>, RestError> {
        self.ask_for(id, Snapshots::All, Some(etag.to_owned()))
    }

    /// Returns a load that has a snapshot: the given one, one of all snapshots, or what the table's own
    /// metadata file says, as servers may leave snapshots out whatever they are asked for.
    ///
    /// # Errors
    /// `UnknownSnapshot` when none of them has it; as [`Self::load`].
    pub fn with_snapshot(
        &self,
        id: &TableId,
        loaded: LoadedTable,
        snapshot: SnapshotId,
        files: &dyn Files,
    ) -> Result<LoadedTable, RestError> {
        let has = |loaded: &LoadedTable| loaded.metadata.snapshot(snapshot).is_some();
        if has(&loaded) {
            return Ok(loaded);
        }
        let mut loaded = match loaded.snapshots {
            Snapshots::All => loaded,
            Snapshots::Refs => self.load(id, Snapshots::All)?,
        };
        if !has(&loaded)
            && let Some(whole) = read_metadata(&loaded, files)
        {
            loaded.metadata = Arc::new(whole);
        }
        match has(&loaded) {
            true => Ok(loaded),
            false => Err(RestError::UnknownSnapshot {
                snapshot,
                table: id.to_string().into(),
            }),
        }
    }

    fn ask_for(
        &self,
        id: &TableId,
        snapshots: Snapshots,
        etag: Option<String>,
    ) -> Result<Option<LoadedTable>, RestError> {
        let (session, id) = (Arc::clone(&self.session), id.clone());
        on_runtime(async move { session.load(&id, snapshots, etag.as_deref()).await })
    }
}

/// Reads the file that a table was loaded from; none when that is not to be had.
fn read_metadata(loaded: &LoadedTable, files: &dyn Files) -> Option<TableMetadata> {
    let path: Arc<str> = loaded.metadata_location.as_deref()?.into();
    let most = u64::try_from(growler_base::limits::METADATA_LEN_BYTES).ok()?;
    let read = read_whole(files, &path, FileKind::Metadata, most)
        .and_then(|bytes| TableMetadata::parse(&bytes, &path));
    let uuid = |metadata: &TableMetadata| metadata.table_uuid.clone();
    let same = |error: &Error| tracing::debug!(%error, "metadata file of a table cannot be read");
    read.inspect_err(same)
        .ok()
        .filter(|read| uuid(read) == uuid(&loaded.metadata))
}

fn on_runtime<T: Send + 'static>(
    call: impl Future<Output = Result<T, RestError>> + Send + 'static,
) -> Result<T, RestError> {
    blocking::run(call).unwrap_or_else(|error| Err(RestError::Internal(error.to_string().into())))
}
