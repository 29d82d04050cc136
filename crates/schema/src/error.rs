//! Why a schema, a config or a file's type was refused.

use growler_base::ErrorKind;

use crate::validate::ValidationErrors;

/// A refusal.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A type of a file that no column type can hold.
    #[error("type {0} is not supported")]
    UnsupportedType(Box<str>),
    /// Text that is no JSON, or JSON of the wrong shape.
    #[error("Invalid JSON: {0}")]
    Json(Box<str>),
    /// A schema or a table config that breaks rules; all of them are listed.
    #[error(transparent)]
    Validation(#[from] ValidationErrors),
    /// Files of one table whose types for a column have no common type.
    #[error("column '{}' has types without a common one: {} in '{}', {} in '{}'",
        .0.column, .0.left_type, .0.left_file, .0.right_type, .0.right_file)]
    Irreconcilable(Box<Irreconcilable>),
}

/// Two files that disagree about a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Irreconcilable {
    /// The column.
    pub column: String,
    /// A file.
    pub left_file: String,
    /// The column's type in it.
    pub left_type: String,
    /// Another file.
    pub right_file: String,
    /// The column's type in that one.
    pub right_type: String,
}

const _: () = assert!(size_of::<Error>() <= 64);

impl Error {
    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::UnsupportedType(_) | Self::Irreconcilable(_) => ErrorKind::Unsupported,
            Self::Json(_) | Self::Validation(_) => ErrorKind::InvalidInput,
        }
    }
}
