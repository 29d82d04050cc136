//! The text of an expression, for messages: as Pinot names result columns.

use crate::sql::ast::{Expr, Literal};

/// Longest text, in bytes.
const MAX_LEN: usize = 400;

/// Returns an expression's text: `plus(a,'1')`, `item(props,'k')`; cut if long.
pub(crate) fn describe(expr: &Expr) -> String {
    let mut text = String::new();
    write(expr, &mut text);
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

fn write(expr: &Expr, out: &mut String) {
    if out.len() > MAX_LEN {
        return;
    }
    match expr {
        Expr::Column(name) => out.push_str(name),
        Expr::Item { column, key } => out.push_str(&format!("item({column},'{key}')")),
        Expr::Literal(literal) => write_literal(literal, out),
        Expr::Call { name, args } => write_call(name, args, out),
        Expr::Aggregate(call) if call.args.is_empty() => out.push_str(&format!("{}(*)", call.name)),
        Expr::Aggregate(call) => write_call(&call.name, &call.args, out),
    }
}

fn write_call(name: &str, args: &[Expr], out: &mut String) {
    out.push_str(name);
    out.push('(');
    for (idx, arg) in args.iter().enumerate() {
        if idx > 0 {
            out.push(',');
        }
        write(arg, out);
    }
    out.push(')');
}

fn write_literal(literal: &Literal, out: &mut String) {
    match literal {
        Literal::Null => out.push_str("null"),
        Literal::Boolean(value) => out.push_str(&format!("'{value}'")),
        Literal::Int(value) => out.push_str(&format!("'{value}'")),
        Literal::Long(value) => out.push_str(&format!("'{value}'")),
        Literal::Double(_, text) => out.push_str(&format!("'{text}'")),
        Literal::String(text) => out.push_str(&format!("'{text}'")),
    }
}
