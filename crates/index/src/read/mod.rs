//! A file opened: header and directory now, everything else when asked for.

mod entry;
mod segment_indexes;
mod value_index;

pub use entry::{Entry, Remainder};
pub use segment_indexes::SegmentIndexes;
pub use value_index::ValueIndex;
