//! Why a catalog did not answer, or not with what was asked. No text holds a credential.

use growler_base::ErrorKind;

use crate::{Error, SnapshotId};

/// A catalog's failure.
#[derive(Debug, thiserror::Error)]
pub enum RestError {
    /// No answer: refused, dropped, or too late; tried several times.
    #[error("catalog cannot be reached: {cause} url={url}")]
    Unreachable {
        /// What was asked.
        url: Box<str>,
        /// What went wrong last.
        cause: Box<str>,
    },
    /// Answers that the server has trouble, or wants to be left alone; tried several times.
    #[error("catalog is not available: {cause} status={status} url={url}")]
    Unavailable {
        /// HTTP status.
        status: u16,
        /// What was asked.
        url: Box<str>,
        /// What the server said.
        cause: Box<str>,
    },
    /// Credentials are missing or wrong, or do not allow this.
    #[error(
        "catalog refused the credentials: {cause}; check token, credential and scope status={status} url={url}"
    )]
    Unauthorized {
        /// HTTP status.
        status: u16,
        /// What was asked.
        url: Box<str>,
        /// What the server said.
        cause: Box<str>,
    },
    /// The warehouse, namespace or table does not exist.
    #[error("not found in catalog: {cause} url={url}")]
    NotFound {
        /// What was asked.
        url: Box<str>,
        /// What the server said.
        cause: Box<str>,
    },
    /// Another answer than success.
    #[error("catalog refused the request: {cause} status={status} url={url}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// What was asked.
        url: Box<str>,
        /// What the server said.
        cause: Box<str>,
    },
    /// An answer that breaks the protocol.
    #[error("catalog gave a malformed answer: {cause} url={url}")]
    Malformed {
        /// What was asked.
        url: Box<str>,
        /// What is wrong.
        cause: Box<str>,
    },
    /// An answer beyond a bound.
    #[error("catalog gave too much: {cause} url={url}")]
    TooMuch {
        /// What was asked.
        url: Box<str>,
        /// Which bound.
        cause: Box<str>,
    },
    /// An answer that asks for something that growler does not do.
    #[error("catalog asks for something unsupported: {cause} url={url}")]
    Unsupported {
        /// What was asked.
        url: Box<str>,
        /// What.
        cause: Box<str>,
    },
    /// A snapshot that is not there, all snapshots of the table having been looked at.
    #[error("snapshot not found: snapshot={snapshot} table={table}")]
    UnknownSnapshot {
        /// Snapshot asked for.
        snapshot: SnapshotId,
        /// The table.
        table: Box<str>,
    },
    /// Settings that cannot be used.
    #[error("catalog settings cannot be used: {0}")]
    Settings(Box<str>),
    /// The table's metadata breaks its format.
    #[error(transparent)]
    Table(#[from] Error),
    /// No call could be made: a defect of growler.
    #[error("internal error: {0}")]
    Internal(Box<str>),
}

impl RestError {
    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreachable { .. } | Self::Unavailable { .. } => ErrorKind::Unavailable,
            Self::Unauthorized { .. } | Self::Refused { .. } | Self::Settings(_) => {
                ErrorKind::InvalidInput
            }
            Self::NotFound { .. } | Self::UnknownSnapshot { .. } => ErrorKind::NotFound,
            Self::Malformed { .. } => ErrorKind::Corrupt,
            Self::TooMuch { .. } => ErrorKind::LimitExceeded,
            Self::Unsupported { .. } => ErrorKind::Unsupported,
            Self::Table(error) => error.kind(),
            Self::Internal(_) => ErrorKind::Internal,
        }
    }

    /// Tells whether asking again later may help without anybody changing settings.
    pub fn is_transient(&self) -> bool {
        self.kind() == ErrorKind::Unavailable
    }
}
