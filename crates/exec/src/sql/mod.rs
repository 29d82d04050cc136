//! SQL text to a [`ast::Query`].
//!
//! ```text
//! text ─ lex ─ split (SET, EXPLAIN, OPTION) ─ parse (clauses, expressions) ─ rewrite ─ Query
//! ```
//! `sqlparser` reads the tokens; the grammar above them is ours. Its own parser backtracks: a word
//! that may begin a special form is tried as that and, on failure, as a name, which takes time
//! exponential in the nesting (`NOT(NOT(NOT(..` of a hundred bytes runs for minutes). The parser
//! here decides by looking ahead one token, never goes back, and bounds depth and size as it goes,
//! so hostile text costs time linear in its length.
//!
//! Rooms, in reading order: [`ast`] the query model; [`comparison`] its comparison operators;
//! [`walk`] looking at expressions; `lex`,
//! `split`, `parse`, `rewrite` the stages; [`names`] result column names and predicate texts.

pub mod ast;
pub mod comparison;
pub mod names;
pub mod walk;

mod entry;
mod lex;
mod parse;
mod rewrite;
mod split;

pub use entry::parse;
pub(crate) use entry::parse_condition;
pub use lex::tokens;
