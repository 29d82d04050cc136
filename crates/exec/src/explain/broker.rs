//! The first row of EXPLAIN: what is left to do after the segments' results are merged.

use crate::options::QueryOptions;
use crate::sql::ast::{Expr, OrderBy, Query, SelectItem};
use crate::sql::names::{expr_text, filter_text};

/// Returns the text of `BROKER_REDUCE`, absent parts left out.
pub fn broker_reduce(query: &Query, options: &QueryOptions) -> String {
    let mut parts = Vec::new();
    if let Some(having) = &query.having {
        parts.push(format!(
            "havingFilter:{}",
            filter_text(having, options.null_handling)
        ));
    }
    if !query.order_by.is_empty() {
        let keys = query
            .order_by
            .iter()
            .map(|key| sort_key(key, options.null_handling));
        parts.push(format!("sort:[{}]", keys.collect::<Vec<_>>().join(", ")));
    }
    parts.push(format!("limit:{}", query.limit));
    let post = post_aggregations(query, options.null_handling);
    if !post.is_empty() {
        parts.push(format!("postAggregations:{}", post.join(", ")));
    }
    format!("BROKER_REDUCE({})", parts.join(","))
}

fn sort_key(key: &OrderBy, null_handling: bool) -> String {
    let direction = if key.descending { "DESC" } else { "ASC" };
    let nulls = match key.nulls_first {
        Some(true) => " NULLS FIRST",
        Some(false) => " NULLS LAST",
        None => "",
    };
    format!("{} {direction}{nulls}", expr_text(&key.expr, null_handling))
}

/// Functions of aggregates, each once, in the order of the select list and ORDER BY.
fn post_aggregations(query: &Query, null_handling: bool) -> Vec<String> {
    let selected = query.select.iter().filter_map(|item| match item {
        SelectItem::Expr { expr, .. } => Some(expr),
        SelectItem::All => None,
    });
    let mut texts: Vec<String> = Vec::new();
    for expr in selected.chain(query.order_by.iter().map(|key| &key.expr)) {
        if matches!(expr, Expr::Call { .. }) && expr.has_aggregate() {
            let text = expr_text(expr, null_handling);
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    texts
}
