//! The server's configuration file.
//!
//! ```json
//! {
//!   "listen": "127.0.0.1:8099",
//!   "dataDir": "/var/lib/growler",
//!   "tables": [{ "tableName": "events", "source": { "path": "/data/events/*.parquet" } }],
//!   "limits": { "maxConcurrentQueries": 8, "maxQueryTimeMs": 60000 }
//! }
//! ```
//!
//! Relative paths count from the folder of the file. Members that do not exist are refused: they
//! are mistyped ones.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use growler_base::limits;
use growler_schema::wire::TableConfigJson;
use serde::Deserialize;

use crate::Error;

/// Address that is listened on unless the configuration says otherwise: Pinot's port for brokers,
/// on this machine only.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:8099";

/// What a server is started with.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    /// Address and port; port 0 takes a free one.
    pub listen: String,
    /// Folder where accepted schemas and table configs are kept. Without one they last as long as
    /// the server.
    pub data_dir: Option<PathBuf>,
    /// Tables that are there from the start. The server cannot drop or change them.
    pub tables: Vec<TableConfigJson>,
    /// Folders below which tables may be declared over HTTP; none means anywhere the server can
    /// read.
    pub table_roots: Option<Vec<PathBuf>>,
    /// Bounds on what clients may make the server do.
    pub limits: ServerLimits,
    /// Folder that relative paths count from.
    pub base_dir: PathBuf,
}

/// Bounds on what clients may make the server do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// Queries that run at a time; others wait.
    pub concurrent_queries: usize,
    /// Queries that wait at a time; others are refused.
    pub queued_queries: usize,
    /// Time a query waits before it is refused.
    pub queue_timeout: Duration,
    /// Time after which a query is cancelled whatever its `timeoutMs` says.
    pub query_time: Duration,
    /// Time in which a request's body must have arrived, and in which one that is no query must be
    /// answered.
    pub request_time: Duration,
    /// Largest request body.
    pub body_bytes: usize,
    /// Time that running queries have to end when the server is stopped; then they are cancelled.
    pub drain_time: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(4, usize::from);
        Self {
            concurrent_queries: cores.saturating_mul(2).max(4),
            queued_queries: 256,
            queue_timeout: Duration::from_millis(limits::QUERY_TIMEOUT_MS),
            query_time: Duration::from_secs(600),
            request_time: Duration::from_secs(60),
            body_bytes: limits::HTTP_BODY_BYTES,
            drain_time: Duration::from_secs(10),
        }
    }
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            listen: DEFAULT_LISTEN.to_owned(),
            data_dir: None,
            tables: Vec::new(),
            table_roots: None,
            limits: ServerLimits::default(),
            base_dir: PathBuf::new(),
        }
    }
}

impl ServerConfig {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// `Unavailable` when it cannot be read, `InvalidInput` when it is not a configuration.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read(path).map_err(|error| Error::io("read", path, &error))?;
        let base_dir = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Self::parse(&text, base_dir).map_err(|error| error.in_file(path))
    }

    /// Parses a configuration whose relative paths count from `base_dir`.
    ///
    /// # Errors
    /// `InvalidInput` when the text is not a configuration.
    pub fn parse(text: &[u8], base_dir: PathBuf) -> Result<Self, Error> {
        let json: ConfigJson =
            serde_json::from_slice(text).map_err(|error| Error::Config(error.to_string()))?;
        Ok(Self {
            listen: json.listen.unwrap_or_else(|| DEFAULT_LISTEN.to_owned()),
            data_dir: json.data_dir.map(|folder| base_dir.join(folder)),
            tables: json.tables,
            table_roots: json
                .table_roots
                .map(|roots| roots.iter().map(|root| base_dir.join(root)).collect()),
            limits: json.limits.limits()?,
            base_dir,
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ConfigJson {
    listen: Option<String>,
    data_dir: Option<PathBuf>,
    #[serde(default)]
    tables: Vec<TableConfigJson>,
    table_roots: Option<Vec<PathBuf>>,
    #[serde(default)]
    limits: LimitsJson,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LimitsJson {
    max_concurrent_queries: Option<usize>,
    max_queued_queries: Option<usize>,
    queue_timeout_ms: Option<u64>,
    max_query_time_ms: Option<u64>,
    request_timeout_ms: Option<u64>,
    max_request_bytes: Option<usize>,
    shutdown_grace_ms: Option<u64>,
}

impl LimitsJson {
    fn limits(&self) -> Result<ServerLimits, Error> {
        let usual = ServerLimits::default();
        let time = |asked: Option<u64>, usual| asked.map_or(usual, Duration::from_millis);
        let limits = ServerLimits {
            concurrent_queries: self
                .max_concurrent_queries
                .unwrap_or(usual.concurrent_queries),
            queued_queries: self.max_queued_queries.unwrap_or(usual.queued_queries),
            queue_timeout: time(self.queue_timeout_ms, usual.queue_timeout),
            query_time: time(self.max_query_time_ms, usual.query_time),
            request_time: time(self.request_timeout_ms, usual.request_time),
            body_bytes: self.max_request_bytes.unwrap_or(usual.body_bytes),
            drain_time: time(self.shutdown_grace_ms, usual.drain_time),
        };
        if limits.concurrent_queries == 0 || limits.concurrent_queries > MOST_QUERIES {
            return Err(Error::Config(format!(
                "maxConcurrentQueries must be from 1 to {MOST_QUERIES}: found={}",
                limits.concurrent_queries
            )));
        }
        Ok(limits)
    }
}

/// Most queries that may run at a time: each occupies a thread of the blocking pool, which has 512.
const MOST_QUERIES: usize = 400;

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ServerConfig, Error> {
        ServerConfig::parse(text.as_bytes(), PathBuf::from("/etc/growler"))
    }

    #[test]
    fn reads_every_member() -> Result<(), Error> {
        let config = parse(
            r#"{"listen": "0.0.0.0:80", "dataDir": "state", "tableRoots": ["/data", "more"],
                "tables": [{"tableName": "t", "source": {"path": "t.parquet"}}],
                "limits": {"maxConcurrentQueries": 3, "maxQueuedQueries": 0, "queueTimeoutMs": 1,
                    "maxQueryTimeMs": 2, "requestTimeoutMs": 3, "maxRequestBytes": 4,
                    "shutdownGraceMs": 5}}"#,
        )?;
        assert_eq!(config.listen, "0.0.0.0:80");
        assert_eq!(config.data_dir, Some(PathBuf::from("/etc/growler/state")));
        let roots = [PathBuf::from("/data"), PathBuf::from("/etc/growler/more")];
        assert_eq!(config.table_roots.as_deref(), Some(&roots[..]));
        assert_eq!(config.tables.len(), 1);
        let expected = ServerLimits {
            concurrent_queries: 3,
            queued_queries: 0,
            queue_timeout: Duration::from_millis(1),
            query_time: Duration::from_millis(2),
            request_time: Duration::from_millis(3),
            body_bytes: 4,
            drain_time: Duration::from_millis(5),
        };
        assert_eq!(config.limits, expected);
        let base_dir = PathBuf::from("/etc/growler");
        assert_eq!(
            parse("{}")?,
            ServerConfig {
                base_dir,
                ..ServerConfig::default()
            }
        );
        Ok(())
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for text in [
            "",
            "[]",
            r#"{"port": 80}"#,
            r#"{"limits": {"maxQueries": 1}}"#,
            r#"{"limits": {"maxConcurrentQueries": 0}}"#,
            r#"{"limits": {"maxConcurrentQueries": 100000}}"#,
            r#"{"tables": [{"tableName": 5}]}"#,
        ] {
            assert!(matches!(parse(text), Err(Error::Config(_))), "{text}");
        }
    }
}
