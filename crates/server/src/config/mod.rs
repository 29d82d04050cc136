//! The server's configuration file.
//!
//! ```json
//! {
//!   "listen": "127.0.0.1:8099",
//!   "dataDir": "/var/lib/growler",
//!   "tables": [{ "tableName": "events", "source": { "path": "/data/events/*.parquet" } }],
//!   "limits": { "maxConcurrentQueries": 8, "maxQueryTimeMs": 60000, "maxConnections": 512 },
//!   "indexes": { "besideFiles": false, "reloadWorkers": 1, "buildMemoryBytes": 268435456 },
//!   "fileCacheBytes": 8589934592,
//!   "pageCacheBytes": 268435456,
//!   "shadowVerify": 0.01
//! }
//! ```
//!
//! Relative paths count from the folder of the file. Members that do not exist are refused: they
//! are mistyped ones.
//!
//! Rooms: [`mod@file`] the text and its members; [`limits`] what clients may make the server do;
//! [`indexes`] where indexes are kept.

pub mod file;
pub mod indexes;
pub mod limits;

pub use file::{DEFAULT_LISTEN, ServerConfig, ShadowShare};
pub use indexes::IndexSettings;
pub use limits::ServerLimits;
