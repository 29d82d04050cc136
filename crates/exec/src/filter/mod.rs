//! Filters: which rows of a row group pass.
//!
//! Every leaf gives the pair of the one leaf contract: *trues* among rows with a value, and *nulls*.
//! With null handling off, nulls count as trues where the predicate holds for the default null value,
//! so none are left.
//!
//! Rooms, in reading order: [`mask`] sets of rows of one window; [`truth`] three-valued logic on them;
//! [`leaf`] one predicate on arrays, [`document`] what an index of JSON is asked instead of it; [`tree`] the filter of a query; [`scan`] its evaluation on a row
//! group, cheap leaves first and later ones only where it still matters; `encoded` leaves over a dictionary in place of its rows.

pub mod document;
mod encoded;
pub mod leaf;
pub mod mask;
pub mod scan;
pub mod tree;
pub mod truth;

pub use leaf::{Leaf, Predicate};
pub use mask::Mask;
pub use scan::{FilterScan, Want};
pub use tree::{Builder, Filter};
pub use truth::Truth;
