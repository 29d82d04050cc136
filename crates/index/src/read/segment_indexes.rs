//! The indexes of one segment.

use std::path::Path;
use std::sync::Arc;

use super::{Entry, Remainder, ValueIndex};
use crate::{Error, Reading, SourceIdentity};

/// The indexes of one segment: a file, mapped. A clone shares it.
#[derive(Debug, Clone)]
pub struct SegmentIndexes {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    entries: Vec<Entry>,
}

impl SegmentIndexes {
    /// Opens the file at `path`, reading its header and directory; none when there is no file.
    ///
    /// # Errors
    /// Corrupt when header or directory are damaged or the file is cut off; unsupported when a
    /// later version wrote it; conflict when it is of other data than `source`; unavailable.
    pub fn open(path: &Path, source: &SourceIdentity) -> Result<Option<Self>, Error> {
        let _ = (path, source);
        Ok(None)
    }

    /// Returns what the file holds, subject by subject.
    pub fn entries(&self) -> &[Entry] {
        &self.inner.entries
    }

    /// Returns the indexes of a column (`path` none) or key.
    pub fn subject(
        &self,
        column: &str,
        path: Option<&str>,
        reading: Reading,
    ) -> Option<ValueIndex<'_>> {
        let _ = (column, path, reading);
        None
    }

    /// Returns what was indexed of the untyped keys of a VARIANT column.
    pub fn remainder(&self, column: &str) -> Option<&Remainder> {
        let _ = column;
        None
    }

    /// Returns what was indexed of the untyped keys of each VARIANT column.
    pub fn remainders(&self) -> &[Remainder] {
        &[]
    }

    /// Returns how many rows the segment has.
    pub fn row_count(&self) -> u32 {
        0
    }

    /// Returns the length of the file.
    pub fn file_len(&self) -> u64 {
        0
    }

    /// Returns the hash of the configuration that the file was built for.
    pub fn config_hash(&self) -> u64 {
        0
    }

    /// Returns where the file was opened.
    pub fn path(&self) -> &Path {
        Path::new("")
    }

    /// Checks every checksum and structure of the file and returns what is damaged.
    pub fn verify(&self) -> Vec<Error> {
        Vec::new()
    }
}
