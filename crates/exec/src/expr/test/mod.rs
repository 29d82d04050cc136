//! Unary predicates over one array: the leaves of filters, and comparisons with constants.
//!
//! Rooms, in reading order: `number` numeric literals, kept exact; `domain` which numbers pass;
//! `pattern` LIKE and regular expressions; `text` which texts pass; `condition` from an operator and
//! its literals to one of these; `unary` the [`Test`] itself; `spans` which sorted values an index
//! looks up for it; `bound` the tests of values that come before another; `entries` its verdicts on dictionaries; `view` as what a VARIANT key is read for a comparison.

mod bound;
mod condition;
mod domain;
mod entries;
mod number;
pub(crate) mod pattern;
mod spans;
#[cfg(test)]
mod tests;
mod text;
mod unary;
mod view;

pub use bound::End;
pub use spans::{Span, Spans};
pub use unary::Test;
pub use view::key_view;
