//! Why the reload of a segment failed.

use std::path::PathBuf;

use growler_base::{ErrorKind, SegmentId};
use growler_index::Subject;

/// A segment's failure to reload; it serves on as it was.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The values of a column or key cannot be read.
    #[error("cannot index {subject}: {source} segment={segment}")]
    Read {
        /// Segment.
        segment: SegmentId,
        /// Column or key.
        subject: Box<str>,
        /// Why.
        source: Box<growler_segment::Error>,
    },
    /// An index cannot be built or written.
    #[error("cannot index {subject}: {source} segment={segment}")]
    Build {
        /// Segment.
        segment: SegmentId,
        /// Column or key.
        subject: Box<str>,
        /// Why.
        source: Box<growler_index::Error>,
    },
    /// The file of indexes, or its folder, cannot be written.
    #[error("cannot write the indexes: {source} segment={segment}")]
    Write {
        /// Segment.
        segment: SegmentId,
        /// Why.
        source: Box<growler_index::Error>,
    },
    /// The metadata of the segment cannot be written.
    #[error("cannot {action} the metadata: {source} segment={segment} path={path}", path = path.display())]
    Metadata {
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
    /// Somebody cancelled the reload, or the process is shutting down.
    #[error("reload was cancelled: segment={0}")]
    Cancelled(SegmentId),
    /// The types of the view cannot be told.
    #[error("cannot index {subject}: {source} segment={segment}")]
    Types {
        /// Segment.
        segment: SegmentId,
        /// Column or key.
        subject: Box<str>,
        /// Why.
        source: Box<crate::Error>,
    },
}

const _: () = assert!(size_of::<Error>() <= 64);

impl Error {
    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Read { source, .. } => source.kind(),
            Self::Build { source, .. } | Self::Write { source, .. } => source.kind(),
            Self::Metadata { .. } => ErrorKind::Unavailable,
            Self::NoSegment(_) => ErrorKind::NotFound,
            Self::Cancelled(_) => ErrorKind::Cancelled,
            Self::Types { source, .. } => source.kind(),
        }
    }

    pub(super) fn build(
        segment: &SegmentId,
        subject: &Subject,
        source: growler_index::Error,
    ) -> Self {
        Self::Build {
            segment: segment.clone(),
            subject: subject.to_string().into(),
            source: Box::new(source),
        }
    }

    pub(super) fn write(segment: &SegmentId, source: growler_index::Error) -> Self {
        Self::Write {
            segment: segment.clone(),
            source: Box::new(source),
        }
    }
}
