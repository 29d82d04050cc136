//! WHERE, HAVING and `FILTER (WHERE ..)` in one shape: AND, OR and NOT over predicates.

use crate::error::Error;
use crate::sql::ast::{Expr, Literal, Query, SelectItem};
use crate::sql::comparison::Comparison;

/// Brings every filter of a query into shape: literals stand on the right, an expression that is
/// no predicate is compared with TRUE, and nothing is compared with NULL.
pub(in crate::sql) fn normalize_filters(query: &mut Query) -> Result<(), Error> {
    query.filter = query.filter.take().map(normalize).transpose()?;
    query.having = match query.having.take() {
        Some(having) => Some(aggregate_filters(normalize(having)?)?),
        None => None,
    };
    for item in &mut query.select {
        if let SelectItem::Expr { expr, .. } = item {
            replace(expr, aggregate_filters)?;
        }
    }
    for key in &mut query.order_by {
        replace(&mut key.expr, aggregate_filters)?;
    }
    Ok(())
}

fn replace(expr: &mut Expr, change: fn(Expr) -> Result<Expr, Error>) -> Result<(), Error> {
    *expr = change(std::mem::replace(expr, Expr::Literal(Literal::Null)))?;
    Ok(())
}

/// Normalises the filters of the aggregates in an expression.
fn aggregate_filters(expr: Expr) -> Result<Expr, Error> {
    match expr {
        Expr::Aggregate(mut call) => {
            call.filter = call.filter.take().map(normalize).transpose()?;
            Ok(Expr::Aggregate(call))
        }
        other => other.try_map_children(aggregate_filters),
    }
}

/// Brings one filter into shape.
pub(in crate::sql) fn normalize(filter: Expr) -> Result<Expr, Error> {
    let (name, mut args) = match filter {
        Expr::Call { name, args } => (name, args),
        Expr::Literal(literal @ (Literal::Boolean(_) | Literal::Null)) => {
            return Ok(Expr::Literal(literal));
        }
        other => return Ok(is_true(other)),
    };
    match (name.as_str(), args.as_slice()) {
        ("and" | "or" | "not", _) => {
            let args = args.into_iter().map(normalize).collect::<Result<_, _>>()?;
            return Ok(Expr::Call { name, args });
        }
        ("is_null" | "is_not_null" | "json_match", _) => {}
        ("in" | "not_in" | "between" | "like" | "regexp_like", _) => check_nulls(&name, &args)?,
        (_, [left, right]) if let Some(comparison) = Comparison::of(&name) => {
            let constant_left = left.is_constant() && !right.is_constant();
            check_nulls(&name, &args)?;
            if constant_left {
                args.reverse();
                return Ok(Expr::call(comparison.mirrored().name(), args));
            }
        }
        _ => return Ok(is_true(Expr::Call { name, args })),
    }
    Ok(Expr::Call { name, args })
}

fn is_true(expr: Expr) -> Expr {
    Expr::call("equals", vec![expr, Expr::Literal(Literal::Boolean(true))])
}

fn check_nulls(name: &str, args: &[Expr]) -> Result<(), Error> {
    if !args
        .iter()
        .any(|arg| matches!(arg, Expr::Literal(Literal::Null)))
    {
        return Ok(());
    }
    Err(Error::Validation(format!(
        "Using NULL in {} filter is not supported, use IS NULL or IS NOT NULL",
        name.to_uppercase()
    )))
}
