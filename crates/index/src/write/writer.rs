//! The writer of one file.

use std::path::Path;

use crate::{Entry, Error, Remainder, SegmentIndexes, SourceIdentity};

/// Writes the indexes of one segment to a temporary file, and renames it when all are in.
///
/// Dropped before [`Self::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct IndexWriter {
    remainders: Vec<Remainder>,
}

impl IndexWriter {
    /// Begins a file that will be `folder/name`; the folder is made when it is not there.
    ///
    /// # Errors
    /// Unavailable.
    pub fn create(
        folder: &Path,
        name: &str,
        source: SourceIdentity,
        config_hash: u64,
    ) -> Result<Self, Error> {
        let _ = (folder, name, source, config_hash);
        Ok(Self {
            remainders: Vec::new(),
        })
    }

    /// Returns the folder that the file will be in; a good place to spill to.
    pub fn folder(&self) -> &Path {
        Path::new("")
    }

    /// Copies one index of another file over the same data, its checksum checked.
    ///
    /// Indexes of one subject belong together: copy all that stay, or build all anew.
    ///
    /// # Errors
    /// Corrupt when it is damaged; conflict when it is of other data or is there already; unavailable.
    pub fn copy_from(&mut self, from: &SegmentIndexes, entry: &Entry) -> Result<(), Error> {
        let _ = (from, entry);
        Ok(())
    }

    /// Records what was indexed of the untyped keys of a VARIANT column.
    pub fn add_remainder(&mut self, remainder: Remainder) {
        self.remainders.push(remainder);
    }

    /// Returns how many bytes were written so far.
    pub fn written_bytes(&self) -> u64 {
        0
    }

    /// Writes the directory, makes everything durable and renames the file into place.
    ///
    /// # Errors
    /// Unavailable; limit exceeded.
    pub fn finish(self) -> Result<(), Error> {
        Ok(())
    }
}
