//! Why an index could not be built, written, opened or read.

use std::path::Path;
use std::sync::Arc;

use growler_base::ErrorKind;

use crate::Kind;

/// An index's failure. Whoever reads an index answers it by scanning.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refused.
    #[error("cannot {action} index file: {source} path={path}", path = path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// File.
        path: Arc<Path>,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Header or directory are damaged, or the file is cut off.
    #[error("not a readable index file: {cause} path={path}", path = path.display())]
    File {
        /// File.
        path: Arc<Path>,
        /// What is wrong with it.
        cause: Box<str>,
    },
    /// The file was written by a later version that this one cannot read.
    #[error("unsupported index file: version={version} path={path}", path = path.display())]
    Version {
        /// File.
        path: Arc<Path>,
        /// Oldest version that can read it.
        version: u32,
    },
    /// The file describes other data than the segment has.
    #[error("index file of other data: {differs} path={path}", path = path.display())]
    OtherSource {
        /// File.
        path: Arc<Path>,
        /// What differs.
        differs: &'static str,
    },
    /// One index of the file is damaged; the others serve on.
    #[error("damaged index: {cause} index={index}")]
    Damaged {
        /// Which one: column, key and kind.
        index: Box<str>,
        /// What is wrong with it.
        cause: Box<str>,
    },
    /// There is no such index, or it was found damaged before.
    #[error("no such index: kind={kind}")]
    Absent {
        /// Kind asked for.
        kind: Kind,
    },
    /// A bound of `base::limits` was exceeded.
    #[error("limit exceeded: {cause}")]
    Limit {
        /// Which bound.
        cause: Box<str>,
    },
    /// A broken invariant of this crate or of its caller.
    #[error("internal error: {cause}")]
    Internal {
        /// What is broken.
        cause: Box<str>,
    },
}

impl Error {
    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { source, .. } => match source.kind() {
                std::io::ErrorKind::NotFound => ErrorKind::NotFound,
                _ => ErrorKind::Unavailable,
            },
            Self::File { .. } | Self::Damaged { .. } => ErrorKind::Corrupt,
            Self::Version { .. } => ErrorKind::Unsupported,
            Self::OtherSource { .. } => ErrorKind::Conflict,
            Self::Absent { .. } => ErrorKind::NotFound,
            Self::Limit { .. } => ErrorKind::LimitExceeded,
            Self::Internal { .. } => ErrorKind::Internal,
        }
    }

    /// Makes the error of bytes that break their format; the reader adds which index they are of.
    pub(crate) fn damaged(cause: impl Into<Box<str>>) -> Self {
        Self::Damaged {
            index: "unnamed".into(),
            cause: cause.into(),
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io {
            action,
            path: path.into(),
            source,
        }
    }

    pub(crate) fn internal(cause: impl Into<Box<str>>) -> Self {
        Self::Internal {
            cause: cause.into(),
        }
    }

    pub(crate) fn limit(cause: impl Into<Box<str>>) -> Self {
        Self::Limit {
            cause: cause.into(),
        }
    }
}

const _: () = assert!(size_of::<Error>() <= 64);
