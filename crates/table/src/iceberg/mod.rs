//! Iceberg tables as views: the files of a snapshot, and what queries need to know of each.
//!
//! ```text
//! location --open--> IcebergTable --scan_plan--> files --members--> view
//!             columns by identity, defaults, name mapping ----^  ^---- rows that are gone
//! ```
//! Rooms, in reading order: [`mod@open`] which table a path is; [`member`] one data file, with all that is
//! kept of it; [`access`] files to segments; [`columns`] the table's columns as segments bind them;
//! [`dropped`] those that it had once; [`deletes`] the rows that are gone; [`pruner`] files that a query leaves closed; [`mod@view`] all of it
//! as a view; [`mod@describe`] a state as people look at it; [`error`] what can go wrong.

pub mod access;
mod cells;
pub mod columns;
pub mod deletes;
pub mod describe;
mod dropped;
pub mod error;
pub mod member;
pub mod open;
mod parallel;
pub mod pruner;
pub mod view;

pub use access::{LocalSegments, SegmentAccess};
pub use describe::describe;
pub use error::Error;
pub use member::Member;
pub use open::{open, open_table};
pub use view::{Columns, members, survey, view};
