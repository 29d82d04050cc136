//! How the files of a source are opened.

use growler_segment::{Error, Segment};

use crate::access::FileAccess;
use crate::iceberg::SegmentAccess;

/// Opens local files and those of object stores.
#[derive(Debug, Clone)]
pub(super) struct ObjectSegments {
    access: FileAccess,
}

impl ObjectSegments {
    pub(super) fn new(access: FileAccess) -> Self {
        Self { access }
    }
}

impl SegmentAccess for ObjectSegments {
    fn open(&self, location: &str) -> Result<Segment, Error> {
        self.access.open_asked(location)
    }

    fn open_sized(&self, location: &str, len_bytes: u64) -> Result<Segment, Error> {
        self.access.open_sized(location, len_bytes)
    }

    fn open_immutable(&self, location: &str, len_bytes: u64) -> Result<Segment, Error> {
        self.access.open_immutable(location, len_bytes)
    }
}
