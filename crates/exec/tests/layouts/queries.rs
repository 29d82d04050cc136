//! Every form of query on a key, with its answer as the model has it.

use std::cmp::Ordering;

use growler_schema::DataType;
use serde_json::{Value as Json, json};

use crate::document::{Doc, Row};
use crate::generate::Focus;
use crate::model::{self, Cell};
use crate::rng::Rng;
use crate::text;

pub type Rows = Vec<Vec<Json>>;

/// A query over `{t}`.
#[derive(Debug)]
pub struct Query {
    pub sql: String,
    pub expected: Expected,
}

/// What a query has to answer.
#[derive(Debug)]
pub enum Expected {
    /// These rows.
    Rows(Rows),
    /// The same in every layout.
    Same,
    /// As `Same`; and it need not meet every row.
    Some,
}

impl From<Option<Rows>> for Expected {
    fn from(rows: Option<Rows>) -> Self {
        rows.map_or(Self::Same, Self::Rows)
    }
}

pub const LIMIT: &str = "LIMIT 100000";

/// What queries on one key are made of.
pub struct Maker<'a> {
    pub rows: &'a [Row],
    /// SQL of the key.
    pub key: String,
    pub path: &'a str,
    pub focus: Focus,
    /// What the key's value is in each row.
    pub values: Vec<Option<&'a Doc>>,
    /// What each row reads as; null handling off: with the default in the place of null.
    pub cells: Vec<Option<Cell>>,
    pub filled: Vec<Option<Cell>>,
    pub on: bool,
    pub queries: Vec<Query>,
}

/// Makes the queries on one key.
pub fn queries(rows: &[Row], path: &str, focus: Focus, on: bool, rng: &mut Rng) -> Vec<Query> {
    let find = |row: &'_ Row| row.document()?.find(path).cloned();
    let found: Vec<Option<Doc>> = rows.iter().map(find).collect();
    let values: Vec<Option<&Doc>> = found.iter().map(Option::as_ref).collect();
    let cell = |doc: &Option<&Doc>| model::cell((*doc)?, focus.data_type);
    let cells: Vec<Option<Cell>> = values.iter().map(cell).collect();
    let default = (!on).then(|| model::default_null(focus.data_type));
    let mut maker = Maker {
        rows,
        key: format!("props['{}']", path.replace('\'', "''")),
        path,
        focus,
        values,
        filled: filled(&cells, default.as_ref()),
        cells,
        on,
        queries: Vec::new(),
    };
    maker.selections();
    maker.comparisons(rng);
    maker.texts();
    maker.numbers();
    maker.aggregates();
    maker.groups();
    maker.orders();
    maker.extractions();
    maker.queries
}

/// Puts the default in the place of nulls.
pub fn filled(cells: &[Option<Cell>], default: Option<&Cell>) -> Vec<Option<Cell>> {
    let fill = |cell: &Option<Cell>| cell.clone().or_else(|| default.cloned());
    cells.iter().map(fill).collect()
}

impl Maker<'_> {
    pub fn push(&mut self, sql: String, expected: Rows) {
        let expected = Expected::Rows(expected);
        self.queries.push(Query { sql, expected });
    }

    /// Adds a query whose answer need only be the same everywhere.
    pub fn push_same(&mut self, sql: String) {
        let expected = Expected::Same;
        self.queries.push(Query { sql, expected });
    }

    /// Adds a query that may end before it has met every row.
    fn push_some(&mut self, sql: String) {
        let expected = Expected::Some;
        self.queries.push(Query { sql, expected });
    }

    /// Returns what a selected cell shows: the default only of keys that no file types.
    fn shown(&self, row: usize) -> Json {
        let cells = match self.focus.declared {
            true => &self.cells,
            false => &self.filled,
        };
        cells[row].as_ref().map_or(Json::Null, Cell::json)
    }

    fn selections(&mut self) {
        let key = self.key.clone();
        let cells = (0..self.rows.len()).map(|row| vec![self.shown(row)]);
        let cells = cells.collect();
        self.push(format!("SELECT {key} FROM {{t}} {LIMIT}"), cells);
        let document = |row: &Row| row.document().map(text::document);
        let documents = self.rows.iter().map(|row| vec![json!(document(row))]);
        let documents = documents.collect();
        self.push(format!("SELECT props FROM {{t}} {LIMIT}"), documents);
        let both = self.rows.iter().enumerate();
        let both = both
            .skip(5)
            .take(7)
            .map(|(id, row)| vec![json!(id), self.shown(id), json!(document(row))]);
        let expected = Expected::Rows(both.collect());
        let sql = format!("SELECT id, {key}, props FROM {{t}} LIMIT 7 OFFSET 5");
        match self.focus.roots {
            crate::generate::Roots::Refused => self.push_some(sql),
            _ => self.queries.push(Query { sql, expected }),
        }
    }

    /// Returns each value once, with the count of its rows, ascending and null last.
    pub fn sorted_groups(&self) -> Vec<(Option<Cell>, usize)> {
        let mut groups: Vec<(Option<Cell>, usize)> = Vec::new();
        for cell in &self.filled {
            match groups
                .iter_mut()
                .find(|(of, _)| order(of.as_ref(), cell.as_ref()).is_eq())
            {
                Some((_, count)) => *count += 1,
                None => groups.push((cell.clone().map(Cell::canonical), 1)),
            }
        }
        groups.sort_by(|(a, _), (b, _)| order(a.as_ref(), b.as_ref()));
        groups
    }

    fn groups(&mut self) {
        let key = self.key.clone();
        let shown = |cell: Option<Cell>| cell.as_ref().map_or(Json::Null, Cell::json);
        let groups = self.sorted_groups().into_iter();
        let groups = groups.map(|(cell, count)| vec![shown(cell), json!(count)]);
        let groups = groups.collect();
        let sql =
            format!("SELECT {key}, COUNT(*) FROM {{t}} GROUP BY {key} ORDER BY {key} {LIMIT}");
        self.push(sql, groups);
        self.push_some(format!("SELECT DISTINCT {key} FROM {{t}} LIMIT 3"));
        self.push_same(format!(
            "SELECT {key}, MIN(id), MAX(id) FROM {{t}} GROUP BY {key} {LIMIT}"
        ));
    }

    fn orders(&mut self) {
        let key = self.key.clone();
        let mut ids: Vec<usize> = (0..self.filled.len()).collect();
        ids.sort_by(|a, b| {
            order(self.filled[*a].as_ref(), self.filled[*b].as_ref()).then(a.cmp(b))
        });
        let ids = ids.iter().map(|id| vec![json!(id)]).collect();
        self.push(
            format!("SELECT id FROM {{t}} ORDER BY {key}, id {LIMIT}"),
            ids,
        );
        self.push_same(format!(
            "SELECT id, {key} FROM {{t}} ORDER BY {key} DESC, id LIMIT 9"
        ));
    }

    /// Tells whether a key that no file types has no value anywhere: then nothing is equal to it.
    pub fn is_absent(&self) -> bool {
        !self.focus.declared && self.cells.iter().all(Option::is_none)
    }

    /// Tells whether the key reads as text.
    pub fn is_text(&self) -> bool {
        self.focus.data_type == DataType::String
    }
}

fn order(a: Option<&Cell>, b: Option<&Cell>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.order(b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    }
}
