//! From the parsed tree to a compiled expression.

use crate::{
    error::Error,
    expr::{Compiled, Inputs},
    sql::ast::Expr,
};

/// What compiling depends on besides the expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompileOptions {
    /// Whether SQL's three-valued logic holds (`enableNullHandling`).
    pub null_handling: bool,
    /// The query's start in milliseconds since 1970, UTC: what `now()` returns.
    pub now_ms: i64,
}

/// Compiles an expression; folds its constant parts.
///
/// # Errors
/// [`Error::Validation`] for unknown functions, wrong argument counts and types, with the text of
/// the offending expression; [`Error::UnknownColumn`] from `inputs`.
pub fn compile(
    expr: &Expr,
    inputs: &mut dyn Inputs,
    options: &CompileOptions,
) -> Result<Compiled, Error> {
    let _ = (expr, inputs, options);
    Err(Error::Internal(
        "expressions are not compiled yet".to_owned(),
    ))
}
