//! From where a file lies to a segment.

use std::path::Path;
use std::sync::Arc;

use growler_segment::{Error, FooterCache, Segment};

/// Opens the Parquet files of tables.
pub trait SegmentAccess: std::fmt::Debug + Send + Sync {
    /// Opens a file by its path or URL, in canonical spelling.
    ///
    /// # Errors
    /// Those of [`Segment::open`].
    fn open(&self, location: &str) -> Result<Segment, Error>;

    /// Opens a file whose length is known, which may spare a request.
    ///
    /// # Errors
    /// Those of [`Segment::open`].
    fn open_sized(&self, location: &str, len_bytes: u64) -> Result<Segment, Error> {
        let _ = len_bytes;
        self.open(location)
    }

    /// Opens a file whose length is known and which never changes under its name, so that what was
    /// learned of it may be used.
    ///
    /// # Errors
    /// Those of [`Segment::open`].
    fn open_immutable(&self, location: &str, len_bytes: u64) -> Result<Segment, Error> {
        self.open_sized(location, len_bytes)
    }
}

/// Files of the local file system.
#[derive(Debug, Clone)]
pub struct LocalSegments {
    footers: Arc<FooterCache>,
}

impl LocalSegments {
    /// Makes an access that keeps parsed footers in a cache.
    pub fn new(footers: Arc<FooterCache>) -> Self {
        Self { footers }
    }
}

impl SegmentAccess for LocalSegments {
    fn open(&self, location: &str) -> Result<Segment, Error> {
        Segment::open(Path::new(location), &self.footers)
    }
}
