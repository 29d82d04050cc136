//! Indexes of what JSON text has inside: one subject a path, built over all paths in one pass.
//!
//! Whoever builds walks each row's document and pushes its scalars, each with its path, as JSON text.
//! A path has a dictionary of these texts and a posting for each of them; a row is in as many postings
//! of a path as it has different values there. [`crate::Kind::Nulls`] are the rows without any value at
//! the path, [`crate::Kind::Others`] those with some value that the dictionary leaves out.
//!
//! Rooms, in reading order: `values` the distinct values of one path; `pairs` which row has which;
//! `spill` pairs beyond the budget; `write` one path to its subject; [`builder`] all of them.

pub mod builder;
mod pairs;
mod spill;
mod values;
mod write;

pub use builder::{JsonBudget, JsonBuilder, PathId, UNREADABLE};
