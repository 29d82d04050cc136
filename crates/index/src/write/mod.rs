//! A file written: blobs as they come, the directory last, then renamed into place.

mod writer;

pub use writer::IndexWriter;
