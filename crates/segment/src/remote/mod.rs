//! Files that are not mapped: ranges of bytes, and a disk cache of their blocks.
//!
//! ```text
//! RangeSource (whoever knows the network) --BlockCache::source--> RangeSource --Segment::open_source--> Segment
//! ```
//!
//! A block that several readers want is fetched once, and to the end: who waits for it no longer, because
//! the query is over, leaves, and it arrives for the others. No network is known here. A cache belongs to
//! one folder; its files may vanish or be damaged at any time, by a crash or by people: what does not
//! check is fetched again.

mod assembly;
mod block_file;
mod cache;
mod cached;
mod flight;
mod source;

pub use cache::{BlockCache, CacheCounts};
pub use source::{Delivery, RangeSource};
