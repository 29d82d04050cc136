//! The configuration file as text and as members.

use std::path::{Path, PathBuf};

use growler_base::limits;
use growler_schema::wire::TableConfigJson;
use serde::Deserialize;

use super::indexes::{IndexSettings, IndexesJson};
use super::limits::{LimitsJson, ServerLimits};
use crate::Error;

/// Address that is listened on unless the configuration says otherwise: Pinot's port for brokers,
/// on this machine only.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:8099";

/// Bytes of remote files that are kept unless the configuration says otherwise.
const DEFAULT_FILE_CACHE_BYTES: u64 = 8 << 30;

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
    /// Where indexes are kept, and what building them may cost.
    pub indexes: IndexSettings,
    /// Most bytes of remote files that are kept in the data directory.
    pub file_cache_bytes: u64,
    /// Most bytes of inflated pages that are kept in memory for the next queries; 0 keeps none.
    pub page_cache_bytes: usize,
    /// Share of the queries that are asked again without indexes once they are answered; a
    /// difference is counted and logged.
    pub shadow_verify: ShadowShare,
    /// Folder that relative paths count from.
    pub base_dir: PathBuf,
}

/// A share of queries, from 0 to 1, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShadowShare(u32);

impl ShadowShare {
    /// Takes a fraction.
    ///
    /// # Errors
    /// `InvalidInput` unless it is from 0 to 1.
    pub fn try_new(fraction: f64) -> Result<Self, Error> {
        if !(0.0..=1.0).contains(&fraction) {
            return Err(Error::Config(format!(
                "shadowVerify must be from 0 to 1: found={fraction}"
            )));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the fraction is from 0 to 1"
        )]
        let millionths = (fraction * 1e6).round() as u32;
        // The smallest fraction still takes some.
        Ok(Self(if fraction > 0.0 { millionths.max(1) } else { 0 }))
    }

    /// Returns the share in millionths.
    pub fn millionths(self) -> u32 {
        self.0
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
            indexes: IndexSettings::default(),
            file_cache_bytes: DEFAULT_FILE_CACHE_BYTES,
            page_cache_bytes: limits::PAGE_CACHE_LEN_BYTES,
            shadow_verify: ShadowShare::default(),
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
            indexes: json.indexes.settings()?,
            file_cache_bytes: json.file_cache_bytes.unwrap_or(DEFAULT_FILE_CACHE_BYTES),
            page_cache_bytes: json
                .page_cache_bytes
                .unwrap_or(limits::PAGE_CACHE_LEN_BYTES),
            shadow_verify: ShadowShare::try_new(json.shadow_verify.unwrap_or_default())?,
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
    #[serde(default)]
    indexes: IndexesJson,
    file_cache_bytes: Option<u64>,
    page_cache_bytes: Option<usize>,
    shadow_verify: Option<f64>,
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
                    "shutdownGraceMs": 5, "headerTimeoutMs": 6, "maxConnections": 7},
                "indexes": {"besideFiles": true, "reloadWorkers": 1, "buildMemoryBytes": 8},
                "fileCacheBytes": 9, "pageCacheBytes": 10, "shadowVerify": 0.25}"#,
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
            header_time: Duration::from_millis(6),
            connections: 7,
        };
        assert_eq!(config.limits, expected);
        let expected = IndexSettings {
            beside_files: true,
            workers: 1,
            budget_bytes: 8,
        };
        assert_eq!(config.indexes, expected);
        assert_eq!(config.file_cache_bytes, 9);
        assert_eq!(config.page_cache_bytes, 10);
        assert_eq!(config.shadow_verify.millionths(), 250_000);
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
            r#"{"limits": {"maxConnections": 0}}"#,
            r#"{"indexes": {"beside": true}}"#,
            r#"{"indexes": {"reloadWorkers": 0}}"#,
            r#"{"shadowVerify": 1.5}"#,
            r#"{"shadowVerify": -0.1}"#,
        ] {
            assert!(matches!(parse(text), Err(Error::Config(_))), "{text}");
        }
    }
}
