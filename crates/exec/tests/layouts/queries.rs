//! Every form of query on a key, with its answer where the model has one.

use std::cmp::Ordering;

use growler_schema::DataType;
use serde_json::{Value as Json, json};

use crate::document::{Doc, Focus};
use crate::model::{self, Cell};
use crate::rng::Rng;

pub type Rows = Vec<Vec<Json>>;

/// A query over `{t}`.
#[derive(Debug)]
pub struct Query {
    pub sql: String,
    /// The answer of the model, where there is one.
    pub expected: Option<Rows>,
}

const LIMIT: &str = "LIMIT 100000";

/// What queries on one key are made of.
struct Maker<'a> {
    rows: &'a [Option<Doc>],
    /// SQL of the key.
    key: String,
    path: &'a str,
    focus: Focus,
    /// What each row reads as; null handling off: with the default in the place of null.
    cells: Vec<Option<Cell>>,
    filled: Vec<Option<Cell>>,
    on: bool,
    queries: Vec<Query>,
}

/// Makes the queries on one key.
pub fn queries(
    rows: &[Option<Doc>],
    path: &str,
    focus: Focus,
    on: bool,
    rng: &mut Rng,
) -> Vec<Query> {
    let find = |row: &Option<Doc>| {
        let doc = row.as_ref()?.find(path)?;
        model::cell(doc, focus.data_type)
    };
    let cells: Vec<Option<Cell>> = rows.iter().map(find).collect();
    let default = (!on).then(|| model::default_null(focus.data_type));
    let filled = cells
        .iter()
        .map(|cell| cell.clone().or_else(|| default.clone()))
        .collect();
    let key = format!("props['{}']", path.replace('\'', "''"));
    let queries = Vec::new();
    let mut maker = Maker {
        rows,
        key,
        path,
        focus,
        cells,
        filled,
        on,
        queries,
    };
    maker.selections();
    maker.comparisons(rng);
    maker.texts();
    maker.aggregates();
    maker.groups();
    maker.orders();
    maker.extractions();
    maker.queries
}

impl Maker<'_> {
    fn push(&mut self, sql: String, expected: Option<Rows>) {
        let expected = expected.filter(|_| model::is_modelled(self.focus.data_type));
        self.queries.push(Query { sql, expected });
    }

    /// Adds a query whose answer need only be the same everywhere.
    fn push_same(&mut self, sql: String) {
        self.queries.push(Query {
            sql,
            expected: None,
        });
    }

    fn selections(&mut self) {
        let key = &self.key;
        let cell = |cell: &Option<Cell>| vec![cell.as_ref().map_or(Json::Null, Cell::json)];
        let cells = self.cells.iter().map(cell).collect();
        self.push(format!("SELECT {key} FROM {{t}} {LIMIT}"), Some(cells));
        let documents = self.rows.iter().map(|row| match row {
            Some(doc) => vec![json!(model::document(doc))],
            None => vec![Json::Null],
        });
        let documents = documents.collect();
        self.queries.push(Query {
            sql: format!("SELECT props FROM {{t}} {LIMIT}"),
            expected: Some(documents),
        });
        let sql = format!("SELECT id, {}, props FROM {{t}} LIMIT 7 OFFSET 5", self.key);
        self.push_same(sql);
    }

    /// Adds a query for the ids of rows that a filter keeps.
    fn filter(&mut self, filter: &str, keeps: impl Fn(&Cell) -> Option<bool>) {
        let kept = |cell: &Option<Cell>| cell.as_ref().and_then(&keeps) == Some(true);
        let ids = self.filled.iter().zip(0..).filter(|(cell, _)| kept(cell));
        let ids = ids.map(|(_, id): (_, i32)| vec![json!(id)]).collect();
        self.push(
            format!("SELECT id FROM {{t}} WHERE {filter} {LIMIT}"),
            Some(ids),
        );
    }

    fn comparisons(&mut self, rng: &mut Rng) {
        let key = self.key.clone();
        let literals = literals(self.focus.data_type, self.on);
        for _ in 0..2 {
            let (text, literal) = rng.pick(&literals).clone();
            for operator in ["=", "<>", "<", "<=", ">", ">="] {
                self.filter(&format!("{key} {operator} {text}"), |cell| {
                    holds(operator, cell.compare(&literal))
                });
            }
            let (other, second) = rng.pick(&literals).clone();
            let is_in = |cell: &Cell| {
                let equal = |literal| cell.compare(literal) == Some(Ordering::Equal);
                equal(&literal) || equal(&second)
            };
            self.filter(&format!("{key} IN ({text}, {other})"), |cell| {
                Some(is_in(cell))
            });
            self.filter(&format!("{key} NOT IN ({text}, {other})"), |cell| {
                Some(!is_in(cell))
            });
            self.filter(&format!("NOT ({key} = {text})"), |cell| {
                holds("<>", cell.compare(&literal))
            });
            self.push_same(format!(
                "SELECT COUNT(*) FROM {{t}} WHERE {key} = {text} OR {key} IS NULL"
            ));
        }
        for (is_null, filter) in [(true, "IS NULL"), (false, "IS NOT NULL")] {
            let ids = self
                .cells
                .iter()
                .zip(0..)
                .filter(|(cell, _)| cell.is_none() == is_null);
            let ids = ids.map(|(_, id): (_, i32)| vec![json!(id)]).collect();
            self.push(
                format!("SELECT id FROM {{t}} WHERE {key} {filter} {LIMIT}"),
                Some(ids),
            );
        }
        self.push_same(format!(
            "SELECT id FROM {{t}} WHERE props IS NULL AND NOT {key} IS NULL {LIMIT}"
        ));
    }

    fn texts(&mut self) {
        if self.focus.data_type != DataType::String {
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
            self.filter(&format!("{key} LIKE '{pattern}'"), |cell| match cell {
                Cell::Text(text) => Some(matches(text)),
                _ => None,
            });
        }
        for filter in ["> 1", "= 12", "<> 3", "BETWEEN -3 AND 2", "IN (1, 3)"] {
            self.push_same(format!("SELECT id FROM {{t}} WHERE {key} {filter} {LIMIT}"));
        }
        self.push_same(format!(
            "SELECT SUM({key}), AVG({key}), MAX({key}) FROM {{t}}"
        ));
        self.push_same(format!(
            "SELECT UPPER({key}), LENGTH({key}) FROM {{t}} {LIMIT}"
        ));
    }

    fn aggregates(&mut self) {
        let (key, on) = (self.key.clone(), self.on);
        let present = self.cells.iter().flatten().count();
        let count = if on { present } else { self.rows.len() };
        let distinct = self
            .sorted_groups()
            .into_iter()
            .filter(|(cell, _)| cell.is_some())
            .count();
        let expected = vec![vec![json!(count), json!(distinct)]];
        let expected = Some(expected).filter(|_| !self.focus.wild);
        self.push(
            format!("SELECT COUNT({key}), COUNT(DISTINCT {key}) FROM {{t}}"),
            expected,
        );
        if !self.focus.data_type.is_numeric() {
            return;
        }
        let values: Vec<&Cell> = self.filled.iter().flatten().collect();
        let number = |value: Option<f64>| match value {
            None => Json::Null,
            Some(value) => Cell::Double(value).json(),
        };
        let numbers = || values.iter().filter_map(|cell| cell.number());
        let min = number(numbers().reduce(f64::min));
        let max = number(numbers().reduce(f64::max));
        let is_plain =
            !self.focus.wild && !matches!(self.focus.data_type, DataType::BigDecimal { .. });
        let extremes = Some(vec![vec![min, max]]).filter(|_| is_plain);
        let sum = number(sum(&values));
        let sum = Some(vec![vec![sum]]).filter(|_| is_plain);
        self.push(
            format!("SELECT MIN({key}), MAX({key}) FROM {{t}}"),
            extremes,
        );
        self.push(format!("SELECT SUM({key}) FROM {{t}}"), sum);
        self.push_same(format!(
            "SELECT AVG({key}), SUM({key} + 1) FROM {{t}} WHERE {key} > 0"
        ));
    }

    /// Returns each value once, with the count of its rows, ascending and null last.
    fn sorted_groups(&self) -> Vec<(Option<Cell>, usize)> {
        let mut groups: Vec<(Option<Cell>, usize)> = Vec::new();
        for cell in &self.filled {
            match groups.iter_mut().find(|(of, _)| of == cell) {
                Some((_, count)) => *count += 1,
                None => groups.push((cell.clone(), 1)),
            }
        }
        groups.sort_by(|(a, _), (b, _)| compare_nullable(a.as_ref(), b.as_ref()));
        groups
    }

    fn groups(&mut self) {
        let key = self.key.clone();
        let groups = self
            .sorted_groups()
            .into_iter()
            .map(|(cell, count)| vec![cell.as_ref().map_or(Json::Null, Cell::json), json!(count)]);
        let groups = Some(groups.collect()).filter(|_| !self.focus.wild);
        let sql =
            format!("SELECT {key}, COUNT(*) FROM {{t}} GROUP BY {key} ORDER BY {key} {LIMIT}");
        self.push(sql, groups);
        self.push_same(format!("SELECT DISTINCT {key} FROM {{t}} LIMIT 3"));
        self.push_same(format!(
            "SELECT {key}, MIN(id), MAX(id) FROM {{t}} GROUP BY {key} {LIMIT}"
        ));
    }

    fn orders(&mut self) {
        let key = self.key.clone();
        let mut ids: Vec<usize> = (0..self.filled.len()).collect();
        ids.sort_by(|a, b| {
            compare_nullable(self.filled[*a].as_ref(), self.filled[*b].as_ref()).then(a.cmp(b))
        });
        let ids = ids.iter().map(|id| vec![json!(id)]).collect();
        let ids = Some(ids).filter(|_| !self.focus.wild);
        self.push(
            format!("SELECT id FROM {{t}} ORDER BY {key}, id {LIMIT}"),
            ids,
        );
        self.push_same(format!(
            "SELECT id, {key} FROM {{t}} ORDER BY {key} DESC, id LIMIT 9"
        ));
    }

    fn extractions(&mut self) {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.';
        if self.path.is_empty() || !self.path.bytes().all(is_plain) {
            return;
        }
        let (path, key) = (self.path, self.key.clone());
        for kind in ["STRING", "LONG", "DOUBLE", "BOOLEAN"] {
            let default = if kind == "STRING" { "'none'" } else { "0" };
            self.push_same(format!(
                "SELECT JSON_EXTRACT_SCALAR(props, '$.{path}', '{kind}', {default}) FROM {{t}} {LIMIT}"
            ));
        }
        self.push_same(format!(
            "SELECT COUNT(*) FROM {{t}} WHERE JSON_EXTRACT_SCALAR(props, '$.{path}', 'STRING', 'none') <> 'none'"
        ));
        if self.focus.data_type == DataType::String {
            self.push_same(format!(
                "SELECT JSON_EXTRACT_SCALAR({key}, '$.x', 'STRING', 'none') FROM {{t}} {LIMIT}"
            ));
        }
    }
}

fn compare_nullable(a: Option<&Cell>, b: Option<&Cell>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.compare(b).unwrap_or(Ordering::Equal),
        (a, b) => a.is_none().cmp(&b.is_none()),
    }
}

fn holds(operator: &str, ordering: Option<Ordering>) -> Option<bool> {
    Some(match operator {
        "=" => ordering == Some(Ordering::Equal),
        "<>" => ordering != Some(Ordering::Equal),
        "<" => ordering == Some(Ordering::Less),
        "<=" => ordering.is_some_and(Ordering::is_le),
        ">" => ordering == Some(Ordering::Greater),
        _ => ordering.is_some_and(Ordering::is_ge),
    })
}

/// Adds exactly; infinite when a default took part.
fn sum(values: &[&Cell]) -> Option<f64> {
    let mut exact = growler_exec::aggregate::exact_sum::ExactSum::default();
    let mut integers = 0_i128;
    for value in values {
        match value {
            Cell::Int(value) => integers += i128::from(*value),
            other => {
                let value = other.number()?;
                if value.is_infinite() {
                    return Some(value);
                }
                exact.add(value);
            }
        }
    }
    match values.first()? {
        Cell::Int(_) => Some(integers as f64),
        _ => Some(exact.round()),
    }
}

/// Returns literals with what they mean.
fn literals(data_type: DataType, on: bool) -> Vec<(String, Cell)> {
    let int = |value: i64| (value.to_string(), Cell::Int(value));
    let double = |value: f64| (format!("{value:?}"), Cell::Double(value));
    let text = |text: &str| {
        (
            format!("'{}'", text.replace('\'', "''")),
            Cell::Text(text.to_owned()),
        )
    };
    match data_type {
        DataType::Int | DataType::Long => vec![
            int(-3),
            int(0),
            int(1),
            int(4),
            int(127),
            int(70_000),
            int(1 << 40),
            double(1.5),
        ],
        DataType::Float | DataType::Double | DataType::BigDecimal { .. } => {
            vec![
                int(-3),
                int(0),
                int(3),
                double(1.5),
                double(-2.5),
                double(0.5),
            ]
        }
        DataType::Boolean => vec![
            ("true".to_owned(), Cell::Boolean(true)),
            ("false".to_owned(), Cell::Boolean(false)),
        ],
        DataType::Timestamp { .. } => vec![("0".to_owned(), Cell::Int(0)), int(1_700_000_000_000)],
        DataType::Bytes => vec![text("616263"), text("")],
        _ if on => vec![
            text("x"),
            text(""),
            text("12"),
            text("zebra"),
            text("it's"),
            text("a\"b"),
        ],
        _ => vec![
            text("x"),
            text("null"),
            text(""),
            text("1.5"),
            text("ünï"),
            text("{\"x\":1}"),
        ],
    }
}
