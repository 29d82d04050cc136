//! Why a query failed, with Pinot's error codes.

use growler_base::ErrorKind;

/// A query's failure; [`Error::code`] is what clients branch on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The SQL text does not parse, or exceeds a limit on SQL text.
    #[error("SQLParsingError: {0}")]
    Parse(String),
    /// The SQL is understood but not allowed: wrong types, wrong places, unsupported functions.
    #[error("QueryValidationError: {0}")]
    Validation(String),
    /// A column that the table does not have.
    #[error("UnknownColumnError: Unknown columnName '{0}' found in the query")]
    UnknownColumn(String),
    /// A column that the table had once.
    #[error(
        "UnknownColumnError: Unknown columnName '{0}' found in the query: the table has dropped it; \
         SET includeDropped=true reads what its files hold"
    )]
    DroppedColumn(String),
    /// A table that the engine does not have.
    #[error("TableDoesNotExistError: table '{0}' does not exist")]
    UnknownTable(String),
    /// A value met while running could not be processed, or a file could not be read.
    #[error("QueryExecutionError: {0}")]
    Execution(String),
    /// The deadline passed.
    #[error("ExecutionTimeoutError: query exceeded timeoutMs={0}")]
    Timeout(u64),
    /// Somebody cancelled the query, or the server is shutting down.
    #[error("QueryCancellationError: query was cancelled")]
    Cancelled,
    /// The query's memory budget is used up.
    #[error(
        "ServerResourceLimitExceededError: query needs more memory than its budget, add a filter or \
         raise the budget: budgetBytes={budget_bytes} askedBytes={asked_bytes} for={purpose}"
    )]
    Memory {
        /// What the query may hold.
        budget_bytes: usize,
        /// What it would have held.
        asked_bytes: usize,
        /// What the memory was for.
        purpose: &'static str,
    },
    /// A broken invariant.
    #[error("InternalError: {0}")]
    Internal(String),
}

impl Error {
    /// Returns Pinot's error code.
    pub fn code(&self) -> u16 {
        match self {
            Self::Parse(_) => 150,
            Self::UnknownTable(_) => 190,
            Self::Execution(_) => 200,
            Self::Memory { .. } => 245,
            Self::Timeout(_) => 250,
            Self::Internal(_) => 450,
            Self::Cancelled => 503,
            Self::Validation(_) => 700,
            Self::UnknownColumn(_) | Self::DroppedColumn(_) => 710,
        }
    }

    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Parse(_)
            | Self::Validation(_)
            | Self::UnknownColumn(_)
            | Self::DroppedColumn(_) => ErrorKind::InvalidInput,
            Self::UnknownTable(_) => ErrorKind::NotFound,
            Self::Execution(_) => ErrorKind::Corrupt,
            Self::Memory { .. } | Self::Timeout(_) => ErrorKind::LimitExceeded,
            Self::Cancelled => ErrorKind::Cancelled,
            Self::Internal(_) => ErrorKind::Internal,
        }
    }
}

impl From<growler_segment::Error> for Error {
    fn from(error: growler_segment::Error) -> Self {
        match error.kind() {
            ErrorKind::Internal => Self::Internal(error.to_string()),
            ErrorKind::InvalidInput
            | ErrorKind::NotFound
            | ErrorKind::Unsupported
            | ErrorKind::Conflict
            | ErrorKind::Corrupt
            | ErrorKind::Unavailable
            | ErrorKind::LimitExceeded
            | ErrorKind::Cancelled => Self::Execution(error.to_string()),
        }
    }
}
