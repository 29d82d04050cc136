//! Texts of expressions: names of result columns, and predicates as EXPLAIN shows them.

use super::ast::{AggregateCall, Expr, Literal, Query};
use super::comparison::Comparison;

/// Returns the name of a result column: the alias, or the expression's text.
///
/// In a query without a table a literal is named by its bare value.
pub fn result_name(query: &Query, expr: &Expr, alias: Option<&str>, null_handling: bool) -> String {
    match (alias, expr) {
        (Some(alias), _) => alias.to_owned(),
        (None, Expr::Literal(literal)) if query.table.is_none() => literal_text(literal),
        (None, expr) => expr_text(expr, null_handling),
    }
}

/// Returns an expression's text: identifiers as written, literals in quotes, and
/// `function(arg,arg)` for everything else.
///
/// With null handling off `COUNT(x)` counts every row, and is called `count(*)`.
pub fn expr_text(expr: &Expr, null_handling: bool) -> String {
    let mut out = String::new();
    write_expr(expr, null_handling, &mut out);
    out
}

/// Returns the text of a filter: predicates joined by `AND`, `OR` and `NOT`, in parentheses.
pub fn filter_text(filter: &Expr, null_handling: bool) -> String {
    let mut out = String::new();
    write_filter(filter, null_handling, &mut out);
    out
}

/// Returns the text of one predicate, such as `c = '1'` or `regexp_like(c,'^p.*','i')`.
pub fn predicate_text(predicate: &Expr, null_handling: bool) -> String {
    let mut out = String::new();
    write_predicate(predicate, null_handling, &mut out);
    out
}

/// Returns the text of a range whose two ends may have been merged from several predicates; a
/// bound is its literal and whether it is part of the range.
pub fn range_text(
    subject: &str,
    lower: Option<(&str, bool)>,
    upper: Option<(&str, bool)>,
) -> String {
    let at_least = |inclusive| if inclusive { ">=" } else { ">" };
    let at_most = |inclusive| if inclusive { "<=" } else { "<" };
    match (lower, upper) {
        (None, None) => subject.to_owned(),
        (Some((low, inclusive)), None) => format!("{subject} {} '{low}'", at_least(inclusive)),
        (None, Some((high, inclusive))) => format!("{subject} {} '{high}'", at_most(inclusive)),
        (Some((low, true)), Some((high, true))) => {
            format!("{subject} BETWEEN '{low}' AND '{high}'")
        }
        (Some((low, low_inclusive)), Some((high, high_inclusive))) => format!(
            "({subject} {} '{low}' AND {subject} {} '{high}')",
            at_least(low_inclusive),
            at_most(high_inclusive)
        ),
    }
}

/// Returns what EXPLAIN calls a predicate's operator (`EQ`, `RANGE`, ..); none for what is no
/// predicate.
pub fn predicate_operator(predicate: &Expr) -> Option<&'static str> {
    let (name, args) = predicate.as_call()?;
    let compares_exprs = args.get(1).is_some_and(|right| !right.is_constant());
    Some(match name {
        // One expression against another is evaluated row by row and tested for true.
        name if compares_exprs && Comparison::of(name).is_some() => "EQ",
        "equals" => "EQ",
        "not_equals" => "NOT_EQ",
        "less_than"
        | "less_than_or_equal"
        | "greater_than"
        | "greater_than_or_equal"
        | "between" => "RANGE",
        "in" => "IN",
        "not_in" => "NOT_IN",
        "like" | "regexp_like" => "REGEXP_LIKE",
        "json_match" => "JSON_MATCH",
        "is_null" => "IS_NULL",
        "is_not_null" => "IS_NOT_NULL",
        _ => return None,
    })
}

/// Returns a literal's value as text, without quotes.
pub fn literal_text(literal: &Literal) -> String {
    match literal {
        Literal::Null => "null".to_owned(),
        Literal::Boolean(value) => value.to_string(),
        Literal::Int(value) => value.to_string(),
        Literal::Long(value) => value.to_string(),
        Literal::Double(_, text) | Literal::String(text) => text.clone(),
    }
}

fn write_expr(expr: &Expr, null_handling: bool, out: &mut String) {
    match expr {
        Expr::Column(name) => out.push_str(name),
        Expr::Item { column, key } => out.extend(["item(", column, ",'", key, "')"]),
        Expr::Literal(literal) => out.extend(["'", &literal_text(literal), "'"]),
        Expr::Call { name, args } => write_call(name, args, null_handling, out),
        Expr::Aggregate(call) => write_aggregate(call, null_handling, out),
    }
}

fn write_call(name: &str, args: &[Expr], null_handling: bool, out: &mut String) {
    out.push_str(name);
    out.push('(');
    for (idx, arg) in args.iter().enumerate() {
        if idx > 0 {
            out.push(',');
        }
        write_expr(arg, null_handling, out);
    }
    out.push(')');
}

fn write_aggregate(call: &AggregateCall, null_handling: bool, out: &mut String) {
    if call.filter.is_some() {
        out.push_str("filter(");
    }
    if call.name == "count" && (call.args.is_empty() || !null_handling) {
        out.push_str("count(*)");
    } else {
        write_call(&call.name, &call.args, null_handling, out);
    }
    if let Some(filter) = &call.filter {
        out.push(',');
        write_expr(filter, null_handling, out);
        out.push(')');
    }
}

fn write_filter(filter: &Expr, null_handling: bool, out: &mut String) {
    let (separator, args) = match filter.as_call() {
        Some(("and", args)) => (" AND ", args),
        Some(("or", args)) => (" OR ", args),
        Some(("not", [negated])) => {
            out.push_str("(NOT ");
            write_filter(negated, null_handling, out);
            out.push(')');
            return;
        }
        _ => return write_predicate(filter, null_handling, out),
    };
    out.push('(');
    for (idx, arg) in args.iter().enumerate() {
        if idx > 0 {
            out.push_str(separator);
        }
        write_filter(arg, null_handling, out);
    }
    out.push(')');
}

fn write_predicate(predicate: &Expr, null_handling: bool, out: &mut String) {
    match predicate.as_call() {
        Some((name, [left, right])) if let Some(comparison) = Comparison::of(name) => {
            if right.is_constant() {
                write_expr(left, null_handling, out);
                out.extend([" ", comparison.symbol(), " "]);
                write_expr(right, null_handling, out);
            } else {
                write_expr(predicate, null_handling, out);
                out.push_str(" = 'true'");
            }
        }
        Some(("between", [subject, low, high])) => {
            write_expr(subject, null_handling, out);
            out.push_str(" BETWEEN ");
            write_expr(low, null_handling, out);
            out.push_str(" AND ");
            write_expr(high, null_handling, out);
        }
        Some((name @ ("in" | "not_in"), [subject, members @ ..])) => {
            write_expr(subject, null_handling, out);
            let name = if name == "in" { " IN " } else { " NOT IN " };
            write_call(name, members, null_handling, out);
        }
        Some(("like", [subject, Expr::Literal(pattern)])) => {
            out.push_str("regexp_like(");
            write_expr(subject, null_handling, out);
            out.extend([",'", &like_regex(&literal_text(pattern)), "','i')"]);
        }
        Some(("is_null", [subject])) => {
            write_expr(subject, null_handling, out);
            out.push_str(" IS NULL");
        }
        Some(("is_not_null", [subject])) => {
            write_expr(subject, null_handling, out);
            out.push_str(" IS NOT NULL");
        }
        _ => match predicate {
            Expr::Literal(literal) => out.push_str(&literal_text(literal)),
            _ => write_expr(predicate, null_handling, out),
        },
    }
}

/// Returns the regular expression that EXPLAIN shows for a LIKE pattern.
///
/// Only shown, never compiled: a free end is written `.*` instead of an anchor.
fn like_regex(pattern: &str) -> String {
    let inner = pattern.trim_start_matches('%');
    let mut regex = if inner.len() < pattern.len() {
        ".*".to_owned()
    } else {
        "^".to_owned()
    };
    let mut characters = inner.chars().peekable();
    let mut ends_free = inner.is_empty() && !pattern.is_empty();
    while let Some(character) = characters.next() {
        ends_free = false;
        match character {
            '%' => {
                while characters.next_if_eq(&'%').is_some() {}
                regex.push_str(".*");
                ends_free = true;
            }
            '_' => regex.push('.'),
            '\\' => match characters.next_if(|next| matches!(next, '%' | '_')) {
                Some(wildcard) => regex.extend(['\\', wildcard]),
                None => regex.push_str("\\\\"),
            },
            '.' | '^' | '$' | '|' | '(' | ')' | '[' | ']' | '{' | '}' | '*' | '+' | '?' => {
                regex.extend(['\\', character]);
            }
            other => regex.push(other),
        }
    }
    if !ends_free {
        regex.push('$');
    }
    regex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_patterns_show_as_regular_expressions() {
        let cases = [
            ("", "^$"),
            ("%", ".*"),
            ("%%", ".*"),
            ("p%", "^p.*"),
            ("%p", ".*p$"),
            ("%p%", ".*p.*"),
            ("a_c", "^a.c$"),
            ("a%%b", "^a.*b$"),
            (r"a\_b\%c", r"^a\_b\%c$"),
            (r"a\b", r"^a\\b$"),
            ("a.b(c)", r"^a\.b\(c\)$"),
        ];
        for (pattern, expected) in cases {
            assert_eq!(like_regex(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn ranges_show_merged_bounds() {
        let cases = [
            (
                Some(("1", true)),
                Some(("2", false)),
                "(c >= '1' AND c < '2')",
            ),
            (
                Some(("1", false)),
                Some(("2", false)),
                "(c > '1' AND c < '2')",
            ),
            (
                Some(("2", true)),
                Some(("101", true)),
                "c BETWEEN '2' AND '101'",
            ),
            (Some(("1", false)), None, "c > '1'"),
            (Some(("1", true)), None, "c >= '1'"),
            (None, Some(("5", true)), "c <= '5'"),
            (None, Some(("5", false)), "c < '5'"),
            (None, None, "c"),
        ];
        for (lower, upper, expected) in cases {
            assert_eq!(range_text("c", lower, upper), expected);
        }
    }
}
