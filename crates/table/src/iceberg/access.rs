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
