//! What the server asks of the engine.

use std::path::Path;

use growler_exec::response::BrokerResponse;
use growler_exec::run::CancelFlag;
use growler_schema::{Field, TableConfig, TableSchema};

use crate::Error;

/// A query as it came over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryRequest {
    /// SQL text, `SET` statements included.
    pub sql: String,
    /// `queryOptions`: `k=v;k2=v2`; they win over the ones in the text.
    pub options: String,
}

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

    /// Makes a table of the files at a path, in place of one of the same name.
    ///
    /// # Errors
    /// As [`Self::infer`].
    fn register(&self, config: &TableConfig, path: &Path, schema: TableSchema)
    -> Result<(), Error>;

    /// Forgets a table.
    fn remove(&self, table: &str);

    /// Returns the names of all tables.
    fn tables(&self) -> Vec<String>;

    /// Returns a table's schema.
    fn schema(&self, table: &str) -> Option<TableSchema>;

    /// Returns the names of a table's segments.
    fn segments(&self, table: &str) -> Option<Vec<String>>;

    /// Returns how often rows of a table with undecodable VARIANT bytes were met, since its files
    /// were opened.
    fn malformed_rows(&self, table: &str) -> u64 {
        let _ = table;
        0
    }
}
