//! A file written: blobs as they come, the directory last, then renamed into place.

mod blob;
mod spool;
mod whole_file;
mod writer;

pub(crate) use blob::BlobWriter;
pub(crate) use spool::append;
pub use whole_file::{publish, sync_folder, temporary_file};
pub use writer::IndexWriter;
