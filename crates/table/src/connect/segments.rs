//! How the files of a source are opened.

use std::path::Path;

use growler_segment::{Error, Segment};

use crate::access::{FileAccess, io_error, is_remote};
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
        if !is_remote(location) {
            return self.access.open(location, 0);
        }
        let found = self
            .access
            .files()
            .info(location)
            .map_err(|error| Error::Unreadable {
                path: Path::new(location).into(),
                source: io_error(error),
            })?;
        self.access.open_version(&found)
    }
}
