//! One object of a store, by its ranges.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use growler_catalog::ObjectFiles;
use growler_catalog::objects::FileInfo;
use growler_segment::{Delivery, RangeSource};

use super::versions::Versions;
use super::{FileAccess, io_error};

/// The end of an object, fetched already.
#[derive(Debug, Clone)]
pub(super) struct Tail {
    pub(super) start: u64,
    pub(super) bytes: Bytes,
}

/// One object of a store.
#[derive(Debug)]
pub(super) struct ObjectRanges {
    files: ObjectFiles,
    location: String,
    len_bytes: u64,
    /// The version that is read, where the store tells versions apart.
    etag: Option<String>,
    /// The version for caches.
    tag: Option<String>,
    reader: u64,
    versions: Arc<Versions>,
    /// Kept until the footer is read.
    tail: Mutex<Option<Tail>>,
}

impl ObjectRanges {
    pub(super) fn new(
        access: &FileAccess,
        location: &str,
        file: &FileInfo,
        tail: Option<Tail>,
    ) -> Self {
        Self {
            files: access.files.clone(),
            location: location.to_owned(),
            len_bytes: file.len_bytes,
            etag: file.etag.clone(),
            tag: file.version(),
            reader: access.reader,
            versions: Arc::clone(&access.versions),
            tail: Mutex::new(tail),
        }
    }

    pub(super) fn forget_tail(&self) {
        *self.tail.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Takes ranges out of the end that is there already; none when one lies before it.
    fn of_tail(&self, ranges: &[Range<u64>]) -> Option<Vec<Bytes>> {
        let tail = self
            .tail
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()?;
        let cut = |range: &Range<u64>| {
            let local = |at: u64| usize::try_from(at.checked_sub(tail.start)?).ok();
            let (start, end) = (local(range.start)?, local(range.end)?);
            (start <= end && end <= tail.bytes.len()).then(|| tail.bytes.slice(start..end))
        };
        ranges.iter().map(cut).collect()
    }
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
        if let Some(read) = self.of_tail(ranges) {
            return Ok(read);
        }
        let etag = self.etag.as_deref();
        let read = self.files.read_ranges(&self.location, ranges, etag);
        read.map_err(|error| failed(error, &self.versions, &self.location, etag))
    }

    fn deliver_ranges(&self, ranges: Vec<Range<u64>>, delivery: Delivery) {
        if let Some(read) = self.of_tail(&ranges) {
            delivery(Ok(read));
            return;
        }
        let (location, etag) = (self.location.clone(), self.etag.clone());
        let versions = Arc::clone(&self.versions);
        let (read_from, read_as) = (location.clone(), etag.clone());
        let deliver = move |read: Result<_, growler_catalog::Error>| {
            delivery(read.map_err(|error| failed(error, &versions, &location, etag.as_deref())));
        };
        self.files
            .deliver_ranges(read_from, ranges, read_as, deliver);
    }
}

/// Returns a failure; the version is another now where the file was replaced, or is gone.
fn failed(
    error: growler_catalog::Error,
    versions: &Versions,
    location: &str,
    etag: Option<&str>,
) -> io::Error {
    let error = io_error(error);
    if matches!(
        error.kind(),
        io::ErrorKind::InvalidData | io::ErrorKind::NotFound
    ) {
        versions.forget(location, etag);
    }
    error
}
