//! Iceberg tables as views: the files of a snapshot, and what queries need to know of each.
//!
//! Rooms: [`member`] one data file, with all that is kept of it.

pub mod member;

pub use member::Member;
