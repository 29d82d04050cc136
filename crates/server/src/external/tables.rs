//! What is asked of the one who keeps External Tables in step with their sources.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use growler_exec::run::CancelFlag;
use growler_schema::{TableConfig, TableSchema};
use growler_table::browse::{Listing, Place};
use growler_table::config::ExternalConfig;
use growler_table::store::Store;
use growler_table::sync::ReloadProgress;
use serde_json::Value;

use crate::Error;

/// What a source would be as a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// Its columns.
    pub schema: TableSchema,
    /// What is to be known about them.
    pub warnings: Vec<String>,
}

/// Tells how far the last reload of a table is.
pub type AskProgress = Arc<dyn Fn(&str) -> Option<ReloadProgress> + Send + Sync>;

/// What those who follow sources are given.
#[derive(Clone)]
pub struct ExternalParts {
    /// Where their state is kept.
    pub store: Arc<Store>,
    /// Folders that local files of tables may be in which clients declare; anywhere if there are none.
    pub table_roots: Option<Vec<PathBuf>>,
    /// Names of the server's own tables, whose files may be anywhere.
    pub own: BTreeSet<String>,
    /// Most bytes of remote files that are kept on disk.
    pub cache_bytes: u64,
    /// Asks for a reload of all segments of a table.
    pub reload: Arc<dyn Fn(&str) + Send + Sync>,
    /// Tells how far the last reload of a table is.
    pub reload_progress: AskProgress,
}

/// A run that is to be made.
#[derive(Debug, Clone, Copy)]
pub struct RunAsked<'a> {
    /// Name of its task, which its log lines begin with.
    pub task: &'a str,
    /// Whether somebody asked for it, rather than the schedule.
    pub by_request: bool,
    /// Is raised when it is to end.
    pub cancel: &'a CancelFlag,
}

/// How a run ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunDone {
    /// Files that came to the table.
    pub ingested: u64,
    /// Files that left it.
    pub removed: u64,
}

/// External Tables, as the server sees them. All calls may block; names come without `_OFFLINE`.
pub trait ExternalTables: Send + Sync + 'static {
    /// Reads what a source would be as a table of a name; nothing is kept.
    ///
    /// # Errors
    /// Why the source cannot be read, and what to do.
    fn preview(&self, table: &str, config: &ExternalConfig) -> Result<Preview, Error>;

    /// Lists what a place has.
    ///
    /// # Errors
    /// As [`Self::preview`].
    fn browse(&self, place: &Place) -> Result<Listing, Error> {
        growler_table::browse::browse(place).map_err(|error| Error::Files {
            text: error.to_string(),
            kind: error.kind(),
        })
    }

    /// Takes on a table, or the changed config of one. The source is not asked. `declared` are the columns that a client wants, instead of all.
    ///
    /// # Errors
    /// Why it cannot be served; it is taken on all the same.
    fn follow(
        &self,
        table: &TableConfig,
        config: &ExternalConfig,
        declared: Option<&TableSchema>,
    ) -> Result<(), Error>;

    /// Puts in order what an earlier server left, which the server does once at its start.
    ///
    /// # Errors
    /// `Unavailable` when the store cannot be read.
    fn start(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Serves what was published of a table taken on before; tells whether there was anything.
    ///
    /// # Errors
    /// Why it cannot be served now.
    fn restore(&self, table: &str) -> Result<bool, Error> {
        let _ = table;
        Ok(false)
    }

    /// Tells all runs to end, which the server does once at its end.
    fn stop(&self) {}

    /// Returns when the last run of a table began, in milliseconds since 1970.
    fn last_run_ms(&self, table: &str) -> Option<i64> {
        let _ = table;
        None
    }

    /// Lets go of a table that was dropped, and deletes what is kept of it.
    ///
    /// # Errors
    /// `Unavailable` when that cannot be deleted.
    fn forget(&self, table: &str) -> Result<(), Error>;

    /// Brings a table in step with its source, once. It ends soon after its flag is raised.
    ///
    /// # Errors
    /// Why the table serves on as it was.
    fn run(&self, table: &str, asked: &RunAsked<'_>) -> Result<RunDone, Error>;

    /// Has a table whose source became another one follow that: its next run reads all of it.
    ///
    /// # Errors
    /// `Unavailable` while a run goes on.
    fn reattach(&self, table: &str) -> Result<(), Error>;

    /// Returns how far a table is.
    ///
    /// # Errors
    /// `NotFound`.
    fn status(&self, table: &str) -> Result<Value, Error>;

    /// Returns what the state that a table serves is made of.
    ///
    /// # Errors
    /// `NotFound` when it serves none.
    fn contents(&self, table: &str) -> Result<Value, Error> {
        Err(Error::NotFound(format!("Table {table} serves nothing yet")))
    }

    /// Returns what of its source a table serves.
    ///
    /// # Errors
    /// `NotFound`.
    fn checkpoint(&self, table: &str) -> Result<Value, Error>;
}
