//! Whether an answer can be compared with another one, and what of it.

use growler_exec::BrokerResponse;
use growler_exec::options::QueryOptions;
use growler_exec::sql::ast::{Expr, Query, SelectItem};
use growler_exec::sql::parse;

use crate::backend::QueryRequest;

/// What two right answers to a query have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Columns of the answer that it is sorted on, in order; none when it is not sorted, or not on
    /// columns that are seen.
    pub sorted_on: Vec<usize>,
    /// Whether every row that the query has is in the answer. Where LIMIT or OFFSET leave some out,
    /// which ones may be a matter of chance.
    pub is_whole: bool,
}

/// Why an answer is not compared.
pub type Reason = &'static str;

impl Question {
    /// Looks at a query and the answer it got.
    ///
    /// # Errors
    /// Why the answer cannot be compared.
    pub fn of(request: &QueryRequest, answer: &BrokerResponse) -> Result<Self, Reason> {
        let Some(table) = &answer.result_table else {
            return Err("no_rows");
        };
        if !answer.exceptions.is_empty() || answer.statistics.is_partial() {
            return Err("partial");
        }
        let query = parse(&request.sql).map_err(|_| "no_rows")?;
        let options = QueryOptions::try_new(&query.options, &request.options);
        let options = options.map_err(|_| "no_rows")?;
        if query.explain || query.table.is_none() || !options.skip_indexes.is_empty() {
            return Err("no_index_used");
        }
        if is_timed(&query) {
            return Err("depends_on_time");
        }
        let row_count = u64::try_from(table.row_count).unwrap_or(u64::MAX);
        Ok(Self {
            sorted_on: sorted_on(&query),
            is_whole: query.offset == 0 && row_count < query.limit,
        })
    }
}

/// Tells whether the answer depends on when the query is asked.
fn is_timed(query: &Query) -> bool {
    let selected = query.select.iter().filter_map(|item| match item {
        SelectItem::All => None,
        SelectItem::Expr { expr, .. } => Some(expr),
    });
    let others = query.filter.iter().chain(&query.having);
    let ordered = query.order_by.iter().map(|key| &key.expr);
    selected
        .chain(others)
        .chain(&query.group_by)
        .chain(ordered)
        .any(has_clock)
}

fn has_clock(expr: &Expr) -> bool {
    let reads_clock = |name: &str| name == "now" || name.starts_with("ago");
    expr.as_call().is_some_and(|(name, _)| reads_clock(name)) || expr.children().any(has_clock)
}

/// Returns which columns of the answer hold the keys of ORDER BY, up to the first that none does.
fn sorted_on(query: &Query) -> Vec<usize> {
    if query.select.contains(&SelectItem::All) {
        return Vec::new();
    }
    let column_of = |key: &Expr| {
        let mut items = query.select.iter();
        items.position(|item| matches!(item, SelectItem::Expr { expr, .. } if expr == key))
    };
    let keys = query.order_by.iter();
    keys.map_while(|key| column_of(&key.expr)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array};
    use growler_exec::ResultTable;
    use growler_schema::DataType;

    use super::*;

    fn of(sql: &str, options: &str) -> Result<Question, Reason> {
        let request = QueryRequest {
            sql: sql.to_owned(),
            options: options.to_owned(),
        };
        let column: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        let table = ResultTable::try_new(
            vec!["a".to_owned()],
            vec![DataType::Long.single()],
            vec![column],
        );
        let answer = BrokerResponse {
            result_table: table.ok(),
            ..BrokerResponse::default()
        };
        Question::of(&request, &answer)
    }

    #[test]
    fn what_is_compared_depends_on_order_and_limit() {
        for (sql, sorted_on, is_whole) in [
            ("SELECT a FROM t", &[][..], true),
            ("SELECT a FROM t LIMIT 2", &[], false),
            ("SELECT a FROM t LIMIT 5 OFFSET 1", &[], false),
            ("SELECT a FROM t ORDER BY a", &[0], true),
            ("SELECT b, a FROM t ORDER BY a, c, b", &[1], true),
            (
                "SELECT a AS x, COUNT(*) FROM t GROUP BY a ORDER BY 2 DESC, x",
                &[1, 0],
                true,
            ),
            ("SELECT * FROM t ORDER BY a", &[], true),
        ] {
            let expected = Question {
                sorted_on: sorted_on.to_vec(),
                is_whole,
            };
            assert_eq!(of(sql, ""), Ok(expected), "{sql}");
        }
    }

    #[test]
    fn what_would_differ_anyway_is_not_compared() {
        for (sql, options, expected) in [
            ("EXPLAIN PLAN FOR SELECT a FROM t", "", "no_index_used"),
            ("SELECT 1", "", "no_index_used"),
            ("SELECT a FROM t", "skipIndexes=*", "no_index_used"),
            (
                "SET skipIndexes='a=range'; SELECT a FROM t",
                "",
                "no_index_used",
            ),
            (
                "SELECT a FROM t WHERE ts > ago('PT1H')",
                "",
                "depends_on_time",
            ),
            (
                "SELECT COUNT(*) FILTER (WHERE ts < now()) FROM t",
                "",
                "depends_on_time",
            ),
            ("SELEC", "", "no_rows"),
        ] {
            assert_eq!(of(sql, options), Err(expected), "{sql}");
        }
    }
}
