//! Two answers to one query.

use growler_exec::ResultTable;
use serde_json::Value;

use super::question::Question;

/// How much of a row is told.
const SHOWN_CHARS: usize = 300;

/// How the outcome of a comparison differs from what must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference(pub String);

/// Compares the answer that was given with the one without indexes.
///
/// # Errors
/// The difference, with an example.
pub fn compare(
    question: &Question,
    given: &ResultTable,
    scanned: &ResultTable,
) -> Result<(), Difference> {
    let types = |table: &ResultTable| table.type_names().collect::<Vec<_>>();
    if given.names != scanned.names || types(given) != types(scanned) {
        return Err(Difference(format!(
            "other columns: given={:?} scanned={:?}",
            given.names, scanned.names
        )));
    }
    if given.row_count != scanned.row_count {
        return Err(Difference(format!(
            "other number of rows: given={} scanned={}",
            given.row_count, scanned.row_count
        )));
    }
    let (given, scanned) = (json(given)?, json(scanned)?);
    if given == scanned {
        return Ok(());
    }
    let (mut given, mut scanned) = (rows(&given)?, rows(&scanned)?);
    for &column in &question.sorted_on {
        let pairs = given.iter().zip(&scanned);
        for (idx, (given, scanned)) in pairs.enumerate() {
            if given.get(column) != scanned.get(column) {
                return Err(Difference(format!(
                    "other order: row={idx} given={} scanned={}",
                    shown(given),
                    shown(scanned)
                )));
            }
        }
    }
    if question.is_whole {
        same_rows(&mut given, &mut scanned)
    } else {
        Ok(())
    }
}

/// Compares rows whose order is nobody's business.
fn same_rows(given: &mut [Value], scanned: &mut [Value]) -> Result<(), Difference> {
    let sort = |rows: &mut [Value]| rows.sort_by_cached_key(Value::to_string);
    sort(given);
    sort(scanned);
    let mut pairs = given.iter().zip(scanned.iter());
    let other = pairs.find(|(given, scanned)| given != scanned);
    other.map_or(Ok(()), |(given, scanned)| {
        Err(Difference(format!(
            "other rows, of which the first in order: given={} scanned={}",
            shown(given),
            shown(scanned)
        )))
    })
}

fn json(table: &ResultTable) -> Result<Vec<u8>, Difference> {
    let mut text = Vec::new();
    table
        .write_json_rows(&mut text)
        .map_err(|error| Difference(format!("an answer cannot be written: {error}")))?;
    Ok(text)
}

fn rows(json: &[u8]) -> Result<Vec<Value>, Difference> {
    serde_json::from_slice(json)
        .map_err(|error| Difference(format!("an answer is no JSON: {error}")))
}

fn shown(row: &Value) -> String {
    row.to_string().chars().take(SHOWN_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array};
    use growler_schema::DataType;

    use super::*;

    fn table(rows: &[[i64; 2]]) -> ResultTable {
        let column = |idx: usize| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(
                rows.iter().map(|row| row[idx]),
            ))
        };
        ResultTable::try_new(
            vec!["k".to_owned(), "v".to_owned()],
            vec![DataType::Long.single(); 2],
            vec![column(0), column(1)],
        )
        .unwrap()
    }

    #[test]
    fn order_counts_where_it_was_asked_for() {
        let rows = [[1, 10], [1, 11], [2, 20]];
        let ties = [[1, 11], [1, 10], [2, 20]];
        let moved = [[2, 20], [1, 10], [1, 11]];
        let other_tie = [[1, 10], [1, 12], [2, 20]];
        let other_key = [[1, 10], [1, 11], [3, 20]];
        let (free, sorted): (&[usize], &[usize]) = (&[], &[0]);
        for (name, sorted_on, is_whole, scanned, is_same) in [
            ("itself", sorted, true, &rows[..], true),
            ("ties may change places", sorted, true, &ties, true),
            ("keys may not", sorted, true, &moved, false),
            ("without order all may", free, true, &moved, true),
            ("a value may not", free, true, &other_tie, false),
            (
                "a row cut off by LIMIT may",
                sorted,
                false,
                &other_tie,
                true,
            ),
            ("but not its key", sorted, false, &other_key, false),
            (
                "nor how many rows there are",
                free,
                false,
                &rows[..2],
                false,
            ),
        ] {
            let question = Question {
                sorted_on: sorted_on.to_vec(),
                is_whole,
            };
            let outcome = compare(&question, &table(&rows), &table(scanned));
            assert_eq!(outcome.is_ok(), is_same, "{name}: {outcome:?}");
        }
    }
}
