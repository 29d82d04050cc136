//! How the Parquet files of a table are opened: local ones mapped, others fetched by ranges.
//!
//! A remote file needs its length and its version, which tells it from another under the same name. A
//! listing knows both; of a file whose length alone is known, the first request fetches the footer and
//! learns the version from its answer; else a request is spent on it. Rooms: `ranges` one object by its
//! ranges; `versions` what was learned.

mod ranges;
mod versions;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use growler_base::limits;
use growler_catalog::location::canonical;
use growler_catalog::objects::FileInfo;
use growler_catalog::{Files, ObjectFiles};
use growler_segment::{BlockCache, Error, FooterCache, RangeSource, Segment};

use ranges::{ObjectRanges, Tail};
use versions::Versions;

/// Opens the files of a table by their locations; cheap to clone.
#[derive(Debug, Clone)]
pub struct FileAccess {
    files: ObjectFiles,
    footers: Arc<FooterCache>,
    blocks: Option<Arc<BlockCache>>,
    versions: Arc<Versions>,
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
            versions: Arc::default(),
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
            allowed.map_err(|error| unreadable(&location, io_error(error)))?;
            return Segment::open(Path::new(&location), &self.footers);
        }
        self.open_object(&location, file, None)
    }

    /// Opens a file whose length its table knows; what tells its version comes with its footer.
    ///
    /// # Errors
    /// As [`Segment::open`].
    pub fn open_sized(&self, location: &str, len_bytes: u64) -> Result<Segment, Error> {
        let location = canonical(location);
        if !is_remote(&location) {
            return self.open(&location, len_bytes);
        }
        let Some((tail, found)) = self.tail(&location, len_bytes)? else {
            return self.open_asked(&location);
        };
        self.versions.learn(&found);
        self.open_object(&location, &found, Some(tail))
    }

    /// Opens a file that never changes under its name, and whose length its table knows: goes by the
    /// version that was learned before, until a read finds another there.
    ///
    /// # Errors
    /// As [`Segment::open`].
    pub fn open_immutable(&self, location: &str, len_bytes: u64) -> Result<Segment, Error> {
        match self.versions.of(&canonical(location), len_bytes) {
            Some(known) => self.open_version(&known),
            None => self.open_sized(location, len_bytes),
        }
    }

    /// Opens a file of which nothing is known.
    ///
    /// # Errors
    /// As [`Segment::open`].
    pub fn open_asked(&self, location: &str) -> Result<Segment, Error> {
        let location = canonical(location);
        if !is_remote(&location) {
            return self.open(&location, 0);
        }
        let found = self.files.info(&location);
        let found = found.map_err(|error| unreadable(&location, io_error(error)))?;
        self.open_version(&found)
    }

    /// Reads the end of an object; none where its length is another one, or cannot be told.
    fn tail(&self, location: &str, len_bytes: u64) -> Result<Option<(Tail, FileInfo)>, Error> {
        let suffix = len_bytes.saturating_sub(limits::REMOTE_SUFFIX_LEN_BYTES);
        let start = match &self.blocks {
            // Whole blocks, as they are kept.
            Some(_) => suffix - suffix % limits::REMOTE_BLOCK_LEN_BYTES as u64,
            None => suffix,
        };
        if len_bytes == 0 {
            return Ok(None);
        }
        match self.files.read_with_info(location, start..len_bytes) {
            Ok((bytes, found)) => {
                let is_whole = bytes.len() as u64 == len_bytes - start;
                let is_known = found.len_bytes == len_bytes && is_whole;
                Ok(is_known.then_some((Tail { start, bytes }, found)))
            }
            Err(error) => match io_error(error) {
                error if is_final(error.kind()) => Err(unreadable(location, error)),
                _ => Ok(None),
            },
        }
    }

    fn open_object(
        &self,
        location: &str,
        file: &FileInfo,
        tail: Option<Tail>,
    ) -> Result<Segment, Error> {
        let object = Arc::new(ObjectRanges::new(self, location, file, tail));
        let source: Arc<dyn RangeSource> = Arc::clone(&object) as _;
        let source = match &self.blocks {
            Some(blocks) => {
                // Stores may have buckets of one name.
                let place = format!("{location}\n{}", self.files.place());
                blocks.source(&place, source)
            }
            None => source,
        };
        let opened = Segment::open_source(location, source, &self.footers);
        object.forget_tail();
        opened
    }
}

/// Tells whether a failure is one of the whole file: asking in another way would not help.
fn is_final(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{NotFound, PermissionDenied, TimedOut};
    matches!(kind, NotFound | PermissionDenied | TimedOut)
}

fn unreadable(location: &str, source: io::Error) -> Error {
    Error::Unreadable {
        path: Path::new(location).into(),
        source,
    }
}

/// Tells whether a location is in an object store.
pub fn is_remote(location: &str) -> bool {
    location.contains("://") && !location.starts_with("file:")
}

/// Returns what kept a file from being read, without its location: a segment names that itself.
pub(crate) fn io_error(error: growler_catalog::Error) -> io::Error {
    match error {
        growler_catalog::Error::Unreadable { source, .. } => source,
        other => io::Error::other(other.to_string()),
    }
}
