//! Ordinals and aliases in GROUP BY, HAVING and ORDER BY.

use hashbrown::HashMap;

use crate::error::Error;
use crate::sql::ast::{Expr, Literal, Query, SelectItem};
use crate::sql::parse::{TREE_HEIGHT, check_node_count};

/// Replaces ordinals and aliases by the selected expressions they stand for.
///
/// WHERE takes neither. An alias is not looked for inside an aggregate's arguments, so that
/// `SUM(x) AS x .. ORDER BY SUM(x)` means what it says; GROUP BY takes no alias of an aggregate.
pub(in crate::sql) fn resolve_references(query: &mut Query) -> Result<(), Error> {
    let select = std::mem::take(&mut query.select);
    let mut selected = Selected::new(&select, query);
    for key in &mut query.group_by {
        selected.resolve_key(key, true)?;
    }
    for key in &mut query.order_by {
        selected.resolve_key(&mut key.expr, false)?;
    }
    if let Some(having) = query.having.take() {
        let having = selected.replace_aliases(having, false)?;
        check_height(&having)?;
        query.having = Some(having);
    }
    drop(selected);
    query.select = select;
    Ok(())
}

struct Selected<'s> {
    items: &'s [SelectItem],
    aliases: HashMap<&'s str, &'s Expr>,
    node_count: usize,
}

impl<'s> Selected<'s> {
    fn new(items: &'s [SelectItem], query: &Query) -> Self {
        let mut aliases = HashMap::new();
        let mut node_count = 0;
        for item in items {
            if let SelectItem::Expr { expr, alias } = item {
                node_count += expr.node_count();
                if let Some(alias) = alias {
                    aliases.entry(alias.as_str()).or_insert(expr);
                }
            }
        }
        let keys = query
            .group_by
            .iter()
            .chain(query.order_by.iter().map(|key| &key.expr));
        let others = keys.chain(&query.filter).chain(&query.having);
        node_count += others.map(Expr::node_count).sum::<usize>();
        Self {
            items,
            aliases,
            node_count,
        }
    }

    fn resolve_key(&mut self, key: &mut Expr, grouping: bool) -> Result<(), Error> {
        *key = match std::mem::replace(key, Expr::Literal(Literal::Null)) {
            Expr::Literal(Literal::Int(ordinal)) => self.by_ordinal(ordinal, grouping)?,
            other => self.replace_aliases(other, grouping)?,
        };
        check_height(key)
    }

    fn by_ordinal(&mut self, ordinal: i32, grouping: bool) -> Result<Expr, Error> {
        let idx = usize::try_from(ordinal)
            .ok()
            .and_then(|ordinal| ordinal.checked_sub(1));
        let clause = if grouping { "GROUP BY" } else { "ORDER BY" };
        match idx.and_then(|idx| self.items.get(idx)) {
            Some(SelectItem::Expr { expr, .. }) => self.copy(expr),
            Some(SelectItem::All) => Err(Error::Validation(format!(
                "{clause} ordinal stands for '*': ordinal={ordinal}"
            ))),
            None => Err(Error::Validation(format!(
                "{clause}: Expected Ordinal value to be between 1 and {}, found {ordinal}",
                self.items.len()
            ))),
        }
    }

    fn replace_aliases(&mut self, expr: Expr, grouping: bool) -> Result<Expr, Error> {
        match expr {
            Expr::Column(name) => match self.aliases.get(name.as_str()).copied() {
                Some(selected) if !(grouping && selected.has_aggregate()) => self.copy(selected),
                _ => Ok(Expr::Column(name)),
            },
            Expr::Aggregate(_) => Ok(expr),
            other => other.try_map_children(|child| self.replace_aliases(child, grouping)),
        }
    }

    /// Copies an expression, as long as all copies together stay within bounds.
    fn copy(&mut self, expr: &Expr) -> Result<Expr, Error> {
        self.node_count = self.node_count.saturating_add(expr.node_count());
        check_node_count(self.node_count)?;
        Ok(expr.clone())
    }
}

fn check_height(expr: &Expr) -> Result<(), Error> {
    if expr.height() <= TREE_HEIGHT {
        return Ok(());
    }
    Err(Error::Parse(format!(
        "expression is too deep with its aliases: limit={TREE_HEIGHT}"
    )))
}
