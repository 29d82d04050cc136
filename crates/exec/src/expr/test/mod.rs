//! Unary predicates over one array: the leaves of filters.

mod test_impl;

pub use test_impl::{Test, key_view};
