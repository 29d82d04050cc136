//! Where indexes are kept, and what building them may cost.
//!
//! With a data directory they are kept in its folder `segments`. Without one there is no place that
//! is the server's own, and the folders of the Parquet files are written to only if the
//! configuration says so (`"besideFiles": true`); else a reload that has something to build fails.

use std::path::Path;
use std::thread;

use growler_exec::reload::IndexStore;
use serde::Deserialize;

use super::limits::within;
use crate::Error;

/// Memory that the build of one segment's indexes may hold unless configured otherwise, in bytes.
const BUDGET_BYTES: usize = 256 << 20;
/// Folder of the data directory with the indexes of all tables.
const FOLDER: &str = "segments";
/// Most segments that may be reloaded at a time.
const MOST_WORKERS: usize = 256;

/// Where indexes are kept, and what building them may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexSettings {
    /// Keep the indexes of a Parquet file in a folder `_growler/TABLE` beside it, also where there is a
    /// data directory.
    pub beside_files: bool,
    /// Segments that are reloaded at a time; never more than half of the cores.
    pub workers: usize,
    /// Memory that each of them may hold, in bytes.
    pub budget_bytes: usize,
}

impl Default for IndexSettings {
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self {
            beside_files: false,
            // Queries come first: reloads have half of the cores at most.
            workers: (cores / 2).max(1),
            budget_bytes: BUDGET_BYTES,
        }
    }
}

impl IndexSettings {
    /// Returns where indexes are kept.
    pub fn store(&self, data_dir: Option<&Path>) -> IndexStore {
        match data_dir {
            _ if self.beside_files => IndexStore::Beside,
            Some(data_dir) => IndexStore::Folder(data_dir.join(FOLDER)),
            None => IndexStore::None,
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct IndexesJson {
    #[serde(default)]
    beside_files: bool,
    reload_workers: Option<usize>,
    build_memory_bytes: Option<usize>,
}

impl IndexesJson {
    pub(super) fn settings(&self) -> Result<IndexSettings, Error> {
        let usual = IndexSettings::default();
        let workers = match self.reload_workers {
            Some(workers) => within("reloadWorkers", workers, MOST_WORKERS)?.min(usual.workers),
            None => usual.workers,
        };
        Ok(IndexSettings {
            beside_files: self.beside_files,
            workers,
            budget_bytes: self.build_memory_bytes.unwrap_or(usual.budget_bytes),
        })
    }
}
