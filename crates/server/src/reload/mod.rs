//! Reloads: bringing the indexes of segments to what their table's config wants, in the background.
//!
//! ```text
//! POST /segments/T/reload -> Job (an id at once) -> waiting
//!     one job a table at a time -> active -> workers, one segment each -> backend: build, publish
//!     GET /segments/segmentReloadStatus/ID <- Job <- remembered, bounded
//! ```
//! Rooms, in reading order: [`job`] one reload and how far it is; [`progress`] the state of its
//! segments; [`queue`] which segment is next; [`memory`] reloads by their ids; [`workers`] the threads;
//! [`reloads`] all of it together; [`status`] as Pinot's JSON.
//!
//! Invariants: queries never wait for a reload; a segment's failure is its own; what a job has done
//! is counted by the job, not by clocks; dropping a table or stopping the server ends its jobs.

pub mod job;
pub mod memory;
pub mod progress;
pub mod queue;
pub mod reloads;
pub mod status;
mod workers;

pub use job::{Asked, Job};
pub use reloads::Reloads;
