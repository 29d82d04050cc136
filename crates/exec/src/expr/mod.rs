//! Expressions compiled once per query and evaluated a batch at a time.
//!
//! Rooms, in reading order: [`inputs`] where columns and keys come from; [`compile`] from the
//! parsed tree to a [`Compiled`]; [`test`] unary predicates over one array, the leaves of filters.

pub mod compile;
pub mod compiled;
pub(crate) mod convert;
pub mod inputs;
pub mod test;

pub use compile::{CompileOptions, compile};
pub use compiled::Compiled;
pub use inputs::{Input, InputBatch, Inputs, KeyView};
pub use test::{Test, key_view};
