//! What the table has at each of its versions, and what a question must answer of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

/// Columns that are widened and renamed one after the other.
pub const COLUMNS: usize = 4;
pub const NAMES: [&str; COLUMNS] = ["q0", "q1", "q2", "q3"];
pub const RENAMED: [&str; COLUMNS] = ["p0", "p1", "p2", "p3"];
pub const ADDED: [&str; COLUMNS] = ["x0", "x1", "x2", "x3"];
/// Kinds of questions.
pub const QUESTIONS: usize = 9;

const ROWS: i64 = 6;
const FAR: i64 = 5_000_000_000;

/// The rows of one file.
#[derive(Clone, Copy)]
pub struct File {
    number: i64,
    /// The column that has far values, in a file that came with a widening.
    far: Option<usize>,
}

impl File {
    pub fn ids(&self) -> Vec<i64> {
        (0..ROWS).map(|row| self.number * ROWS + row).collect()
    }

    pub fn values(&self, column: usize) -> Vec<i64> {
        let base = if self.far == Some(column) { FAR } else { 0 };
        let value = |id: i64| base + (id * 7 + i64::try_from(column).unwrap()) % 50;
        self.ids().into_iter().map(value).collect()
    }

    /// Values of the columns that came later.
    pub fn added(&self) -> Vec<i64> {
        self.ids().into_iter().map(|id| id % 3).collect()
    }
}

/// How the table goes on: each step has one file more, and its schema is served before its file.
pub struct History {
    files: Vec<File>,
}

impl History {
    pub fn new(segments: usize) -> Self {
        let number = |number: usize| File {
            number: i64::try_from(number).unwrap(),
            far: None,
        };
        Self {
            files: (0..segments).map(number).collect(),
        }
    }

    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// The file that comes with a step.
    pub fn next(&mut self, step: usize) -> File {
        let file = File {
            number: i64::try_from(self.files.len()).unwrap(),
            far: step.is_multiple_of(2).then_some(step / 2),
        };
        self.files.push(file);
        file
    }

    /// All versions in their order: of step N, 2N-1 has its schema, 2N its file too.
    pub fn plan(&self) -> Arc<Vec<Version>> {
        let mut whole = Self {
            files: self.files.clone(),
        };
        let first = whole.files.len();
        for step in 0..COLUMNS * 2 {
            whole.next(step);
        }
        let files: Arc<[File]> = whole.files.into();
        let version = |idx: usize| Version {
            files: files.clone(),
            file_count: first + idx / 2,
            first_count: first,
            steps: idx.div_ceil(2),
        };
        Arc::new((0..=COLUMNS * 4).map(version).collect())
    }
}

/// One version of the table.
pub struct Version {
    files: Arc<[File]>,
    file_count: usize,
    first_count: usize,
    /// Steps whose schema is served.
    steps: usize,
}

/// An answer, as far as it must be right.
#[derive(Debug, PartialEq)]
pub struct Expected {
    types: Value,
    names: Value,
    rows: Vec<Value>,
    segments: Value,
    docs: Value,
    exceptions: Value,
    partial: Value,
}

impl Expected {
    pub fn of(answer: &Value) -> Self {
        let table = &answer["resultTable"];
        let mut rows = table["rows"].as_array().cloned().unwrap_or_default();
        if table["dataSchema"]["columnNames"] == json!(["unordered"]) {
            rows.sort_by_key(|row| row[0].as_i64());
        }
        Self {
            types: table["dataSchema"]["columnDataTypes"].clone(),
            names: table["dataSchema"]["columnNames"].clone(),
            rows,
            segments: answer["numSegmentsQueried"].clone(),
            docs: answer["totalDocs"].clone(),
            exceptions: answer["exceptions"].clone(),
            partial: answer["partialResult"].clone(),
        }
    }
}

/// A question of a kind, about a column.
pub fn question(about: usize, column: usize, table: &str) -> String {
    let q = NAMES[column];
    match about {
        0 => format!("SELECT {q}, id FROM {table} ORDER BY {q} DESC, id LIMIT 5"),
        1 => format!("SELECT {q}, COUNT(*) FROM {table} GROUP BY {q} ORDER BY {q} LIMIT 1000"),
        2 => format!("SELECT DISTINCT {q} AS unordered FROM {table} LIMIT 1000"),
        3 => format!("SELECT {q}, id FROM {table} LIMIT 2000"),
        4 => format!("SELECT SUM({q}), COUNT(*), MAX({q}), MIN({q}) FROM {table}"),
        5 => format!("SELECT COUNT(*), SUM(id) FROM {table} WHERE {q} >= {FAR}"),
        6 => format!("SELECT {q}, id FROM {table} WHERE {q} = 7 ORDER BY id LIMIT 9"),
        7 => format!("SELECT * FROM {table} ORDER BY id DESC LIMIT 3"),
        _ => format!(
            "SELECT {q}, SUM(id) FROM {table} WHERE id >= 60 GROUP BY {q} HAVING COUNT(*) > 1 \
             ORDER BY SUM(id) DESC, {q} LIMIT 7"
        ),
    }
}

impl Version {
    fn rows(&self, column: usize) -> impl Iterator<Item = (i64, i64)> {
        let files = self.files[..self.file_count].iter();
        files.flat_map(move |file| file.values(column).into_iter().zip(file.ids()))
    }

    fn type_of(&self, column: usize) -> &'static str {
        if self.steps > 2 * column {
            "LONG"
        } else {
            "INT"
        }
    }

    /// Columns that came by now.
    fn added_count(&self) -> usize {
        self.steps / 2
    }

    pub fn answer(&self, about: usize, column: usize) -> Expected {
        let (q, kind) = (NAMES[column], self.type_of(column));
        let mut sorted: Vec<(i64, i64)> = self.rows(column).collect();
        let plain = sorted.clone();
        sorted.sort_by_key(|(value, id)| (-value, *id));
        let row = |(value, id): &(i64, i64)| json!([value, id]);
        let all_sum = |rows: &[(i64, i64)]| rows.iter().map(|(value, _)| *value).sum::<i64>();
        let (names, types, rows) = match about {
            0 => (
                json!([q, "id"]),
                json!([kind, "LONG"]),
                sorted.iter().take(5).map(row).collect(),
            ),
            1 => {
                let mut groups = BTreeMap::new();
                for (value, _) in &plain {
                    *groups.entry(*value).or_insert(0) += 1;
                }
                let groups = groups.iter().map(|(value, count)| json!([value, count]));
                (
                    json!([q, "count(*)"]),
                    json!([kind, "LONG"]),
                    groups.collect(),
                )
            }
            2 => {
                let distinct: BTreeSet<i64> = plain.iter().map(|(value, _)| *value).collect();
                let distinct = distinct.iter().map(|value| json!([value]));
                (json!(["unordered"]), json!([kind]), distinct.collect())
            }
            3 => (
                json!([q, "id"]),
                json!([kind, "LONG"]),
                plain.iter().take(2000).map(row).collect(),
            ),
            4 => {
                let (most, least) = (sorted[0].0, sorted[sorted.len() - 1].0);
                let numbers = [all_sum(&plain), most, least].map(|v| json!(v as f64));
                (
                    json!([
                        format!("sum({q})"),
                        "count(*)",
                        format!("max({q})"),
                        format!("min({q})")
                    ]),
                    json!(["DOUBLE", "LONG", "DOUBLE", "DOUBLE"]),
                    vec![json!([numbers[0], plain.len(), numbers[1], numbers[2]])],
                )
            }
            5 => {
                let far: Vec<i64> = plain
                    .iter()
                    .filter(|(v, _)| *v >= FAR)
                    .map(|r| r.1)
                    .collect();
                let sum = far.iter().sum::<i64>() as f64;
                (
                    json!(["count(*)", "sum(id)"]),
                    json!(["LONG", "DOUBLE"]),
                    vec![json!([far.len(), sum])],
                )
            }
            6 => (
                json!([q, "id"]),
                json!([kind, "LONG"]),
                plain
                    .iter()
                    .filter(|(v, _)| *v == 7)
                    .take(9)
                    .map(row)
                    .collect(),
            ),
            7 => return self.all_columns(),
            _ => {
                let mut groups: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
                for (value, id) in plain.iter().filter(|(_, id)| *id >= 60) {
                    let group = groups.entry(*value).or_default();
                    *group = (group.0 + id, group.1 + 1);
                }
                let mut groups: Vec<_> = groups.into_iter().filter(|(_, g)| g.1 > 1).collect();
                groups.sort_by_key(|(value, group)| (-group.0, *value));
                let rows = groups.iter().take(7);
                (
                    json!([q, "sum(id)"]),
                    json!([kind, "DOUBLE"]),
                    rows.map(|(value, group)| json!([value, group.0 as f64]))
                        .collect(),
                )
            }
        };
        self.expect(names, types, rows)
    }

    fn all_columns(&self) -> Expected {
        let (mut names, mut types) = (vec![json!("id")], vec![json!("LONG")]);
        for (column, name) in NAMES.iter().enumerate() {
            names.push(json!(name));
            types.push(json!(self.type_of(column)));
        }
        for name in &ADDED[..self.added_count()] {
            names.push(json!(name));
            types.push(json!("INT"));
        }
        let last = self.files[self.file_count - 1];
        let row = |at: usize| {
            let mut row = vec![json!(last.ids()[at])];
            row.extend((0..COLUMNS).map(|column| json!(last.values(column)[at])));
            // A column that came behind the file has its default null value in it.
            let steps = self.file_count - self.first_count;
            row.extend((0..self.added_count()).map(|k| {
                if steps >= 2 * k + 2 {
                    json!(last.added()[at])
                } else {
                    json!(i32::MIN)
                }
            }));
            Value::Array(row)
        };
        let rows = (0..3).map(|back| row(usize::try_from(ROWS).unwrap() - 1 - back));
        self.expect(json!(names), json!(types), rows.collect())
    }

    fn expect(&self, names: Value, types: Value, rows: Vec<Value>) -> Expected {
        let docs = self.file_count * usize::try_from(ROWS).unwrap();
        Expected {
            types,
            names,
            rows,
            segments: json!(self.file_count),
            docs: json!(docs),
            exceptions: json!([]),
            partial: json!(false),
        }
    }
}
