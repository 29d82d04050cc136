//! Filters on a key: rows by comparison, membership, pattern and null.

use std::cmp::Ordering;

use growler_schema::DataType;
use serde_json::{Value as Json, json};

use crate::generate::Roots;
use crate::literals::literals;
use crate::model::{self, Cell};
use crate::number;
use crate::queries::{LIMIT, Maker, filled};
use crate::rng::Rng;

/// How a filter says no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sense {
    Positive,
    /// `<>`, `NOT IN`.
    Negative,
    /// `NOT (..)` around a positive one.
    Inverted,
}

impl Maker<'_> {
    /// Adds a query for the ids of rows that a filter keeps, of the cells with their default.
    fn filter(
        &mut self,
        filter: &str,
        sense: Sense,
        cells: &[Option<Cell>],
        keeps: impl Fn(&Cell) -> bool,
    ) {
        // Nothing is equal to, or below, what no row has; the opposite of nothing is all.
        let settled = match (self.is_absent() && !self.on, sense) {
            (true, Sense::Positive) => Some(false),
            (true, Sense::Inverted) => Some(true),
            _ => None,
        };
        let kept =
            |cell: &Option<Cell>| settled.unwrap_or_else(|| cell.as_ref().is_some_and(&keeps));
        let ids = cells.iter().zip(0..).filter(|(cell, _)| kept(cell));
        let ids = ids.map(|(_, id): (_, i32)| vec![json!(id)]).collect();
        self.push(format!("SELECT id FROM {{t}} WHERE {filter} {LIMIT}"), ids);
    }

    fn filter_own(&mut self, filter: &str, sense: Sense, keeps: impl Fn(&Cell) -> bool) {
        let cells = self.filled.clone();
        self.filter(filter, sense, &cells, keeps);
    }

    pub fn comparisons(&mut self, rng: &mut Rng) {
        let key = self.key.clone();
        let mut literals = literals(self.focus.data_type, self.on);
        if self.focus.roots == Roots::Refused
            && matches!(self.focus.data_type, DataType::Int | DataType::Long)
        {
            // What no integer of the type is equal to, or all are below, is answered without a read.
            literals.truncate(5);
        }
        for _ in 0..2 {
            let (text, literal) = rng.pick(&literals).clone();
            for operator in ["=", "<>", "<", "<=", ">", ">="] {
                let sense = sense(operator);
                self.filter_own(&format!("{key} {operator} {text}"), sense, |cell| {
                    holds(operator, cell.compare(&literal))
                });
            }
            let (other, second) = rng.pick(&literals).clone();
            let is_in = |cell: &Cell| {
                let equal = |literal| cell.compare(literal) == Some(Ordering::Equal);
                equal(&literal) || equal(&second)
            };
            let list = format!("({text}, {other})");
            self.filter_own(&format!("{key} IN {list}"), Sense::Positive, is_in);
            self.filter_own(&format!("{key} NOT IN {list}"), Sense::Negative, |cell| {
                !is_in(cell)
            });
            self.filter_own(&format!("NOT ({key} = {text})"), Sense::Inverted, |cell| {
                holds("<>", cell.compare(&literal))
            });
            self.push_same(format!(
                "SELECT COUNT(*) FROM {{t}} WHERE {key} = {text} OR {key} IS NULL"
            ));
        }
        self.nulls();
    }

    fn nulls(&mut self) {
        let key = self.key.clone();
        let ids = |is_kept: &dyn Fn(usize) -> bool| -> Vec<Vec<Json>> {
            let ids = (0..self.rows.len()).filter(|id| is_kept(*id));
            ids.map(|id| vec![json!(id)]).collect()
        };
        let is_null = |id: usize| self.cells[id].is_none();
        let is_missing = |id: usize| self.rows[id].document().is_none();
        let cases = [
            (format!("{key} IS NULL"), ids(&is_null)),
            (format!("{key} IS NOT NULL"), ids(&|id| !is_null(id))),
            ("props IS NULL".to_owned(), ids(&is_missing)),
            ("props IS NOT NULL".to_owned(), ids(&|id| !is_missing(id))),
            (
                format!("props IS NOT NULL AND {key} IS NULL"),
                ids(&|id| is_null(id) && !is_missing(id)),
            ),
            (
                format!("props IS NULL AND NOT {key} IS NULL"),
                ids(&|_| false),
            ),
        ];
        for (filter, ids) in cases {
            self.push(format!("SELECT id FROM {{t}} WHERE {filter} {LIMIT}"), ids);
        }
    }

    pub fn texts(&mut self) {
        if !self.is_text() {
            return;
        }
        type Pattern = (&'static str, fn(&str) -> bool);
        let patterns: [Pattern; 4] = [
            ("%e%", |text| text.contains(['e', 'E'])),
            ("x", |text| text.eq_ignore_ascii_case("x")),
            ("z%", |text| text.starts_with(['z', 'Z'])),
            ("%\"x\"%", |text| {
                text.to_ascii_lowercase().contains("\"x\"")
            }),
        ];
        let key = self.key.clone();
        for (pattern, matches) in patterns {
            let filter = format!("{key} LIKE '{pattern}'");
            self.filter_own(&filter, Sense::Positive, |cell| match cell {
                Cell::Text(text) => matches(text),
                _ => false,
            });
        }
        self.push_same(format!(
            "SELECT UPPER({key}), LENGTH({key}) FROM {{t}} {LIMIT}"
        ));
    }

    /// Compares a text key with numbers: over the values that are numbers.
    pub fn numbers(&mut self) {
        if !self.is_text() {
            return;
        }
        let key = self.key.clone();
        let default = (!self.on).then_some(Cell::Double(f64::NEG_INFINITY));
        let numbers: Vec<Option<Cell>> = self
            .values
            .iter()
            .map(|value| value.and_then(model::number_of))
            .collect();
        let numbers = filled(&numbers, default.as_ref());
        let compare = |cell: &Cell, with: f64| cell.number().and_then(|v| v.partial_cmp(&with));
        for (operator, text, literal) in [
            (">", "1", 1.0),
            ("<", "3", 3.0),
            ("<=", "-2.5", -2.5),
            (">=", "0.1", 0.1),
            ("=", "12", 12.0),
            ("=", "3.0", 3.0),
            ("<>", "3", 3.0),
        ] {
            let filter = format!("{key} {operator} {text}");
            self.filter(&filter, sense(operator), &numbers, |cell| {
                holds(operator, compare(cell, literal))
            });
        }
        let filter = format!("{key} BETWEEN -3 AND 2");
        self.filter(&filter, Sense::Positive, &numbers, |cell| {
            cell.number().is_some_and(|v| (-3.0..=2.0).contains(&v))
        });
        for (filter, sense, is_in) in [
            ("IN (1, 3)", Sense::Positive, true),
            ("NOT IN (1, 3)", Sense::Negative, false),
        ] {
            self.filter(&format!("{key} {filter}"), sense, &numbers, |cell| {
                [1.0, 3.0].iter().any(|of| cell.number() == Some(*of)) == is_in
            });
        }
        self.exact_numbers();
    }

    /// Compares a text key with whole numbers that no double is.
    fn exact_numbers(&mut self) {
        let key = self.key.clone();
        for (operator, literal) in [
            ("=", (1 << 53) + 1),
            ("<>", (1 << 53) + 1),
            (">", i64::MAX - 1),
            ("<", i64::MAX),
            (">=", -(1 << 53) - 1),
        ] {
            let kept: Vec<bool> = self
                .values
                .iter()
                .map(|value| {
                    let order = match value.and_then(model::number_of) {
                        None if self.on => return false,
                        None => Some(Ordering::Less),
                        Some(Cell::Double(value)) if !value.is_finite() => {
                            value.partial_cmp(&(literal as f64))
                        }
                        Some(_) => value
                            .and_then(number::digits)
                            .map(|exact| number::compare(exact, literal)),
                    };
                    holds(operator, order)
                })
                .collect();
            let cells: Vec<Option<Cell>> =
                kept.iter().map(|kept| Some(Cell::Boolean(*kept))).collect();
            let filter = format!("{key} {operator} {literal}");
            self.filter(&filter, sense(operator), &cells, |cell| {
                matches!(cell, Cell::Boolean(true))
            });
        }
    }
}

fn sense(operator: &str) -> Sense {
    match operator {
        "<>" => Sense::Negative,
        _ => Sense::Positive,
    }
}

fn holds(operator: &str, ordering: Option<Ordering>) -> bool {
    match operator {
        "=" => ordering == Some(Ordering::Equal),
        "<>" => ordering != Some(Ordering::Equal),
        "<" => ordering == Some(Ordering::Less),
        "<=" => ordering.is_some_and(Ordering::is_le),
        ">" => ordering == Some(Ordering::Greater),
        _ => ordering.is_some_and(Ordering::is_ge),
    }
}
