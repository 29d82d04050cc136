//! Values to blobs, within a budget.
//!
//! ```text
//! arrays -> distinct values: an id for each, in order of arrival -> chunks: ids of rows
//!        -> ids sorted by value: ranks -> dictionary; rows counted into their ranks -> postings
//! beyond the budget: values sorted and rows go to a temporary file as a run; in the end the
//! values of all runs are merged, and rows are counted in as many passes as memory asks
//! ```
//! Rooms: `budget`; `distinct` values to ids; `chunk` ids of the rows of a chunk; `gather` both of
//! a whole subject; `spill` runs in a file; `merge` their values; `ranked` rows with ranks, from memory or
//! runs; `buckets` those
//! sorted by rank; `assemble` both to an inverted index; `value_builder` all of it
//! for one subject; `inverted_builder` the last steps for rows whose ranks are known.

mod assemble;
mod buckets;
mod budget;
mod chunk;
mod distinct;
mod gather;
mod inverted_builder;
mod merge;
mod ranked;
mod spill;
mod value_builder;

pub use budget::Budget;
pub use inverted_builder::InvertedBuilder;
pub use value_builder::{Built, ValueBuilder};
