//! From the indexes a table's config wants to the files that hold them, one segment at a time.
//!
//! ```text
//! View, segment, IndexPlan -> reconcile the metadata          segment.json, atomically
//!     -> wanted subjects (columns, typed keys, the paths of the residuals)
//!     -> against what the present file has: copy, build, drop
//!     -> a new file beside the old one, renamed over it       SegmentIndexes
//! ```
//! Rooms, in reading order: [`store`] where files lie; [`metadata`] what is kept of a segment's columns;
//! [`segment`] the reload of one segment; [`report`] what it did; [`error`] why it failed.
//!
//! Invariants: no Parquet file is written; a subject is built of exactly the source that a scan reads;
//! a failure, at any point, leaves the old files as they were; a second reload does nothing.

pub mod error;
pub mod metadata;
pub mod report;
pub mod segment;
pub mod store;

pub use error::Error;
pub use growler_schema::IndexPlan;
pub use report::{BuiltIndex, Reloaded};
pub use segment::{Advance, ReloadOptions, needs_reload, reload_segment};
pub use store::{IndexStore, load_indexes};
