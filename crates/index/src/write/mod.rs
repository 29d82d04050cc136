//! A file written: blobs as they come, the directory last, then renamed into place.

mod blob;
mod writer;

pub(crate) use blob::BlobWriter;
pub use writer::IndexWriter;
