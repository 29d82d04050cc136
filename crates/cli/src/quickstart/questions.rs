//! The example queries and their right answers.

use serde_json::Value;

/// Rows of an answer, as JSON cells.
pub type Rows = Vec<Vec<Value>>;

/// The key whose type, and so some answers, the sample layouts choose.
pub const TYPED_KEY: &str = "latency_ms";

const FOUR_ROWS: &str = include_str!("../../../../testdata/seed_expected.json");
const BY_KEY_TYPE: &str = include_str!("by_key_type.json");
const FIVE_FILES: &str = include_str!("five_files.json");

/// A query over the table `t`, and what it must answer.
#[derive(Debug)]
pub struct Question {
    /// SQL over a table `t`.
    pub sql: String,
    answer: Right,
    by_key_type: Vec<ByKeyType>,
}

/// The right outcome.
#[derive(Debug)]
pub enum Right {
    /// These rows.
    Rows(Rows),
    /// An error that holds this text.
    Refusal(String),
}

#[derive(Debug)]
struct ByKeyType {
    types: Vec<String>,
    answer: Right,
    why: String,
}

/// The questions about the same four rows in many layouts.
///
/// # Errors
/// A text that says which of the embedded files does not read.
pub fn about_four_rows() -> Result<Vec<Question>, String> {
    let mut questions = parse(FOUR_ROWS, "seed_expected.json")?;
    let exceptions: Value = serde_json::from_str(BY_KEY_TYPE).map_err(|error| error.to_string())?;
    for exception in exceptions.as_array().into_iter().flatten() {
        let sql = text(exception, "sql");
        let of = questions.iter_mut().find(|question| question.sql == sql);
        let question = of.ok_or_else(|| format!("no such question: sql={sql}"))?;
        let types = exception["types"].as_array().into_iter().flatten();
        question.by_key_type.push(ByKeyType {
            types: types.filter_map(Value::as_str).map(str::to_owned).collect(),
            answer: right(&exception["result"])?,
            why: text(exception, "why"),
        });
    }
    Ok(questions)
}

/// The questions about fifty rows in five files.
///
/// # Errors
/// A text that says which of the embedded files does not read.
pub fn about_five_files() -> Result<Vec<Question>, String> {
    parse(FIVE_FILES, "five_files.json")
}

fn parse(json: &str, name: &str) -> Result<Vec<Question>, String> {
    let entries: Value = serde_json::from_str(json).map_err(|error| format!("{name}: {error}"))?;
    let mut questions = Vec::new();
    for entry in entries.as_array().into_iter().flatten() {
        let answer = right(&entry["result"])?;
        let sql = match &answer {
            // The sample gives the refusal, and the query only in outline.
            Right::Refusal(_) => {
                r#"SELECT COUNT(*) FROM t WHERE JSON_MATCH(props, '"$.page_type" = ''HOME''')"#
                    .to_owned()
            }
            Right::Rows(_) => text(entry, "sql"),
        };
        questions.push(Question {
            sql,
            answer,
            by_key_type: Vec::new(),
        });
    }
    Ok(questions)
}

fn text(entry: &Value, name: &str) -> String {
    entry[name].as_str().unwrap_or_default().to_owned()
}

fn right(result: &Value) -> Result<Right, String> {
    if let Some(refusal) = result.as_str() {
        return Ok(Right::Refusal(
            refusal.trim_start_matches("error: ").to_owned(),
        ));
    }
    let rows = result
        .as_array()
        .ok_or("an answer is neither rows nor an error")?;
    let rows = rows
        .iter()
        .map(|row| row.as_array().cloned().unwrap_or_default());
    Ok(Right::Rows(rows.collect()))
}

impl Question {
    /// Returns the SQL over a table of another name.
    pub fn over(&self, table: &str) -> String {
        match self.sql.split_once("FROM t") {
            Some((before, after)) => format!("{before}FROM {table}{after}"),
            None => self.sql.clone(),
        }
    }

    /// Returns what is right where the typed key has this type, and why it is not the usual answer.
    pub fn right_for(&self, key_type: &str) -> (&Right, Option<&str>) {
        let special = self
            .by_key_type
            .iter()
            .find(|special| special.types.iter().any(|data_type| data_type == key_type));
        match special {
            Some(special) => (&special.answer, Some(&special.why)),
            None => (&self.answer, None),
        }
    }
}

impl Right {
    /// Tells whether an outcome is the right one.
    pub fn is_met_by(&self, outcome: &Result<Rows, String>) -> bool {
        match (self, outcome) {
            (Self::Rows(expected), Ok(rows)) => same_rows(expected, rows),
            (Self::Refusal(expected), Err(message)) => message.contains(expected.as_str()),
            _ => false,
        }
    }
}

/// Compares answers. Rows that tie may stand in any order: the sample queries sort by their last
/// column, so that one must agree in order, the whole rows as a set.
fn same_rows(expected: &Rows, rows: &Rows) -> bool {
    let last = |rows: &Rows| {
        rows.iter()
            .filter_map(|row| row.last().map(canonical))
            .collect::<Vec<_>>()
    };
    let set = |rows: &Rows| {
        let mut rows: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row.iter().map(canonical).collect())
            .collect();
        rows.sort();
        rows
    };
    last(expected) == last(rows) && set(expected) == set(rows)
}

/// Text that is equal for cells that mean the same: numbers by value, JSON text by content.
pub fn canonical(cell: &Value) -> String {
    match cell {
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            // Beyond that, an integer and the DOUBLE of the same value would look different.
            (Some(integer), _) if integer.unsigned_abs() < 1 << f64::MANTISSA_DIGITS => {
                integer.to_string()
            }
            (_, Some(float)) => float.to_string(),
            (_, None) => number.to_string(),
        },
        Value::String(text) if text.starts_with(['{', '[']) => serde_json::from_str(text)
            .map_or_else(|_| text.clone(), |document| canonical(&document)),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|a, b| Ord::cmp(a.0, b.0));
            let members = members
                .iter()
                .map(|(name, value)| format!("{name:?}:{}", canonical(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            format!(
                "[{}]",
                items.iter().map(canonical).collect::<Vec<_>>().join(",")
            )
        }
        Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rows(json: &Value) -> Rows {
        match right(json) {
            Ok(Right::Rows(rows)) => rows,
            other => panic!("no rows: {other:?}"),
        }
    }

    #[test]
    fn compares_by_meaning() {
        let cases = [
            (json!([[1]]), json!([[1.0]]), true),
            (
                json!([[i64::MIN]]),
                json!([[-9.223_372_036_854_776e18]]),
                true,
            ),
            (json!([[1]]), json!([["1"]]), false),
            (json!([[null]]), json!([["null"]]), false),
            (
                json!([[r#"{"a":1,"b":[]}"#]]),
                json!([[r#"{ "b": [], "a": 1 }"#]]),
                true,
            ),
            (
                json!([["a", 2], ["b", 1], ["c", 1]]),
                json!([["a", 2], ["c", 1], ["b", 1]]),
                true,
            ),
            (
                json!([["a", 2], ["b", 1]]),
                json!([["b", 1], ["a", 2]]),
                false,
            ),
            (json!([[1], [1]]), json!([[1]]), false),
        ];
        for (expected, found, same) in &cases {
            assert_eq!(
                same_rows(&rows(expected), &rows(found)),
                *same,
                "{expected} {found}"
            );
        }
    }

    #[test]
    fn every_question_reads_and_is_put_to_a_table() -> Result<(), String> {
        let questions = about_four_rows()?;
        assert_eq!(questions.len(), 26);
        for question in questions.iter().chain(&about_five_files()?) {
            assert!(
                question.over("events").contains("FROM events"),
                "{}",
                question.sql
            );
        }
        Ok(())
    }

    #[test]
    fn the_type_of_the_key_chooses_the_answer() -> Result<(), String> {
        let questions = about_four_rows()?;
        let sql = "SELECT COUNT(*) FROM t WHERE props['latency_ms'] IS NULL";
        let question = questions
            .iter()
            .find(|question| question.sql == sql)
            .ok_or("gone")?;
        for (key_type, count) in [("INT", 2), ("DOUBLE", 2), ("STRING", 1), ("untyped", 1)] {
            let (right, why) = question.right_for(key_type);
            assert!(right.is_met_by(&Ok(vec![vec![json!(count)]])), "{key_type}");
            assert_eq!(why.is_some(), count == 1, "{key_type}");
        }
        Ok(())
    }
}
