//! The rows of EXPLAIN as text: nothing cut off, each operator below the one it feeds.

use std::collections::HashMap;

use growler_exec::Error;
use growler_exec::response::ResultTable;
use serde_json::Value;

const COLUMNS: [&str; 3] = ["Operator", "Operator_Id", "Parent_Id"];

/// Tells whether a table is the answer to EXPLAIN.
pub fn is_plan(table: &ResultTable) -> bool {
    table.names == COLUMNS
}

/// Appends the rows of an EXPLAIN, ids first.
///
/// # Errors
/// A broken invariant of the table.
pub fn write(table: &ResultTable, out: &mut Vec<u8>) -> Result<(), Error> {
    let mut json = Vec::new();
    table.write_json_rows(&mut json)?;
    let rows: Value =
        serde_json::from_slice(&json).map_err(|error| Error::Internal(error.to_string()))?;
    let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
    out.extend_from_slice(text(rows).as_bytes());
    Ok(())
}

fn text(rows: &[Value]) -> String {
    let mut depths: HashMap<i64, usize> = HashMap::new();
    let mut text = format!("{} {}  {}\n", COLUMNS[1], COLUMNS[2], COLUMNS[0]);
    let (id_width, parent_width) = (COLUMNS[1].len(), COLUMNS[2].len());
    for row in rows {
        let operator = row[0].as_str().unwrap_or_default();
        let (id, parent) = (row[1].as_i64(), row[2].as_i64());
        let depth = parent
            .and_then(|parent| depths.get(&parent))
            .map_or(0, |depth| depth + 1);
        // Marks between operators have ids below zero, many the same.
        if let Some(id) = id.filter(|id| *id >= 0) {
            depths.insert(id, depth);
        }
        let indent = "  ".repeat(depth);
        text.push_str(&format!(
            "{:>id_width$} {:>parent_width$}  {indent}{operator}\n",
            id.unwrap_or_default(),
            parent.unwrap_or_default(),
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn indents_operators_below_the_one_they_feed() {
        let rows = [
            json!(["BROKER_REDUCE(limit:10)", 1, 0]),
            json!(["COMBINE_SELECT", 2, 1]),
            json!(["PLAN_START(numSegmentsForThisPlan:1)", -1, -1]),
            json!(["SELECT(selectList:a)", 3, 2]),
        ];
        let expected = "\
Operator_Id Parent_Id  Operator
          1         0  BROKER_REDUCE(limit:10)
          2         1    COMBINE_SELECT
         -1        -1  PLAN_START(numSegmentsForThisPlan:1)
          3         2      SELECT(selectList:a)
";
        assert_eq!(text(&rows), expected);
    }
}
