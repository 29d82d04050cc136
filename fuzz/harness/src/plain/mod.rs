//! The variant format once more, as plainly as possible: no laziness, no tables kept, everything
//! read and checked before there is an answer.
//!
//! [`mod@decode`] bytes to a tree; [`tree`] the tree and keys in it; [`json`] whether a text says the
//! same.

pub mod decode;
pub mod json;
pub mod tree;

pub use decode::{Refused, decode, extent, names};
pub use tree::Plain;
