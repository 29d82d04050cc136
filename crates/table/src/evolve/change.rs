//! What an update brings, and why a part of it is not followed.

use std::fmt;

use growler_schema::{ColumnType, DataType};

/// A change that was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A column was added.
    Add {
        /// Its name.
        column: String,
    },
    /// A column has another name at the source.
    Rename {
        /// Its name in queries.
        column: String,
        /// The new one.
        alias: String,
    },
    /// A column's type was widened.
    Widen {
        /// Its name in queries.
        column: String,
    },
    /// A column became a tombstone.
    Drop {
        /// Its name in queries.
        column: String,
    },
    /// A tombstone is a column again.
    Restore {
        /// Its name in queries.
        column: String,
    },
    /// A field inside of a column has another name at the source.
    NestedRename {
        /// The column's name in queries.
        column: String,
        /// First name of the field.
        field: String,
        /// The new one.
        alias: String,
    },
}

/// Why a change is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The source has the column no more, or never had it.
    Dropped {
        /// Its name in queries.
        column: String,
    },
    /// One value a row became several, or the reverse.
    Multiplicity {
        /// Its name in queries.
        column: String,
        /// Whether a row has several now.
        to_multi_value: bool,
    },
    /// The type changed in a way that is not followed.
    Type {
        /// Its name in queries.
        column: String,
        /// Type that is served.
        from: String,
        /// Type that it would be.
        to: String,
    },
    /// The new name of a column is that of another one.
    RenameCollides {
        /// Its name in queries.
        column: String,
        /// The new one.
        alias: String,
        /// The other column's name in queries.
        other: String,
    },
    /// The name of a new column is, or was, that of another one.
    AddCollides {
        /// The new column.
        column: String,
        /// The other column's name in queries.
        other: String,
    },
}

impl Change {
    /// Returns the change as a short text.
    pub fn text(&self) -> String {
        match self {
            Self::Add { column } => format!("column {column} added"),
            Self::Rename { column, alias } => format!("column {column} renamed to {alias}"),
            Self::Widen { column } => format!("column {column} widened"),
            Self::Drop { column } => format!("column {column} dropped"),
            Self::Restore { column } => format!("column {column} restored"),
            Self::NestedRename {
                column,
                field,
                alias,
            } => format!("field {field} of column {column} renamed to {alias}"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dropped { column } => write!(f, "column {column} dropped from the union schema"),
            Self::Multiplicity {
                column,
                to_multi_value,
            } => {
                let (from, to) = match to_multi_value {
                    true => ("single-value", "multi-value"),
                    false => ("multi-value", "single-value"),
                };
                write!(f, "column {column} changed from {from} to {to}")
            }
            Self::Type { column, from, to } => {
                write!(f, "column {column} changed type from {from} to {to}")
            }
            Self::RenameCollides {
                column,
                alias,
                other,
            } => write!(
                f,
                "column {column} renamed to {alias}, which is a name of column {other}"
            ),
            Self::AddCollides { column, other } => {
                write!(f, "new column {column} has a name of column {other}")
            }
        }
    }
}

/// Names two types so that they differ whenever they do.
pub(super) fn names(from: ColumnType, to: ColumnType) -> (String, String) {
    let short = (from.data_type.name(), to.data_type.name());
    match short.0 == short.1 {
        true => (exact(from.data_type), exact(to.data_type)),
        false => (short.0.to_owned(), short.1.to_owned()),
    }
}

fn exact(data_type: DataType) -> String {
    match data_type {
        DataType::BigDecimal { scale } => format!("BIG_DECIMAL of scale {scale}"),
        DataType::Timestamp { unit } => format!("TIMESTAMP in {}", unit.pinot_name()),
        other => other.name().to_owned(),
    }
}
