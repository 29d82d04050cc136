//! What statistics prove about a filter.

pub mod verdict;

pub use verdict::{Extent, Verdict};
