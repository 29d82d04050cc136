//! What `[?(..)]` keeps.

use std::cmp::Ordering;

use regex::Regex;
use serde_json::Value;

use super::{
    path::Path,
    select::{Budget, select},
};
use crate::expr::convert::{decimal::Decimal, number::parse_f64};

/// A filter expression over a value (`@`) and the document (`$`).
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Filter {
    /// All hold.
    And(Vec<Filter>),
    /// Any holds.
    Or(Vec<Filter>),
    /// It does not hold.
    Not(Box<Filter>),
    /// The path leads somewhere.
    Exists(Operand),
    /// The comparison holds.
    Compare(Operand, Operator, Operand),
    /// The text matches.
    Matches(Operand, Pattern),
    /// The value is, or is not, among those of the list.
    Among(Operand, Operand, bool),
}

/// A regular expression, equal when its text is.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(pub Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

/// A side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operand {
    /// `@.path`.
    Current(Path),
    /// `$.path`.
    Root(Path),
    /// A literal.
    Literal(Value),
}

/// How two values compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Filter {
    /// Tells whether a value is kept. None when the budget is used up.
    pub(super) fn keeps(&self, current: &Value, root: &Value, budget: &mut Budget) -> Option<bool> {
        Some(match self {
            Self::And(parts) => {
                for part in parts {
                    if !part.keeps(current, root, budget)? {
                        return Some(false);
                    }
                }
                true
            }
            Self::Or(parts) => {
                for part in parts {
                    if part.keeps(current, root, budget)? {
                        return Some(true);
                    }
                }
                false
            }
            Self::Not(inner) => !inner.keeps(current, root, budget)?,
            Self::Exists(operand) => !operand.values(current, root, budget)?.is_empty(),
            Self::Compare(left, operator, right) => {
                let left = left.values(current, root, budget)?;
                let right = right.values(current, root, budget)?;
                compare(left.first().copied(), *operator, right.first().copied())
            }
            Self::Matches(operand, pattern) => {
                let values = operand.values(current, root, budget)?;
                let text = values.first().and_then(|value| value.as_str());
                text.is_some_and(|text| pattern.0.is_match(text))
            }
            Self::Among(left, right, wanted) => {
                let left = left.values(current, root, budget)?;
                let right = right.values(current, root, budget)?;
                let list = right.first().and_then(|value| value.as_array());
                let Some((value, list)) = left.first().zip(list) else {
                    return Some(!wanted);
                };
                list.iter().any(|member| same(value, member)) == *wanted
            }
        })
    }
}

impl Operand {
    fn values<'v>(
        &'v self,
        current: &'v Value,
        root: &'v Value,
        budget: &mut Budget,
    ) -> Option<Vec<&'v Value>> {
        match self {
            Self::Current(path) => select(&path.steps, current, root, budget),
            Self::Root(path) => select(&path.steps, root, root, budget),
            Self::Literal(value) => Some(vec![value]),
        }
    }
}

impl Operand {
    /// Tells whether the operand is a path.
    pub fn is_path(&self) -> bool {
        !matches!(self, Self::Literal(_))
    }
}

fn compare(left: Option<&Value>, operator: Operator, right: Option<&Value>) -> bool {
    let (Some(left), Some(right)) = (left, right) else {
        // A missing side equals nothing.
        return operator == Operator::NotEqual && left.is_some() != right.is_some();
    };
    match operator {
        Operator::Equal => same(left, right),
        Operator::NotEqual => !same(left, right),
        Operator::Less => order(left, right).is_some_and(Ordering::is_lt),
        Operator::LessOrEqual => order(left, right).is_some_and(Ordering::is_le),
        Operator::Greater => order(left, right).is_some_and(Ordering::is_gt),
        Operator::GreaterOrEqual => order(left, right).is_some_and(Ordering::is_ge),
    }
}

fn same(left: &Value, right: &Value) -> bool {
    match order(left, right) {
        Some(order) => order.is_eq(),
        None => left == right,
    }
}

/// Orders numbers by value, texts bytewise, and a number with a text that is one.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Number(a), Value::Number(b)) => compare_numbers(a.as_str(), b.as_str()),
        (Value::Number(a), Value::String(b)) => compare_numbers(a.as_str(), b),
        (Value::String(a), Value::Number(b)) => compare_numbers(a, b.as_str()),
        _ => None,
    }
}

fn compare_numbers(a: &str, b: &str) -> Option<Ordering> {
    match (Decimal::parse(a), Decimal::parse(b)) {
        (Some(a), Some(b)) => Some(a.compare(b)),
        _ => parse_f64(a)?.partial_cmp(&parse_f64(b)?),
    }
}
