//! SQL text to a [`ast::Query`].

pub mod ast;
