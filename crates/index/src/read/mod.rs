//! A file opened: header and directory now, everything else when asked for.

mod entry;
mod guard;
mod segment_indexes;
mod slot;
mod value_index;

pub use entry::{Entry, Remainder};
pub(crate) use guard::Guard;
pub use segment_indexes::SegmentIndexes;
pub use value_index::ValueIndex;
