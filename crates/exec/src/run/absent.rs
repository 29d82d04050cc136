//! Predicates that only a default null value would pass, on keys that no row has.

use crate::{
    error::Error,
    filter::{Filter, Leaf},
    lookup::SkipIndexes,
    options::QueryOptions,
    plan::{Plan, Shape},
    run::query::Runner,
    sql::ast::{Expr, Query, SelectItem},
};

impl Runner<'_> {
    /// Makes predicates match nothing that would hold for the default null value of a key that no row
    /// of the view has (architecture, decision 5). Looks for a row that has it, once for a view.
    ///
    /// # Errors
    /// [`Error::Execution`] when a file cannot be read, and the query's limits.
    pub fn settle_absent_keys(&self, plan: &mut Plan) -> Result<(), Error> {
        let filter = std::mem::replace(&mut plan.filter, Filter::Constant(Some(true)));
        plan.filter = filter.try_map_leaves(&mut |leaf| self.settle(leaf))?;
        if let Shape::Group(grouping) = &mut plan.shape {
            for aggregate in &mut grouping.aggregates {
                let filter = aggregate.filter.take();
                aggregate.filter = match filter {
                    Some(filter) => Some(filter.try_map_leaves(&mut |leaf| self.settle(leaf))?),
                    None => None,
                };
            }
        }
        Ok(())
    }

    fn settle(&self, leaf: Leaf) -> Result<Filter, Error> {
        let key = match leaf.expr.as_call() {
            Some((_, [key @ Expr::Item { .. }, ..])) if leaf.needs_values => key.clone(),
            _ => return Ok(Filter::Leaf(Box::new(leaf))),
        };
        if self.has_values(&key)? {
            return Ok(Filter::Leaf(Box::new(leaf)));
        }
        Ok(Filter::Constant(Some(false)))
    }

    fn has_values(&self, key: &Expr) -> Result<bool, Error> {
        let Expr::Item { column, key: path } = key else {
            return Ok(true);
        };
        // Whoever asks has found it already.
        let field = self.view.column(column, true)?;
        let path = growler_segment::KeyPath::parse(path)
            .map_err(|error| Error::Validation(error.to_string()))?;
        if self.view.key_type(field, &path)?.typed {
            return Ok(true);
        }
        // What indexes tell does not count for a query that does without some of them.
        let by_scan = !self.skip_indexes.is_empty();
        let skip_indexes = match by_scan {
            true => SkipIndexes::all(),
            false => SkipIndexes::default(),
        };
        let options = QueryOptions {
            include_dropped: true,
            ..QueryOptions::default()
        };
        let look = || {
            let query = first_value(self.view.name(), key);
            let plan = Plan::compile(&query, self.view, &options, 0)?;
            let context = self.context.aside();
            let aside = Runner {
                context: &context,
                skip_indexes: &skip_indexes,
                ..*self
            };
            Ok(aside.run(&plan)?.table.row_count > 0)
        };
        self.view.has_values(field, &path, by_scan, look)
    }
}

/// Returns a query for one row that has a key.
fn first_value(table: &str, key: &Expr) -> Query {
    Query {
        explain: false,
        options: std::collections::BTreeMap::new(),
        table: Some(table.to_owned()),
        select: vec![SelectItem::Expr {
            expr: Expr::Column("$docId".to_owned()),
            alias: None,
        }],
        distinct: false,
        filter: Some(Expr::call("is_not_null", vec![key.clone()])),
        group_by: Vec::new(),
        having: None,
        order_by: Vec::new(),
        limit: 1,
        offset: 0,
    }
}
