//! The answers of all layouts beside those of the model.

use growler_exec::{Engine, Request};
use serde_json::Value as Json;

use crate::document::{Doc, Row};
use crate::files::Plan;
use crate::generate::{Focus, Roots};
use crate::queries::{Expected, Query, Rows};

/// One set of rows in all its layouts.
pub struct Round {
    /// What it is, for messages.
    pub what: String,
    pub engine: Engine,
    pub rows: Vec<Row>,
    pub focus: Focus,
    pub layouts: Vec<Vec<Plan>>,
}

impl Round {
    /// Asks every layout, with its indexes and without; `reads_roots` unless the variants lie deeper.
    pub fn check(&self, query: &Query, on: bool, reads_roots: bool) {
        let is_refused = |row: &Row| row.value().is_some() && row.document().is_none();
        let refused = (self.focus.roots == Roots::Refused && reads_roots)
            .then(|| self.rows.iter().position(is_refused))
            .flatten();
        let first = self.ask(query, on, 0, "*");
        let layouts = self.layouts.iter().enumerate();
        for (idx, plans, skipped) in
            layouts.flat_map(|(idx, plans)| [(idx, plans, "*"), (idx, plans, "")])
        {
            let found = if (idx, skipped) == (0, "*") {
                first.clone()
            } else {
                self.ask(query, on, idx, skipped)
            };
            let wrong = match (&query.expected, refused) {
                (Expected::Some, Some(_)) => None,
                (_, Some(row)) => self.not_refused(row, &found, plans),
                (Expected::Rows(expected), None) => match &found {
                    Ok(found) => difference(found, expected),
                    Err(error) => Some(error.clone()),
                },
                (Expected::Same | Expected::Some, None) => match (&found, &first) {
                    (Ok(found), Ok(first)) => difference(found, first),
                    (Err(a), Err(b)) if a.replace(&format!("t{idx}"), "t0") == *b => None,
                    (found, first) => Some(format!("{found:?}\ninstead of {first:?}")),
                },
            };
            if let Some(wrong) = wrong {
                panic!(
                    "{} null_handling={on}\n{}\nlayout {idx}, skipped indexes {skipped:?}: {wrong}\n{plans:#?}",
                    self.what, query.sql
                );
            }
        }
    }

    fn ask(&self, query: &Query, on: bool, idx: usize, skipped: &str) -> Result<Rows, String> {
        let sql = query.sql.replace("{t}", &format!("t{idx}"));
        let soft = match self.focus.roots {
            Roots::Softened => "SET variantNonObjectRoot = 'null';",
            Roots::Objects | Roots::Refused => "",
        };
        let sql =
            format!("SET enableNullHandling = {on}; SET skipIndexes = '{skipped}'; {soft} {sql}");
        let outcome = self.engine.query(&sql, &Request::default());
        match (outcome.error, outcome.response.result_table) {
            (None, Some(table)) => {
                let mut json = Vec::new();
                table.write_json_rows(&mut json).unwrap();
                serde_json::from_slice::<Rows>(&json).map_err(|error| error.to_string())
            }
            (error, _) => Err(error.map_or_else(String::new, |error| error.to_string())),
        }
    }

    /// Says how an answer is not the refusal of the first root that is no object.
    fn not_refused(
        &self,
        row: usize,
        found: &Result<Rows, String>,
        plans: &[Plan],
    ) -> Option<String> {
        let start = plans.iter().map(|plan| plan.start);
        let start = start.filter(|start| *start <= row).max().unwrap_or(0);
        let expected = format!(
            "VARIANT column props has a non-object root at docId {} ({},",
            row - start,
            kind(self.rows[row].value()?)
        );
        match found {
            Err(error)
                if error.contains(&expected)
                    && error.ends_with("; OPEN_STRUCT can only represent an object root") =>
            {
                None
            }
            other => Some(format!("{other:?}\ninstead of {expected}")),
        }
    }
}

/// Returns the name of a value's type in messages.
fn kind(doc: &Doc) -> &'static str {
    match doc {
        Doc::Null => "null",
        Doc::Boolean(_) => "boolean",
        Doc::Int(..) => "int",
        Doc::Float(_) => "float",
        Doc::Double(_) => "double",
        Doc::Decimal(..) => "decimal",
        Doc::Date(_) => "date",
        Doc::Time(_) => "time",
        Doc::Timestamp(_, _, true) => "timestamp",
        Doc::Timestamp(_, _, false) => "timestamp_ntz",
        Doc::Binary(_) => "binary",
        Doc::Text(_) => "string",
        Doc::Uuid(_) => "uuid",
        Doc::Object(_) => "object",
        Doc::List(_) => "array",
    }
}

/// Says where two answers part.
fn difference(found: &Rows, expected: &Rows) -> Option<String> {
    if found.len() != expected.len() {
        return Some(format!("{found:?}\nexpected {expected:?}"));
    }
    let same = |(a, b): (&Vec<Json>, &Vec<Json>)| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_cell(a, b))
    };
    let at = found.iter().zip(expected).position(|pair| !same(pair))?;
    Some(format!(
        "row {at} {:?}\nexpected {:?}",
        found[at], expected[at]
    ))
}

/// Compares cells; numbers that are equal are the same, whatever their form, but for the sign of
/// zero.
fn same_cell(found: &Json, expected: &Json) -> bool {
    match (found, expected) {
        (Json::Number(a), Json::Number(b)) => {
            let sign = |number: &serde_json::Number| number.to_string().starts_with('-');
            a.to_string() == b.to_string()
                || (a.as_f64() == b.as_f64() && sign(a) == sign(b) && !(a.is_i64() && b.is_i64()))
        }
        (a, b) => a == b,
    }
}
