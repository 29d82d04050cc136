//! A filter's text to its formula.

use super::{
    condition::Condition,
    formula::{Formula, Joined, MAX_CONDITIONS},
    key::Key,
};
use crate::{
    error::Error,
    expr::describe::describe,
    sql::{
        self,
        ast::{Expr, Literal},
    },
};

impl Formula {
    /// Parses a filter.
    ///
    /// # Errors
    /// [`Error::Validation`] when it is none.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let expr = sql::parse_condition(text).map_err(|error| match error {
            Error::Parse(reason) => refused(&reason),
            other => other,
        })?;
        if let Some(key) = missing(&expr, false)? {
            return Ok(Self {
                conditions: vec![Condition::exists(key)],
                root: Joined::Condition(0),
                is_missing: true,
            });
        }
        let mut conditions = Vec::new();
        let root = join(&expr, false, &mut conditions)?;
        Ok(Self {
            conditions,
            root,
            is_missing: false,
        })
    }
}

fn refused(reason: &str) -> Error {
    Error::Validation(format!("wrong JSON_MATCH filter: {reason}"))
}

/// Returns the key of a filter that is `IS NULL` and nothing else.
fn missing(expr: &Expr, negated: bool) -> Result<Option<Key>, Error> {
    match (expr.as_call(), negated) {
        (Some(("not", [inner])), _) => missing(inner, !negated),
        (Some(("is_null", [key])), false) | (Some(("is_not_null", [key])), true) => {
            self::key(key).map(Some)
        }
        _ => Ok(None),
    }
}

fn join(expr: &Expr, negated: bool, conditions: &mut Vec<Condition>) -> Result<Joined, Error> {
    let Some((name, args)) = expr.as_call() else {
        return Err(refused(&format!("no condition: {}", describe(expr))));
    };
    let all = |conditions: &mut Vec<Condition>| -> Result<Vec<Joined>, Error> {
        let parts = args.iter().map(|arg| join(arg, negated, conditions));
        parts.collect()
    };
    match (name, args) {
        ("not", [inner]) => join(inner, !negated, conditions),
        ("and", _) if negated => all(conditions).map(Joined::Or),
        ("or", _) if negated => all(conditions).map(Joined::And),
        ("and", _) => all(conditions).map(Joined::And),
        ("or", _) => all(conditions).map(Joined::Or),
        (_, [subject, literals @ ..]) => {
            let condition = condition(expr, name, subject, literals, negated)?;
            if conditions.len() >= MAX_CONDITIONS {
                return Err(refused(&format!(
                    "too many conditions: limit={MAX_CONDITIONS}"
                )));
            }
            conditions.push(condition);
            Ok(Joined::Condition(conditions.len() - 1))
        }
        (_, []) => Err(refused(&format!("no condition: {}", describe(expr)))),
    }
}

fn condition(
    expr: &Expr,
    name: &str,
    subject: &Expr,
    literals: &[Expr],
    negated: bool,
) -> Result<Condition, Error> {
    let is_missing = matches!((name, negated), ("is_null", false) | ("is_not_null", true));
    if is_missing {
        return Err(refused(&format!(
            "Exclusive predicate: {} cannot be nested",
            describe(expr)
        )));
    }
    let known = matches!(
        name,
        "equals"
            | "not_equals"
            | "in"
            | "not_in"
            | "less_than"
            | "less_than_or_equal"
            | "greater_than"
            | "greater_than_or_equal"
            | "between"
            | "like"
            | "not_like"
            | "regexp_like"
    );
    match name {
        "is_null" | "is_not_null" => Ok(Condition::exists(key(subject)?)),
        _ if known => {
            let literals: Vec<Literal> = literals.iter().map(literal).collect::<Result<_, _>>()?;
            let mut made = Condition::compare(name, key(subject)?, &describe(subject), &literals)?;
            made.negated = negated;
            Ok(made)
        }
        _ => Err(refused(&format!(
            "unsupported condition: {}",
            describe(expr)
        ))),
    }
}

fn key(expr: &Expr) -> Result<Key, Error> {
    match expr {
        Expr::Column(text) => Key::parse(text),
        Expr::Item { .. } | Expr::Literal(_) | Expr::Call { .. } | Expr::Aggregate(_) => {
            Err(refused(&format!(
                "left-hand side of the predicate must be an identifier, got: {}. Put double quotes \
                 around the identifier if needed",
                describe(expr)
            )))
        }
    }
}

fn literal(expr: &Expr) -> Result<Literal, Error> {
    match expr {
        Expr::Literal(literal) => Ok(literal.clone()),
        other => Err(refused(&format!("no literal: {}", describe(other)))),
    }
}
