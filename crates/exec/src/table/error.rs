//! Why a table cannot be opened.

use std::path::{Path, PathBuf};

use growler_base::ErrorKind;

/// A table's failure to open; other tables are not affected.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No file is there.
    #[error("no parquet file found: path={0}")]
    NoFiles(String),
    /// The pattern is no glob.
    #[error("malformed glob: {cause} pattern={pattern}")]
    Glob {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A folder cannot be listed.
    #[error("cannot list folder: {cause} path={path}")]
    Listing {
        /// Which folder.
        path: PathBuf,
        /// What the system said.
        cause: String,
    },
    /// A file cannot be read.
    #[error("{}", naming(path, source))]
    Segment {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: growler_segment::Error,
    },
    /// The files' columns do not agree.
    #[error("files of one table do not agree: {0}")]
    Schema(#[from] growler_schema::Error),
    /// The declared schema does not fit the files.
    #[error("schema does not fit the files: {}", .0.join("; "))]
    Declared(Vec<String>),
    /// More rows than a position in a segment can name.
    #[error("too many rows in one file: path={0}")]
    Rows(PathBuf),
}

impl OpenError {
    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoFiles(_) => ErrorKind::NotFound,
            Self::Glob { .. } | Self::Declared(_) => ErrorKind::InvalidInput,
            Self::Listing { .. } => ErrorKind::Unavailable,
            Self::Segment { source, .. } => source.kind(),
            Self::Schema(source) => source.kind(),
            Self::Rows(_) => ErrorKind::LimitExceeded,
        }
    }
}

/// Returns a segment's message, which names the file once.
fn naming(path: &Path, source: &growler_segment::Error) -> String {
    let (message, path) = (source.to_string(), path.display().to_string());
    if message.contains(&path) {
        message
    } else {
        format!("{message} path={path}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use growler_base::SegmentId;

    #[test]
    fn a_file_is_named_once() {
        let path = PathBuf::from("/data/t/a.parquet");
        let cause = || "cut off".into();
        let footer = growler_segment::Error::Footer {
            path: path.clone().into(),
            cause: cause(),
        };
        let place = growler_segment::Place {
            segment: SegmentId::new("a"),
            row_group: None,
            column: None,
        };
        let corrupt = growler_segment::Error::Corrupt {
            place: Box::new(place),
            cause: cause(),
        };
        let cases = [
            (
                footer,
                "not a readable parquet file: cut off path=/data/t/a.parquet",
            ),
            (
                corrupt,
                "corrupt parquet data: cut off segment=a path=/data/t/a.parquet",
            ),
        ];
        for (source, expected) in cases {
            let path = path.clone();
            assert_eq!(OpenError::Segment { path, source }.to_string(), expected);
        }
    }
}
