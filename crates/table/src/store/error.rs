//! Why something cannot be kept, or is not found as it was kept.

use std::path::PathBuf;

use growler_base::ErrorKind;

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process has the data directory.
    #[error("data directory is in use by another server: {cause}: path={}", path.display())]
    InUse {
        /// The data directory.
        path: PathBuf,
        /// What the system said.
        cause: String,
    },
    /// The data directory cannot be made or opened.
    #[error("cannot open data directory: {source} path={}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is no database, or a broken one.
    #[error("database is damaged: {cause} path={}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// A database of some other program.
    #[error("database is not one of growler: path={}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A later growler wrote the file.
    #[error("database was written by a later version of growler: version={version} latest={latest} path={}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Version of its tables.
        version: i64,
        /// The last version known here.
        latest: i64,
    },
    /// The lease under which a change was made is somebody else's now.
    #[error("lease was taken over by another owner: table={table} fence={fence}")]
    StaleLease {
        /// The table.
        table: String,
        /// Fence of the lease that is no more.
        fence: i64,
    },
    /// A row does not hold what it should.
    #[error("stored row does not parse: {cause} table={table}")]
    Row {
        /// The table it is about.
        table: String,
        /// What is wrong with it.
        cause: String,
    },
    /// SQLite refused.
    #[error("database failed: {0}")]
    Database(#[from] rusqlite::Error),
    /// A [`super::CommitHook`] refused.
    #[error("commit was stopped: point={0}")]
    Stopped(&'static str),
}

impl Error {
    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::InUse { .. } | Self::Unreadable { .. } | Self::Database(_) => {
                ErrorKind::Unavailable
            }
            Self::Damaged { .. } | Self::Foreign { .. } | Self::Row { .. } => ErrorKind::Corrupt,
            Self::Newer { .. } => ErrorKind::Unsupported,
            Self::StaleLease { .. } => ErrorKind::Conflict,
            Self::Stopped(_) => ErrorKind::Cancelled,
        }
    }
}
