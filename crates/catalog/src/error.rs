//! Why a table could not be opened, planned or read.

use std::fmt;
use std::sync::Arc;

use growler_base::ErrorKind;

use crate::SnapshotId;

/// A table's failure. Every message names the file, or the table, that it is about.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be opened or read.
    #[error("cannot read file: {source} path={path}")]
    Unreadable {
        /// File asked for.
        path: Arc<str>,
        /// What the operating system, or the store, said.
        source: std::io::Error,
    },
    /// A folder that holds no Iceberg table.
    #[error("not an iceberg table: {cause} path={path}")]
    NotATable {
        /// Folder asked for.
        path: Arc<str>,
        /// What is missing.
        cause: Box<str>,
    },
    /// Bytes that break their format.
    #[error("corrupt {file}: {cause} path={path}")]
    Corrupt {
        /// What kind of file.
        file: FileKind,
        /// The file.
        path: Arc<str>,
        /// What is wrong with it.
        cause: Box<str>,
    },
    /// A sound file that asks for something that growler does not do.
    #[error("unsupported {file}: {cause} path={path}")]
    Unsupported {
        /// What kind of file.
        file: FileKind,
        /// The file.
        path: Arc<str>,
        /// What is not supported.
        cause: Box<str>,
    },
    /// A bound of `base::limits` was exceeded.
    #[error("limit exceeded in {file}: {cause} path={path}")]
    Limit {
        /// What kind of file.
        file: FileKind,
        /// The file.
        path: Arc<str>,
        /// Which bound.
        cause: Box<str>,
    },
    /// A snapshot that the table's metadata does not list.
    #[error("snapshot not found: snapshot={snapshot} table={table}")]
    UnknownSnapshot {
        /// Snapshot asked for.
        snapshot: SnapshotId,
        /// Location of the table.
        table: Arc<str>,
    },
    /// A branch or tag that the table's metadata does not list.
    #[error("branch or tag not found: ref={name} table={table}")]
    UnknownRef {
        /// Name asked for.
        name: Box<str>,
        /// Location of the table.
        table: Arc<str>,
    },
    /// What the caller's reader of Parquet files said.
    #[error("cannot read delete or data file: {cause} path={path}")]
    Reader {
        /// What kind of failure it is.
        kind: ErrorKind,
        /// What the reader said.
        cause: Box<str>,
        /// The file.
        path: Arc<str>,
    },
}

const _: () = assert!(size_of::<Error>() <= 64);

impl Error {
    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreadable { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                ErrorKind::NotFound
            }
            Self::Unreadable { .. } => ErrorKind::Unavailable,
            Self::NotATable { .. } | Self::UnknownSnapshot { .. } | Self::UnknownRef { .. } => {
                ErrorKind::NotFound
            }
            Self::Corrupt { .. } => ErrorKind::Corrupt,
            Self::Unsupported { .. } => ErrorKind::Unsupported,
            Self::Limit { .. } => ErrorKind::LimitExceeded,
            Self::Reader { kind, .. } => *kind,
        }
    }
}

/// What kind of file an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Table metadata: JSON.
    Metadata,
    /// List of a snapshot's manifests: Avro.
    ManifestList,
    /// List of data or delete files: Avro.
    Manifest,
    /// Deletion vector: a blob in a Puffin file.
    DeletionVector,
    /// Position or equality deletes: Parquet.
    DeleteFile,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Metadata => "table metadata",
            Self::ManifestList => "manifest list",
            Self::Manifest => "manifest",
            Self::DeletionVector => "deletion vector",
            Self::DeleteFile => "delete file",
        })
    }
}

/// What a parser found wrong, before it is known in which file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    Corrupt(String),
    Unsupported(String),
    Limit(String),
}

/// Longest text of a foreign library that is repeated, in characters: it may quote the bytes.
const QUOTED_LEN: usize = 300;

impl Fault {
    pub(crate) fn corrupt(cause: impl Into<String>) -> Self {
        Self::Corrupt(cause.into())
    }

    /// Repeats what a foreign library said, cut to a bearable length.
    pub(crate) fn quoting(cause: impl fmt::Display) -> Self {
        let text = cause.to_string();
        Self::Corrupt(text.chars().take(QUOTED_LEN).collect())
    }

    /// Says in which file.
    pub(crate) fn at(self, file: FileKind, path: &Arc<str>) -> Error {
        let path = Arc::clone(path);
        match self {
            Self::Corrupt(cause) => Error::Corrupt {
                file,
                path,
                cause: cause.into(),
            },
            Self::Unsupported(cause) => Error::Unsupported {
                file,
                path,
                cause: cause.into(),
            },
            Self::Limit(cause) => Error::Limit {
                file,
                path,
                cause: cause.into(),
            },
        }
    }
}
