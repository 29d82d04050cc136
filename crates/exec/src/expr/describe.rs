//! The text of an expression, for messages.

use crate::sql::{ast::Expr, names::expr_text};

/// Longest text, in bytes.
const MAX_LEN: usize = 400;

/// Returns an expression's text: `plus(a,'1')`, `item(props,'k')`; cut if long.
pub(crate) fn describe(expr: &Expr) -> String {
    let mut text = expr_text(expr, true);
    if text.len() > MAX_LEN {
        let mut end = MAX_LEN;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str("..");
    }
    text
}
