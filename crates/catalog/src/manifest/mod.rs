//! Manifest lists and manifests: which files a snapshot is made of (sections of the same names).
//!
//! Rooms, in reading order: [`avro`] the file format; [`list`] a snapshot's manifests; [`partition`]
//! partition tuples; [`columns`] bounds and counts; [`mod@file`] one data or delete file; [`entry`] a
//! manifest's files, with what they inherit from the list.

pub(crate) mod avro;
pub mod columns;
pub mod entry;
pub mod file;
pub mod list;
pub mod partition;

pub use columns::{ColumnStats, Columns};
pub use entry::{Entry, Status};
pub use file::{Content, FileEntry, FileFormat};
pub use list::{FieldSummary, Manifest, ManifestContent};
pub use partition::PartitionTuple;
