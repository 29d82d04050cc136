//! Why the server could not start, or refused a request.

use std::path::Path;

use growler_base::ErrorKind;

/// A failure; its text is what the client or the log sees.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The configuration is wrong.
    #[error("invalid server config: {0}")]
    Config(String),
    /// A file or folder could not be used.
    #[error("{0}")]
    Io(String),
    /// The address cannot be listened on.
    #[error("cannot listen: {text}: address={address}")]
    Listen {
        /// What the operating system said.
        text: String,
        /// The address, as configured.
        address: String,
    },
    /// The request is wrong.
    #[error("{0}")]
    Invalid(String),
    /// Something named does not exist.
    #[error("{0}")]
    NotFound(String),
    /// Something exists already, or is in use.
    #[error("{0}")]
    Conflict(String),
    /// Too much of this is going on already.
    #[error("{0}")]
    Busy(String),
    /// The request's body is too large.
    #[error("request body is too large: maxRequestBytes={0}")]
    TooLarge(usize),
    /// The request took too long.
    #[error("request timed out: requestTimeoutMs={0}")]
    TimedOut(u128),
    /// A table's files cannot be read, or do not fit together.
    #[error("{text}")]
    Files {
        /// What the engine says about them.
        text: String,
        /// What kind of failure it is.
        kind: ErrorKind,
    },
    /// A broken invariant.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Error {
    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Config(_) | Self::Invalid(_) => ErrorKind::InvalidInput,
            Self::Io(_) | Self::Listen { .. } => ErrorKind::Unavailable,
            Self::NotFound(_) => ErrorKind::NotFound,
            Self::Conflict(_) => ErrorKind::Conflict,
            Self::Busy(_) | Self::TooLarge(_) | Self::TimedOut(_) => ErrorKind::LimitExceeded,
            Self::Files { kind, .. } => *kind,
            Self::Internal(_) => ErrorKind::Internal,
        }
    }

    pub(crate) fn io(doing: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::Io(format!(
            "cannot {doing} file: {error}: path={}",
            path.display()
        ))
    }

    /// Adds the configuration file that an error is in.
    pub(crate) fn in_file(self, path: &Path) -> Self {
        match self {
            Self::Config(text) => Self::Config(format!("{text}: path={}", path.display())),
            other => other,
        }
    }
}

impl From<growler_table::store::Error> for Error {
    fn from(error: growler_table::store::Error) -> Self {
        Self::Files {
            text: error.to_string(),
            kind: error.kind(),
        }
    }
}

impl From<growler_table::ddl::Error> for Error {
    fn from(error: growler_table::ddl::Error) -> Self {
        Self::Invalid(error.to_string())
    }
}

impl From<growler_schema::validate::ValidationErrors> for Error {
    fn from(errors: growler_schema::validate::ValidationErrors) -> Self {
        Self::Invalid(errors.to_string())
    }
}

impl From<growler_schema::Error> for Error {
    fn from(error: growler_schema::Error) -> Self {
        match error.kind() {
            ErrorKind::InvalidInput => Self::Invalid(error.to_string()),
            kind => Self::Files {
                text: error.to_string(),
                kind,
            },
        }
    }
}
