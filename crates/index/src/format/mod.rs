//! The file, byte by byte.
//!
//! ```text
//! file      = header (128 bytes), blobs, directory
//! blob      : one index; begins at a multiple of 64
//! directory : what is where; ends the file
//! ```
//! All numbers are little-endian. Rooms: `header`; `directory`; `data_type` the codes of types.
//! What a blob holds is told where it is written: [`crate::posting`], [`crate::dictionary`],
//! `inverted`, [`crate::range`], [`crate::bloom`].

mod data_type;
mod directory;
mod header;

pub(crate) use directory::{BlobPlace, Counts, Directory, SubjectEntry, UNKNOWN};
pub(crate) use header::{HEADER_LEN, Header, NoHeader};

/// Version that is written.
pub(crate) const VERSION: u32 = 2;
/// Oldest version whose readers can read what is written.
pub(crate) const MIN_READER: u32 = 2;
/// What every blob's offset is a multiple of.
pub(crate) const ALIGNMENT: u64 = 64;
