//! Where the parts of an index file lie: the format's own description, read without growler.

use std::ops::Range;

use growler_index::{SourceIdentity, identity::hash};

/// Length of the header, its checksum included.
pub(super) const HEADER: usize = 128;

/// Where the parts lie, as far as a directory can be read.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    /// Each index.
    pub blobs: Vec<Blob>,
    /// The directory.
    pub directory: Range<usize>,
}

/// One index.
#[derive(Debug, Clone)]
pub(super) struct Blob {
    /// Its bytes.
    pub bytes: Range<usize>,
    /// Its checksum in the directory.
    pub hash: usize,
}

impl Layout {
    pub fn of(file: &[u8]) -> Self {
        let directory = range(file, number(file, 48, 8), number(file, 56, 8));
        let mut layout = Self {
            blobs: Vec::new(),
            directory: directory.clone(),
        };
        let mut at = directory.start + 4;
        for _ in 0..number(file, directory.start, 4) {
            if at >= directory.end {
                break;
            }
            at = layout.subject(file, at);
        }
        layout
    }

    /// Reads the subject at a place; returns the next one's.
    fn subject(&mut self, file: &[u8], at: usize) -> usize {
        let text = |at: usize| at + 2 + small(number(file, at, 2));
        // Column, whether there is a path, path, reading, type and parameter, three counts.
        let at = text(text(at) + 1) + 3 + 12;
        let count = small(number(file, at, 1));
        for idx in 0..count {
            let place = at + 1 + 25 * idx;
            let bytes = range(file, number(file, place + 1, 8), number(file, place + 9, 8));
            let hash = place + 17;
            self.blobs.push(Blob { bytes, hash });
        }
        at + 1 + 25 * count
    }

    /// Makes all checksums right that can be found.
    pub fn seal(&self, file: &mut [u8]) {
        for blob in &self.blobs {
            let sum = hash(file.get(blob.bytes.clone()).unwrap_or_default());
            put(file, blob.hash, sum);
        }
        let sum = hash(file.get(self.directory.clone()).unwrap_or_default());
        put(file, 64, sum);
        let sum = hash(file.get(..HEADER - 8).unwrap_or_default());
        put(file, HEADER - 8, sum);
    }
}

/// Returns the source a header names.
pub(super) fn source(file: &[u8]) -> SourceIdentity {
    SourceIdentity {
        len_bytes: number(file, 16, 8),
        footer_hash: number(file, 24, 8),
        row_count: u32::try_from(number(file, 32, 8)).unwrap_or(u32::MAX),
    }
}

/// Reads a little-endian number; what is not there is zero.
fn number(file: &[u8], at: usize, len: usize) -> u64 {
    let bytes = file.iter().skip(at).take(len).rev();
    bytes.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn small(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn range(file: &[u8], offset: u64, len: u64) -> Range<usize> {
    let start = small(offset).min(file.len());
    let end = start.saturating_add(small(len)).min(file.len());
    start..end
}

fn put(file: &mut [u8], at: usize, number: u64) {
    let into = file.get_mut(at..).unwrap_or_default();
    if let Some(into) = into.first_chunk_mut() {
        *into = number.to_le_bytes();
    }
}
