//! Filters answered by indexes.

pub mod skip;

pub use skip::SkipIndexes;
