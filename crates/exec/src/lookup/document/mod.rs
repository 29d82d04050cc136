//! Predicates on what JSON documents have inside, answered by the index of their paths.
//!
//! The index has, path by path, the distinct scalars as JSON text and their rows. A predicate is asked
//! about each of these texts, by the very code that a scan runs over documents, so the rows of the
//! values that pass are rows it is true for. What the index does not tell - objects, arrays, long
//! texts, documents that were not readable, elements beyond the first few - it leaves to the scan.
//!
//! Rooms, in reading order: `rows` answers, `index` the paths of one column and what passes at them;
//! `extract` tests of `JSON_EXTRACT_SCALAR`, `key` those that the index of a key answers; `matching` filters of `JSON_MATCH`; `lookup` which of them
//! a leaf is.

mod extract;
mod index;
mod key;
mod lookup;
mod matching;
mod rows;

pub use lookup::DocumentLookup;
pub use rows::DocumentRows;
