//! From the indexes a table's config wants to the files that hold them, one segment at a time.
//!
//! ```text
//! View, segment, IndexPlan -> reconcile the metadata          segment.json, atomically
//!     -> wanted subjects (columns, typed keys, the paths of the residuals)
//!     -> against what the present file has: copy, build, drop
//!     -> a new file beside the old one, renamed over it       SegmentIndexes
//! ```
//! Rooms, in reading order: [`store`] where files lie; `metadata` what is kept of a segment's columns;
//! `wanted` the columns and keys a segment is to have indexes on; `compare` what of that is there;
//! `passes` and `build` the rest, within a budget; [`segment`] all of it; [`report`] what was done; `watch`
//! how far it is; [`error`] why it failed.
//!
//! Invariants: no Parquet file is written; a subject is built of exactly the source that a scan reads;
//! a failure, at any point, leaves the old files as they were; a second reload does nothing.

pub mod store;

mod ids;
mod metadata;

mod compare;
mod wanted;

mod build;
mod documents;
mod passes;
mod walk;

pub mod segment;

pub mod error;
pub mod report;
mod watch;

pub use error::Error;
pub use growler_schema::IndexPlan;
pub use ids::same_columns;
pub use report::{BuiltIndex, Reloaded};
pub use segment::{Advance, ReloadOptions, needs_reload, reload_segment, uses_stored};
pub use store::{IndexStore, load_indexes};
