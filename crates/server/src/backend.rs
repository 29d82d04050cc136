//! What the server asks of the engine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use growler_exec::reload::{Advance, Reloaded};
use growler_exec::response::BrokerResponse;
use growler_exec::run::CancelFlag;
use growler_schema::{Field, TableConfig, TableSchema};
use growler_segment::PageCounts;
use serde_json::Value;

use crate::Error;
use crate::external::{ExternalParts, ExternalTables};

/// A query as it came over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryRequest {
    /// SQL text, `SET` statements included.
    pub sql: String,
    /// `queryOptions`: `k=v;k2=v2`; they win over the ones in the text.
    pub options: String,
}

/// A segment of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentInfo {
    /// Name; two files of one name in several folders have the same.
    pub name: String,
    /// File.
    pub path: PathBuf,
    /// Rows.
    pub row_count: u64,
}

/// What goes with the reload of a segment.
#[derive(Clone)]
pub struct ReloadControl {
    /// Builds everything anew, whatever is there.
    pub rebuild: bool,
    /// Stops it soon; the segment then has the indexes that it had.
    pub cancel: CancelFlag,
    /// Called now and then with how far it is.
    pub progress: Arc<dyn Fn(Advance) + Send + Sync>,
}

/// A table's config and files at one moment, to be reloaded segment by segment, several at a time.
pub trait TableReload: Send + Sync {
    /// Brings a segment's indexes to what the config wants, and publishes them: queries that begin
    /// later use them.
    ///
    /// # Errors
    /// Why the segment serves on with the indexes that it had.
    fn reload(&self, segment: &Path, control: &ReloadControl) -> Result<Reloaded, Error>;

    /// Deletes what is kept of files that the table has no more. Called once all segments were tried.
    fn sweep(&self) {}
}

/// What is left to do until a table is served; it cannot fail any more.
pub type Swap = Box<dyn FnOnce() + Send>;

/// The engine, as the server sees it. All calls may block.
///
/// Names of tables come without `_OFFLINE`. A query keeps the version of the tables that it began
/// with, whatever is registered or removed meanwhile.
pub trait Backend: Send + Sync + 'static {
    /// Answers a query; every failure is in the answer's exceptions. It ends soon after the flag is
    /// raised.
    fn query(&self, request: &QueryRequest, cancel: &CancelFlag) -> BrokerResponse;

    /// Reads the columns that the Parquet files at a path have between them.
    ///
    /// # Errors
    /// `NotFound` when no file is there, `Corrupt`, `Unavailable` or `Unsupported` for a file that
    /// cannot be read; all name the file.
    fn infer(&self, path: &Path) -> Result<Vec<Field>, Error>;

    /// Opens the files at a path as a table, which is served, in place of one of the same name, once
    /// the swap is called. Indexes that were built of these files are used; none is built.
    ///
    /// # Errors
    /// As [`Self::infer`].
    fn prepare(
        &self,
        config: &TableConfig,
        path: &Path,
        schema: TableSchema,
    ) -> Result<Swap, Error>;

    /// Makes what serves External Tables, whose state is in a store; none when this engine has none.
    ///
    /// # Errors
    /// `Unavailable` when it cannot be made.
    fn external_tables(
        &self,
        parts: ExternalParts,
    ) -> Result<Option<Arc<dyn ExternalTables>>, Error> {
        let _ = parts;
        Ok(None)
    }

    /// Forgets a table; its indexes stay.
    fn remove(&self, table: &str);

    /// Deletes what an earlier run left half-written. Called once nobody else uses the data
    /// directory, before any table is registered.
    fn clean_up(&self) {}

    /// Deletes what is kept of a table that was removed, its indexes.
    fn remove_indexes(&self, table: &str) {
        let _ = table;
    }

    /// Returns the names of all tables.
    fn tables(&self) -> Vec<String>;

    /// Returns a table's schema.
    fn schema(&self, table: &str) -> Option<TableSchema>;

    /// Returns a table's segments, in order.
    fn segments(&self, table: &str) -> Option<Vec<SegmentInfo>>;

    /// Returns what a client may know of the segments of a name: their files and indexes.
    fn segment_metadata(&self, table: &str, segment: &str) -> Vec<Value>;

    /// Takes a table's config and files as they are now, to reload them.
    ///
    /// # Errors
    /// `NotFound` for an unknown table, `Conflict` when its indexes have no place to be kept.
    fn begin_reload(&self, table: &str) -> Result<Arc<dyn TableReload>, Error>;

    /// Returns the segments of a table that a reload would change: because of its config, because of an
    /// index that a query found damaged, or because other indexes lie there than the ones in use. No
    /// data is read.
    fn need_reload(&self, table: &str) -> Option<Vec<SegmentInfo>>;

    /// Returns what the cache of inflated pages has done so far, if there is one.
    fn page_counts(&self) -> Option<PageCounts> {
        None
    }

    /// Returns how many bytes the indexes in use by a table take.
    fn index_bytes(&self, table: &str) -> u64 {
        let _ = table;
        0
    }

    /// Returns a number that is another one once the rows of any table may be others.
    fn version(&self) -> u64 {
        0
    }

    /// Returns how often rows of a table with undecodable VARIANT bytes were met, since its files
    /// were opened.
    fn malformed_rows(&self, table: &str) -> u64 {
        let _ = table;
        0
    }
}
