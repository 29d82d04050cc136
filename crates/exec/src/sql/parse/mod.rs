//! Tokens to a query, by one token of look-ahead.
//!
//! [`parser`] holds the tokens and the bounds on depth and size; [`clauses`] reads SELECT to LIMIT;
//! [`operators`] climbs precedences; [`operand`] reads what stands between operators; [`special`]
//! the forms with keywords inside (CASE, CAST, ..); [`function`] calls and aggregates;
//! [`function_names`] which names mean what; [`literal`] numbers and text.

mod clauses;
mod function;
mod function_names;
mod literal;
mod operand;
mod operators;
mod parser;
mod special;
mod words;

pub(super) use parser::{Parser, TREE_HEIGHT, check_node_count};
