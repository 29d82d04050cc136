//! Why a statement was refused.

use growler_base::ErrorKind;

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text is no statement about tables.
    #[error("{0}")]
    Parse(String),
    /// A table that no CREATE TABLE says all of.
    #[error("Table {table} cannot be written as CREATE TABLE without loss: {}", .reasons.join("; "))]
    Lossy {
        /// The table.
        table: String,
        /// What would be lost.
        reasons: Vec<String>,
    },
}

impl Error {
    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::InvalidInput
    }
}

impl From<growler_exec::Error> for Error {
    fn from(error: growler_exec::Error) -> Self {
        Self::Parse(match error {
            growler_exec::Error::Parse(text) => text,
            other => other.to_string(),
        })
    }
}
