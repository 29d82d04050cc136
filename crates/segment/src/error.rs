//! Why a segment could not be opened or read.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use growler_base::{ErrorKind, RowGroupIdx, RowId, SegmentId};

/// A segment's failure. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened or mapped.
    #[error("cannot read file: {source} path={path}", path = path.display())]
    Unreadable {
        /// File asked for.
        path: Arc<Path>,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The file is no Parquet file, or its footer is damaged or cut off.
    #[error("not a readable parquet file: {cause} path={path}", path = path.display())]
    Footer {
        /// File asked for.
        path: Arc<Path>,
        /// What is wrong with it.
        cause: Box<str>,
    },
    /// Bytes of the file break its format.
    #[error("corrupt parquet data: {cause} {place}")]
    Corrupt {
        /// Where.
        place: Box<Place>,
        /// What is wrong.
        cause: Box<str>,
    },
    /// The file is sound, but holds a type or encoding that is not read.
    #[error("unsupported: {cause} {place}")]
    Unsupported {
        /// Where.
        place: Box<Place>,
        /// What is not supported.
        cause: Box<str>,
    },
    /// A variant value's root is no object.
    #[error(
        "VARIANT column {column} has a non-object root at docId {row} ({found}, segment={segment}); \
         OPEN_STRUCT can only represent an object root"
    )]
    NonObjectRoot {
        /// Column.
        column: Arc<str>,
        /// Row in the segment.
        row: RowId,
        /// What the root is.
        found: &'static str,
        /// Segment.
        segment: SegmentId,
    },
    /// A key has a value both in its typed column and in the residual.
    #[error(
        "VARIANT key has both a typed value and a residual at docId {row}, which the shredding \
         spec allows only for an object."
    )]
    Contradiction {
        /// Row in the segment.
        row: RowId,
        /// Segment.
        segment: SegmentId,
    },
    /// A bound of `base::limits` was exceeded.
    #[error("limit exceeded: {cause} {place}")]
    Limit {
        /// Where.
        place: Box<Place>,
        /// Which bound.
        cause: Box<str>,
    },
    /// A broken invariant of this crate or of its caller.
    #[error("internal error: {cause} {place}")]
    Internal {
        /// Where.
        place: Box<Place>,
        /// What is broken.
        cause: Box<str>,
    },
}

/// Where in a table something was found: segment, row group and column, as far as known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Segment.
    pub segment: SegmentId,
    /// Row group of the segment.
    pub row_group: Option<RowGroupIdx>,
    /// Column or leaf, dotted.
    pub column: Option<Arc<str>>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "segment={}", self.segment)?;
        if let Some(row_group) = self.row_group {
            write!(f, " rowGroup={row_group}")?;
        }
        match &self.column {
            Some(column) => write!(f, " column={column}"),
            None => Ok(()),
        }
    }
}

impl Error {
    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreadable { source, .. } => match source.kind() {
                std::io::ErrorKind::NotFound => ErrorKind::NotFound,
                _ => ErrorKind::Unavailable,
            },
            Self::Footer { .. } | Self::Corrupt { .. } => ErrorKind::Corrupt,
            Self::Contradiction { .. } => ErrorKind::Corrupt,
            Self::NonObjectRoot { .. } | Self::Unsupported { .. } => ErrorKind::Unsupported,
            Self::Limit { .. } => ErrorKind::LimitExceeded,
            Self::Internal { .. } => ErrorKind::Internal,
        }
    }
}

const _: () = assert!(size_of::<Error>() <= 64);
