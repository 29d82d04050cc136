//! The way in.

use super::ast::Query;
use crate::error::Error;

/// Parses one SQL statement.
///
/// # Errors
/// [`Error::Parse`] when the text is no SQL or exceeds a limit on SQL text, [`Error::Validation`]
/// when it is understood but not allowed.
pub fn parse(text: &str) -> Result<Query, Error> {
    let _ = text;
    Err(Error::Internal("not written yet".to_owned()))
}
