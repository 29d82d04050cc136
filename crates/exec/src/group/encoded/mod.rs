//! Rows folded as ids into dictionaries: a value is looked at once for all rows that have it.
//!
//! ```text
//! a batch of rows -> an id a row and slot, null one more -> one number a row for all keys: its cell
//! cells -> groups, once each, in the order of rows; counts by (cell, id of an argument)
//! at the end: value of the id, group of the cell, count -> states of the aggregates
//! ```
//! Rooms: [`shape`] groupings of which that is all there is to know; [`column`] the ids of one slot;
//! [`histogram`] counts; [`cells`] the groups and counts of one row group; [`collect`] its batches.
//!
//! What is left behind a row that has no id is read as arrays, so wherever this ends early the answer
//! is the same.

mod cells;
pub(super) mod collect;
mod column;
mod histogram;
pub(super) mod shape;
