//! Expressions compiled once per query and evaluated a batch at a time.
//!
//! [`compile()`] turns a parsed expression into a [`Compiled`] one; a [`Test`] is a predicate over
//! one array, the leaf of filters. Constant parts are folded, functions loop over arrays.
//!
//! Rooms, in reading order: [`inputs`] where columns and keys come from; [`mod@compile`] from the
//! parsed tree to a `Node`, [`compiled`] what callers see of it; `node` the tree, `strict` functions
//! that are null where an argument is, `args` their arguments as typed lanes; `call` what a function
//! sees of its call, `function` all functions by family; [`mod@test`] unary predicates; `convert` between
//! types; `date` the calendar; `json` JSON paths; `describe` the text of expressions.

mod args;
pub(crate) mod call;
pub mod compile;
pub mod compiled;
pub(crate) mod convert;
mod date;
mod describe;
mod function;
pub mod inputs;
pub(crate) mod json;
mod node;
mod strict;
pub mod test;

pub use compile::{CompileOptions, compile, compile_viewed};
pub use compiled::Compiled;
pub use inputs::{Input, InputBatch, Inputs, KeyView};
pub use test::{End, Span, Spans, Test, key_view};
