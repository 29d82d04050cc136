//! What JSON documents have inside: paths to scalars, with some values.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::verify::sample::{Class, Operand, quoted, quoted_name};

/// Most paths of all columns together.
const PATHS: usize = 300;
/// Most values kept of a path.
const VALUES: usize = 60;
/// Elements of an array that are looked at.
const ELEMENTS: usize = 6;
/// Deepest place that is looked at.
const DEPTH: usize = 8;
/// Longest literal, in bytes.
const LITERAL_LEN_BYTES: usize = 500;

/// Paths into the documents of some columns.
#[derive(Debug, Default)]
pub struct Inside {
    /// Values by column and path.
    paths: BTreeMap<(String, String), BTreeSet<String>>,
    /// Columns of JSON text.
    texts: BTreeSet<String>,
}

/// A path that `JSON_MATCH` can be asked about.
#[derive(Debug, Clone)]
pub struct Matched {
    /// Column, as SQL names it.
    pub column: String,
    /// The key of a filter, quotes included.
    pub key: String,
    /// Values as literals of SQL.
    pub literals: Vec<String>,
}

impl Inside {
    /// Adds a document of a column of JSON text, if the text is one.
    pub fn text(&mut self, column: &str, text: &str) {
        if let Ok(document @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
            self.texts.insert(column.to_owned());
            self.value(column, "$", &document, DEPTH);
        }
    }

    /// Adds the document of a VARIANT column.
    pub fn document(&mut self, column: &str, document: &Value) {
        self.value(column, "$", document, DEPTH);
    }

    fn value(&mut self, column: &str, path: &str, value: &Value, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match value {
            Value::Null => {}
            Value::Object(fields) => {
                for (name, field) in fields {
                    let is_plain = |c: char| c.is_alphanumeric() || c == '_';
                    let step = match !name.is_empty() && name.chars().all(is_plain) {
                        true => format!("{path}.{name}"),
                        false => format!("{path}['{}']", escaped(name)),
                    };
                    self.value(column, &step, field, depth);
                }
            }
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate().take(ELEMENTS) {
                    self.value(column, &format!("{path}[{index}]"), element, depth);
                }
            }
            Value::String(text) => self.keep(column, path, text),
            scalar => self.keep(column, path, &scalar.to_string()),
        }
    }

    fn keep(&mut self, column: &str, path: &str, text: &str) {
        let place = (column.to_owned(), path.to_owned());
        if self.paths.len() >= PATHS && !self.paths.contains_key(&place) {
            return;
        }
        let values = self.paths.entry(place).or_default();
        if values.len() < VALUES && text.len() <= LITERAL_LEN_BYTES {
            values.insert(quoted(text));
        }
    }

    /// Returns what `JSON_EXTRACT_SCALAR` finds at each path as an operand.
    pub fn operands<'i>(
        &'i self,
        is_indexed: impl Fn(&str) -> bool + 'i,
    ) -> impl Iterator<Item = Operand> + 'i {
        self.paths
            .iter()
            .map(move |((column, path), values)| Operand {
                sql: format!(
                    "JSON_EXTRACT_SCALAR({}, {}, 'STRING', 'none')",
                    quoted_name(column),
                    quoted(path)
                ),
                class: Class::Text,
                literals: literals(values),
                is_indexed: is_indexed(column),
            })
    }

    /// Returns the paths of columns of JSON text, with every element instead of each one, too.
    pub fn matched(&self) -> Vec<Matched> {
        let of_texts = self.paths.iter();
        let of_texts = of_texts.filter(|((column, _), _)| self.texts.contains(column));
        let mut matched = Vec::new();
        for ((column, path), values) in of_texts {
            let one = |path: &str| Matched {
                column: quoted_name(column),
                key: format!("\"{}\"", path.replace('"', "\"\"")),
                literals: literals(values),
            };
            matched.push(one(path));
            if path.contains("[0]") {
                matched.push(one(&path.replace("[0]", "[*]")));
            }
        }
        matched
    }
}

fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('\'', "\\'")
}

fn literals(values: &BTreeSet<String>) -> Vec<String> {
    match values.is_empty() {
        true => vec!["'x'".to_owned()],
        false => values.iter().cloned().collect(),
    }
}
