//! One condition of a `JSON_MATCH` filter.

use std::borrow::Cow;

use growler_schema::{DataType, Value as Typed};
use serde_json::Value;

use super::key::Key;
use crate::{
    error::Error,
    expr::{Test, convert::number::parse_f64, json::scalar},
    filter::document,
    sql::ast::Literal,
};

/// A condition on the values of a key.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    /// Where the values are.
    pub key: Key,
    values: Values,
    /// Whether it holds for the values that do not pass.
    pub negated: bool,
    /// JSON texts of the only scalars that pass, where they are few.
    candidates: Option<Vec<String>>,
}

/// Which values pass.
#[derive(Debug, Clone)]
enum Values {
    /// All.
    Any,
    /// Those whose text passes.
    Texts(Test),
    /// Those that are numbers and pass as such.
    Numbers(Test),
}

impl Condition {
    /// Makes `key IS NOT NULL`.
    pub fn exists(key: Key) -> Self {
        Self {
            key,
            values: Values::Any,
            negated: false,
            candidates: None,
        }
    }

    /// Makes `key OP literals`, by the operator's canonical name.
    ///
    /// # Errors
    /// [`Error::Validation`] when the literals do not fit the operator.
    pub fn compare(name: &str, key: Key, shown: &str, literals: &[Literal]) -> Result<Self, Error> {
        let is_range = matches!(
            name,
            "less_than"
                | "less_than_or_equal"
                | "greater_than"
                | "greater_than_or_equal"
                | "between"
        );
        let is_number = |literal: &Literal| {
            matches!(
                literal,
                Literal::Int(_) | Literal::Long(_) | Literal::Double(..)
            )
        };
        let compile = |literals: &[Literal], data_type: DataType| {
            Test::compile(name, literals, data_type.single(), shown)
        };
        let values = match (name, literals) {
            _ if is_range && literals.iter().all(is_number) => {
                Values::Numbers(compile(literals, DataType::Double)?)
            }
            ("regexp_like", [Literal::String(pattern), flags @ ..]) => {
                // The whole text must match, unlike where SQL asks.
                let whole = Literal::String(format!(r"\A(?:{pattern})\z"));
                let literals: Vec<Literal> = [whole].iter().chain(flags).cloned().collect();
                Values::Texts(compile(&literals, DataType::String)?)
            }
            _ => Values::Texts(compile(literals, DataType::String)?),
        };
        Ok(Self {
            key,
            values,
            negated: false,
            candidates: match name {
                "equals" | "in" => document::candidates(literals),
                _ => None,
            },
        })
    }

    /// Returns the JSON texts of the only scalars that the condition can hold for, where they are
    /// few.
    pub fn candidates(&self) -> Option<&[String]> {
        self.candidates.as_deref().filter(|_| !self.negated)
    }

    /// Tells whether the condition holds for a value; never for null, an array or an object.
    pub fn holds(&self, value: &Value) -> bool {
        let text = match value {
            Value::Null | Value::Array(_) | Value::Object(_) => return false,
            Value::String(text) => Cow::Borrowed(text.as_str()),
            other => {
                let mut text = String::new();
                scalar::write_text(other, &mut text);
                Cow::Owned(text)
            }
        };
        match &self.values {
            Values::Any => !self.negated,
            Values::Texts(test) => test.matches(&Typed::String(text.into_owned())) != self.negated,
            Values::Numbers(test) => parse_f64(&text)
                .is_some_and(|number| test.matches(&Typed::Double(number)) != self.negated),
        }
    }
}
