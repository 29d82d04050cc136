//! `SELECT a, b .. GROUP BY a, b` is `SELECT DISTINCT a, b`.

use super::keys::Keys;
use crate::sql::ast::{Expr, Query, SelectItem};

/// Turns a grouping without aggregates, whose keys are just what is selected, into DISTINCT. The
/// query then has no `group_by`.
pub(in crate::sql) fn group_to_distinct(query: &mut Query) {
    let selected: Vec<&Expr> = query
        .select
        .iter()
        .filter_map(|item| match item {
            SelectItem::Expr { expr, .. } => Some(expr),
            SelectItem::All => None,
        })
        .collect();
    let possible = !query.group_by.is_empty()
        && query.having.is_none()
        && selected.len() == query.select.len()
        && !selected.iter().any(|expr| expr.has_aggregate());
    if !possible {
        return;
    }
    let same = {
        let keys = Keys::new(&query.group_by);
        let shown = Keys::new(selected.iter().copied());
        selected.iter().all(|expr| keys.contains(expr))
            && query.group_by.iter().all(|key| shown.contains(key))
            && query.order_by.iter().all(|key| shown.contains(&key.expr))
    };
    if same {
        query.distinct = true;
        query.group_by.clear();
    }
}
