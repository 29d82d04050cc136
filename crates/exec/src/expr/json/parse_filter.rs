//! A filter's text to its tree.

use serde_json::Value;

use super::{
    filter::{Filter, Operand, Operator, Pattern},
    path::{Path, Scanner},
};

/// Deepest nesting of parentheses and negations.
const MAX_DEPTH: usize = 32;

/// Parses `(..)` behind a `?`.
pub(super) fn bracketed(scanner: &mut Scanner<'_>) -> Option<Filter> {
    if !scanner.eat('(') {
        return None;
    }
    let filter = any(scanner, MAX_DEPTH)?;
    scanner.skip_blanks();
    scanner.eat(')').then_some(filter)
}

fn any(scanner: &mut Scanner<'_>, depth: usize) -> Option<Filter> {
    let depth = depth.checked_sub(1)?;
    let mut parts = vec![all(scanner, depth)?];
    loop {
        scanner.skip_blanks();
        if !scanner.eat_text("||") {
            break;
        }
        parts.push(all(scanner, depth)?);
    }
    if parts.len() == 1 {
        parts.pop()
    } else {
        Some(Filter::Or(parts))
    }
}

fn all(scanner: &mut Scanner<'_>, depth: usize) -> Option<Filter> {
    let mut parts = vec![one(scanner, depth)?];
    loop {
        scanner.skip_blanks();
        if !scanner.eat_text("&&") {
            break;
        }
        parts.push(one(scanner, depth)?);
    }
    if parts.len() == 1 {
        parts.pop()
    } else {
        Some(Filter::And(parts))
    }
}

fn one(scanner: &mut Scanner<'_>, depth: usize) -> Option<Filter> {
    let depth = depth.checked_sub(1)?;
    scanner.skip_blanks();
    if scanner.eat('!') {
        return Some(Filter::Not(Box::new(one(scanner, depth)?)));
    }
    if scanner.eat('(') {
        let inner = any(scanner, depth)?;
        scanner.skip_blanks();
        return scanner.eat(')').then_some(inner);
    }
    let left = operand(scanner)?;
    scanner.skip_blanks();
    if scanner.eat_text("=~") {
        scanner.skip_blanks();
        return Some(Filter::Matches(left, pattern(scanner)?));
    }
    for (word, wanted) in [("nin", false), ("in", true)] {
        if scanner
            .rest()
            .get(..word.len())
            .is_some_and(|next| next.eq_ignore_ascii_case(word))
        {
            scanner.at += word.len();
            scanner.skip_blanks();
            return Some(Filter::Among(left, operand(scanner)?, wanted));
        }
    }
    let operators = [
        ("===", Operator::Equal),
        ("!==", Operator::NotEqual),
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ];
    for (text, operator) in operators {
        if scanner.eat_text(text) {
            scanner.skip_blanks();
            return Some(Filter::Compare(left, operator, operand(scanner)?));
        }
    }
    left.is_path().then_some(Filter::Exists(left))
}

fn operand(scanner: &mut Scanner<'_>) -> Option<Operand> {
    Some(match scanner.peek()? {
        '@' => {
            scanner.eat('@');
            Operand::Current(Path {
                steps: scanner.steps()?,
            })
        }
        '$' => {
            scanner.eat('$');
            Operand::Root(Path {
                steps: scanner.steps()?,
            })
        }
        '\'' | '"' => Operand::Literal(Value::String(scanner.quoted()?)),
        '[' => Operand::Literal(list(scanner)?),
        _ => {
            let word = scanner.take_while(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
            let literal: Value = serde_json::from_str(word).ok()?;
            Operand::Literal(literal)
        }
    })
}

/// Parses a list of literals, quoted either way.
fn list(scanner: &mut Scanner<'_>) -> Option<Value> {
    scanner.eat('[');
    let mut members = Vec::new();
    loop {
        scanner.skip_blanks();
        if members.is_empty() && scanner.eat(']') {
            break;
        }
        match operand(scanner)? {
            Operand::Literal(Value::Array(_)) => return None,
            Operand::Literal(value) => members.push(value),
            _ => return None,
        }
        scanner.skip_blanks();
        if scanner.eat(']') {
            break;
        }
        if !scanner.eat(',') {
            return None;
        }
    }
    Some(Value::Array(members))
}

/// Parses `/pattern/` or `/pattern/i`; it must match the whole text, as in Jayway.
fn pattern(scanner: &mut Scanner<'_>) -> Option<Pattern> {
    if !scanner.eat('/') {
        return None;
    }
    let mut source = String::new();
    loop {
        let c = scanner.peek()?;
        scanner.eat(c);
        match c {
            '/' => break,
            '\\' => {
                let escaped = scanner.peek()?;
                scanner.eat(escaped);
                if escaped != '/' {
                    source.push('\\');
                }
                source.push(escaped);
            }
            other => source.push(other),
        }
    }
    let flags = if scanner.eat('i') { "(?i)" } else { "" };
    crate::expr::test::pattern::compile_regex(&format!("{flags}^(?:{source})$"))
        .ok()
        .map(Pattern)
}
