//! What may stand where in a query.

use crate::error::Error;
use crate::sql::ast::{Expr, Query, SelectItem};
use crate::sql::names::expr_text;

use super::keys::Keys;

/// Checks the rules of grouping, DISTINCT and queries without a table.
pub(in crate::sql) fn check(query: &Query) -> Result<(), Error> {
    if query.table.is_none() {
        return check_tableless(query);
    }
    check_grouping(query)?;
    if query.distinct {
        check_distinct(query)
    } else {
        Ok(())
    }
}

fn invalid(message: impl Into<String>) -> Result<(), Error> {
    Err(Error::Validation(message.into()))
}

fn selected(query: &Query) -> impl Iterator<Item = &Expr> {
    query.select.iter().filter_map(|item| match item {
        SelectItem::Expr { expr, .. } => Some(expr),
        SelectItem::All => None,
    })
}

fn selects_all(query: &Query) -> bool {
    query.select.contains(&SelectItem::All)
}

fn check_tableless(query: &Query) -> Result<(), Error> {
    let clauses = query.filter.is_some()
        || query.having.is_some()
        || !query.group_by.is_empty()
        || !query.order_by.is_empty();
    if clauses || selects_all(query) || !selected(query).all(Expr::is_constant) {
        return invalid("Data source (FROM clause) not found");
    }
    Ok(())
}

fn check_grouping(query: &Query) -> Result<(), Error> {
    if let Some(key) = query.group_by.iter().find(|key| key.has_aggregate()) {
        let key = expr_text(key, true);
        return invalid(format!(
            "Aggregate expression '{key}' is not allowed in GROUP BY clause."
        ));
    }
    let outputs = || selected(query).chain(query.order_by.iter().map(|key| &key.expr));
    let aggregates = outputs().chain(&query.having).any(Expr::has_aggregate);
    if query.group_by.is_empty() && !aggregates {
        return match query.having {
            Some(_) => invalid("HAVING is not supported without GROUP BY clause or aggregates"),
            None => Ok(()),
        };
    }
    let keys = Keys::new(query.group_by.iter());
    if query.group_by.is_empty() {
        if selects_all(query) || selected(query).any(|expr| keys.misses(expr)) {
            return invalid(
                "Columns and Aggregate functions can't co-exist without GROUP BY clause",
            );
        }
    } else if selects_all(query) {
        return independent("*");
    }
    match outputs()
        .chain(&query.having)
        .find(|expr| keys.misses(expr))
    {
        Some(expr) => independent(&expr_text(expr, true)),
        None => Ok(()),
    }
}

fn independent(text: &str) -> Result<(), Error> {
    invalid(format!(
        "'{text}' should be functionally dependent on the columns used in GROUP BY clause."
    ))
}

fn check_distinct(query: &Query) -> Result<(), Error> {
    if selects_all(query) {
        return invalid(
            "DISTINCT with * is not supported. Please specify each column name after DISTINCT keyword",
        );
    }
    if selected(query).any(Expr::has_aggregate) {
        return invalid("Use of DISTINCT with aggregation functions is not supported");
    }
    if !query.group_by.is_empty() {
        return invalid("DISTINCT with GROUP BY is not supported");
    }
    if query.limit == 0 {
        return invalid("DISTINCT must have positive LIMIT");
    }
    let keys = Keys::new(selected(query));
    if !query.order_by.iter().all(|key| keys.contains(&key.expr)) {
        return invalid("ORDER-BY columns should be included in the DISTINCT columns");
    }
    Ok(())
}
