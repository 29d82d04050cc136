//! Why an Iceberg table cannot be served.

use growler_base::ErrorKind;

/// A table's failure to open; other tables are not affected.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Metadata, manifests or deletes cannot be read.
    #[error(transparent)]
    Catalog(#[from] growler_catalog::Error),
    /// A data file cannot be opened.
    #[error("cannot open data file: {source} path={path}")]
    Segment {
        /// Which file.
        path: String,
        /// Why.
        source: growler_segment::Error,
    },
    /// The table is read as plain files, and these cannot be opened.
    #[error(transparent)]
    Files(#[from] growler_exec::OpenError),
    /// A folder with a metadata folder that has no metadata file.
    #[error(
        "folder has data and metadata of an Iceberg table, but no metadata file \
         (metadata/*.metadata.json): path={path}"
    )]
    NoMetadata {
        /// The folder.
        path: String,
    },
    /// A folder that holds tables instead of being one.
    #[error("folder is no table, but holds Iceberg tables: tables={} path={path}", .tables.join(","))]
    HoldsTables {
        /// The folder.
        path: String,
        /// Some of the tables, by their paths below it.
        tables: Vec<String>,
    },
    /// The metadata folder of a table, instead of the table.
    #[error("folder is the metadata of an Iceberg table: path={path} table={table}")]
    IsMetadata {
        /// The folder.
        path: String,
        /// The table's folder.
        table: String,
    },
    /// The declared schema does not fit the table.
    #[error("schema does not fit the table: {}", .0.join("; "))]
    Declared(Vec<String>),
    /// A default value of a kind that is not read.
    #[error(
        "default value of a column is not supported: type={type_name} column={column} table={table}"
    )]
    Default {
        /// Which column.
        column: String,
        /// Its type.
        type_name: String,
        /// The table.
        table: String,
    },
    /// More rows than a position in a segment can name.
    #[error("too many rows in one data file: rows={row_count} path={path}")]
    Rows {
        /// Which file.
        path: String,
        /// How many.
        row_count: u64,
    },
}

impl Error {
    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Catalog(source) => source.kind(),
            Self::Segment { source, .. } => source.kind(),
            Self::Files(source) => source.kind(),
            Self::NoMetadata { .. } | Self::HoldsTables { .. } | Self::IsMetadata { .. } => {
                ErrorKind::NotFound
            }
            Self::Declared(_) => ErrorKind::InvalidInput,
            Self::Default { .. } => ErrorKind::Unsupported,
            Self::Rows { .. } => ErrorKind::LimitExceeded,
        }
    }

    /// Returns what to do next; none where the message says it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoMetadata { path } => format!(
                "copy the table's metadata files too; or name {path}/data to read its Parquet files as \
                 they are, deleted rows among them"
            ),
            Self::HoldsTables { path, tables } => {
                let first = tables.first().map_or("TABLE", String::as_str);
                format!("name one of the tables, such as {path}/{first}")
            }
            Self::IsMetadata { table, .. } => format!(
                "name the table's folder, {table}, or one of its *.metadata.json files to pin a version"
            ),
            _ => return None,
        })
    }
}
