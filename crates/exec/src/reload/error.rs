//! Why the reload of a segment failed.

use std::path::PathBuf;

use growler_base::{ErrorKind, SegmentId};

/// A segment's failure to reload; it serves on with the indexes that it had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The values of a column or key cannot be read.
    #[error("{}", naming(&format!("cannot index {subject}: {source}"), segment))]
    Read {
        /// Segment.
        segment: SegmentId,
        /// Column or key.
        subject: Box<str>,
        /// Why.
        source: Box<growler_segment::Error>,
    },
    /// The type of a key cannot be told.
    #[error("{}", naming(&format!("cannot index {subject}: {source}"), segment))]
    Types {
        /// Segment.
        segment: SegmentId,
        /// Column or key.
        subject: Box<str>,
        /// Why.
        source: Box<crate::Error>,
    },
    /// An index cannot be built or written.
    #[error("{}", naming(&format!("cannot index {subject}: {source}"), segment))]
    Build {
        /// Segment.
        segment: SegmentId,
        /// Column or key.
        subject: Box<str>,
        /// Why.
        source: Box<growler_index::Error>,
    },
    /// The file of indexes, or its folder, cannot be written.
    #[error("{}", naming(&format!("cannot write indexes: {source}"), segment))]
    Write {
        /// Segment.
        segment: SegmentId,
        /// Why.
        source: Box<growler_index::Error>,
    },
    /// A file of the segment cannot be written or removed.
    #[error("cannot {action}: {source} path={path} segment={segment}", path = path.display())]
    File {
        /// Segment.
        segment: SegmentId,
        /// What was tried.
        action: &'static str,
        /// File.
        path: Box<PathBuf>,
        /// What the operating system said.
        source: Box<std::io::Error>,
    },
    /// The view has no such segment.
    #[error("no such segment: idx={0}")]
    NoSegment(usize),
    /// The table's columns changed while its indexes were built, and were reloaded as they are now.
    #[error(
        "columns of the table changed while its indexes were built, reload it again: segment={0}"
    )]
    Overtaken(SegmentId),
    /// Somebody cancelled the reload, or the process is shutting down.
    #[error("reload was cancelled: segment={0}")]
    Cancelled(SegmentId),
}

const _: () = assert!(size_of::<Error>() <= 64);

impl Error {
    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Read { source, .. } => source.kind(),
            Self::Types { source, .. } => source.kind(),
            Self::Build { source, .. } | Self::Write { source, .. } => source.kind(),
            Self::File { .. } => ErrorKind::Unavailable,
            Self::NoSegment(_) => ErrorKind::NotFound,
            Self::Overtaken(_) => ErrorKind::Conflict,
            Self::Cancelled(_) => ErrorKind::Cancelled,
        }
    }
}

/// Returns a message that names the segment once.
fn naming(message: &str, segment: &SegmentId) -> String {
    let name = format!("segment={segment}");
    if message.contains(&name) {
        message.to_owned()
    } else {
        format!("{message} {name}")
    }
}
