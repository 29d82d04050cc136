//! How the Parquet files of a table are opened: local ones mapped, others fetched by ranges.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use growler_catalog::location::canonical;
use growler_catalog::objects::FileInfo;
use growler_catalog::{Files, ObjectFiles};
use growler_segment::{BlockCache, Delivery, Error, FooterCache, RangeSource, Segment};

/// Opens the files of a table by their locations; cheap to clone.
#[derive(Debug, Clone)]
pub struct FileAccess {
    files: ObjectFiles,
    footers: Arc<FooterCache>,
    blocks: Option<Arc<BlockCache>>,
    reader: u64,
}

impl FileAccess {
    /// Makes access to files; what is fetched goes through `blocks`, if there are.
    pub fn new(
        files: ObjectFiles,
        footers: Arc<FooterCache>,
        blocks: Option<Arc<BlockCache>>,
    ) -> Self {
        static READERS: AtomicU64 = AtomicU64::new(1);
        Self {
            files,
            footers,
            blocks,
            reader: READERS.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Makes access to local files alone.
    pub fn local(footers: Arc<FooterCache>) -> Self {
        Self::new(ObjectFiles::default(), footers, None)
    }

    /// Returns the files themselves.
    pub fn files(&self) -> &ObjectFiles {
        &self.files
    }

    /// Returns the files as the catalog reads them.
    pub fn shared_files(&self) -> Arc<dyn Files> {
        Arc::new(self.files.clone())
    }

    /// Opens a file of known length, as a manifest knows it; another length is found out when it is read.
    ///
    /// # Errors
    /// As [`Segment::open`].
    pub fn open(&self, location: &str, len_bytes: u64) -> Result<Segment, Error> {
        self.open_version(&FileInfo {
            location: location.to_owned(),
            len_bytes,
            etag: None,
            modified: None,
        })
    }

    /// Opens a file of known length and version, as a listing knows it.
    ///
    /// # Errors
    /// As [`Segment::open`]; `Unavailable` when the file was replaced by another.
    pub fn open_version(&self, file: &FileInfo) -> Result<Segment, Error> {
        let location = canonical(&file.location);
        if !is_remote(&location) {
            let allowed = self.files.check_allowed(&location);
            allowed.map_err(|error| Error::Unreadable {
                path: Path::new(&location).into(),
                source: io_error(error),
            })?;
            return Segment::open(Path::new(&location), &self.footers);
        }
        let source: Arc<dyn RangeSource> = Arc::new(ObjectRanges {
            files: self.files.clone(),
            location: location.clone(),
            len_bytes: file.len_bytes,
            etag: file.etag.clone(),
            tag: file.version(),
            reader: self.reader,
        });
        let source = match &self.blocks {
            Some(blocks) => {
                // Stores may have buckets of one name.
                let place = format!("{location}\n{}", self.files.place());
                blocks.source(&place, source)
            }
            None => source,
        };
        Segment::open_source(&location, source, &self.footers)
    }
}

/// Tells whether a location is in an object store.
pub fn is_remote(location: &str) -> bool {
    location.contains("://") && !location.starts_with("file:")
}

/// One object of a store.
#[derive(Debug)]
struct ObjectRanges {
    files: ObjectFiles,
    location: String,
    len_bytes: u64,
    /// The version that is read, where the store tells versions apart.
    etag: Option<String>,
    /// The version for caches.
    tag: Option<String>,
    reader: u64,
}

impl RangeSource for ObjectRanges {
    fn len_bytes(&self) -> u64 {
        self.len_bytes
    }

    fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    fn reader(&self) -> u64 {
        self.reader
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Bytes>> {
        let etag = self.etag.as_deref();
        let read = self.files.read_ranges(&self.location, ranges, etag);
        read.map_err(io_error)
    }

    fn deliver_ranges(&self, ranges: Vec<Range<u64>>, delivery: Delivery) {
        let (location, etag) = (self.location.clone(), self.etag.clone());
        let deliver = move |read: Result<_, growler_catalog::Error>| {
            delivery(read.map_err(io_error));
        };
        self.files.deliver_ranges(location, ranges, etag, deliver);
    }
}

/// Returns what kept a file from being read, without its location: a segment names that itself.
pub(crate) fn io_error(error: growler_catalog::Error) -> io::Error {
    match error {
        growler_catalog::Error::Unreadable { source, .. } => source,
        other => io::Error::other(other.to_string()),
    }
}
