//! The way in.

use super::ast::{Expr, Query};
use super::lex::{Tokens, excerpt};
use super::parse::Parser;
use super::{rewrite, split};
use crate::error::Error;

/// Parses one SQL statement.
///
/// # Errors
/// [`Error::Parse`] when the text is no SQL or exceeds a limit on SQL text, [`Error::Validation`]
/// when it is understood but not allowed.
pub fn parse(text: &str) -> Result<Query, Error> {
    read(text).map_err(|error| match error {
        Error::Parse(reason) => Error::Parse(format!(
            "Caught exception while parsing query: {}: {reason}",
            excerpt(text)
        )),
        other => other,
    })
}

fn read(text: &str) -> Result<Query, Error> {
    let mut tokens = Tokens::try_new(text)?;
    let prefix = split::read_prefix(&mut tokens)?;
    let mut parser = Parser::new(tokens);
    let mut query = parser.query()?;
    query.explain = prefix.explain;
    query.options = prefix.options;
    split::read_suffix(parser.tokens(), &mut query.options)?;
    rewrite::resolve_references(&mut query)?;
    rewrite::normalize_filters(&mut query)?;
    rewrite::check(&query)?;
    rewrite::group_to_distinct(&mut query);
    Ok(query)
}

/// Parses a condition that stands alone, as the filter of `JSON_MATCH` does.
///
/// # Errors
/// As [`parse`].
pub(crate) fn parse_condition(text: &str) -> Result<Expr, Error> {
    let mut parser = Parser::new(Tokens::try_new(text)?);
    let condition = parser.condition()?;
    rewrite::normalize(condition)
}
