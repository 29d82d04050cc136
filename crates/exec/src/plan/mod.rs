//! From a parsed query to what runs on each segment.
//!
//! ```text
//! Query -> slots (columns, keys, virtual columns) -> operands, filter tree, aggregates
//!       -> per segment: bound sources -> explain tree, or morsels
//! ```
//! Rooms, in reading order: [`slots`] what expressions read; [`operand`] one expression ready to run;
//! [`substitute`] nulls without null handling; [`result`] expressions over results of groups;
//! [`physical`] the whole plan; [`bound`] its slots in one segment; [`describe`] its EXPLAIN tree;
//! [`evaluate`] queries without a table.

pub mod bound;
pub mod describe;
pub mod evaluate;
pub mod operand;
pub mod physical;
pub mod result;
pub mod slots;
pub mod substitute;

pub use bound::BoundSegment;
pub use operand::Operand;
pub use physical::{Aggregate, Grouping, Plan, Shape, SortKey};
pub use slots::{Slot, Slots};
