//! Expressions over the results of groups: selected items, HAVING, ORDER BY.

use arrow_array::ArrayRef;
use growler_schema::{ColumnType, Value};

use super::{Operand, SortKey};
use crate::{
    error::Error,
    expr::{CompileOptions, Input, InputBatch, Inputs, KeyView},
    filter::{Builder, Filter},
    plan::operand::Nulls,
    sql::{
        ast::{AggregateCall, Expr, OrderBy},
        names::expr_text,
    },
};

/// What stands for a group: its keys, then its aggregates.
#[derive(Debug)]
pub struct GroupColumns<'q> {
    /// Group keys.
    pub keys: &'q [Expr],
    /// Aggregates, each once.
    pub aggregates: &'q [AggregateCall],
    /// Types of keys, then of aggregates.
    pub types: Vec<ColumnType>,
    /// What a null of them stands for, in the same order.
    pub default_nulls: Vec<Value>,
}

/// What is made of the groups once all rows are folded.
#[derive(Debug)]
pub struct GroupResult {
    /// Which groups stay.
    pub having: Option<Filter>,
    /// The selected items.
    pub select: Vec<Operand>,
    /// Their order.
    pub sort: Vec<SortKey>,
}

/// Begins the names that group columns have in rewritten expressions; no identifier starts so.
const PREFIX: &str = "\u{0}group:";

impl GroupColumns<'_> {
    /// Compiles the expressions over groups.
    ///
    /// # Errors
    /// [`Error::Validation`] when one names a column that is no group key.
    pub fn compile(
        &mut self,
        select: &[Expr],
        having: Option<&Expr>,
        order_by: &[OrderBy],
        options: CompileOptions,
    ) -> Result<GroupResult, Error> {
        let having = match having {
            None => None,
            Some(having) => {
                let having = self.rewrite(having.clone());
                Some(
                    Builder {
                        inputs: self,
                        options,
                    }
                    .build(&having)?,
                )
            }
        };
        let mut operand = |expr: &Expr| {
            let expr = self.rewrite(expr.clone());
            Operand::compile(&expr, KeyView::Own, self, &options)
        };
        let select = select.iter().map(&mut operand).collect::<Result<_, _>>()?;
        let sort_key = |key: &OrderBy| Ok(SortKey::new(operand(&key.expr)?, key));
        let sort = order_by
            .iter()
            .map(sort_key)
            .collect::<Result<_, Error>>()?;
        Ok(GroupResult {
            having,
            select,
            sort,
        })
    }

    /// Replaces group keys and aggregates by the columns that hold them.
    fn rewrite(&self, expr: Expr) -> Expr {
        let column = |idx: usize| Expr::Column(format!("{PREFIX}{idx}"));
        if let Some(idx) = self.keys.iter().position(|key| *key == expr) {
            return column(idx);
        }
        if let Expr::Aggregate(call) = &expr
            && let Some(idx) = self
                .aggregates
                .iter()
                .position(|known| known == call.as_ref())
        {
            return column(self.keys.len() + idx);
        }
        expr.map_children(|child| self.rewrite(child))
    }
}

fn not_grouped(expr: &Expr) -> Error {
    let text = expr_text(expr, true);
    Error::Validation(format!(
        "'{text}' should be functionally dependent on the columns used in GROUP BY clause."
    ))
}

impl Inputs for GroupColumns<'_> {
    fn column(&mut self, name: &str) -> Result<Input, Error> {
        let slot = name
            .strip_prefix(PREFIX)
            .and_then(|idx| idx.parse::<usize>().ok());
        let found = slot.and_then(|slot| {
            Some((
                slot,
                *self.types.get(slot)?,
                self.default_nulls.get(slot)?.clone(),
            ))
        });
        match found {
            Some((slot, column_type, default_null)) => Ok(Input {
                slot,
                column_type,
                default_null,
            }),
            None => Err(not_grouped(&Expr::Column(name.to_owned()))),
        }
    }

    fn item(&mut self, column: &str, key: &str, _view: KeyView) -> Result<Input, Error> {
        Err(not_grouped(&Expr::Item {
            column: column.to_owned(),
            key: key.to_owned(),
        }))
    }
}

impl GroupResult {
    /// Returns the selected arrays of the groups that HAVING keeps, and the arrays to sort them by.
    ///
    /// # Errors
    /// [`Error::Execution`] when a value cannot be processed.
    pub fn evaluate(
        &self,
        columns: Vec<ArrayRef>,
        row_count: usize,
        nulls: Nulls,
    ) -> Result<(Vec<ArrayRef>, Vec<ArrayRef>, usize), Error> {
        let batch = self.kept(InputBatch { columns, row_count })?;
        let select = self
            .select
            .iter()
            .map(|operand| operand.evaluate(&batch, nulls));
        let select = select.collect::<Result<_, _>>()?;
        let sort = self
            .sort
            .iter()
            .map(|key| key.operand.evaluate(&batch, nulls));
        let sort = sort.collect::<Result<_, _>>()?;
        Ok((select, sort, batch.row_count))
    }

    fn kept(&self, batch: InputBatch) -> Result<InputBatch, Error> {
        let Some(having) = &self.having else {
            return Ok(batch);
        };
        let trues = having.evaluate(&batch)?.trues;
        if trues.is_all() {
            return Ok(batch);
        }
        let (row_count, kept) = (trues.count(), trues.bits().clone().into());
        let filter = |column: &ArrayRef| {
            arrow_select::filter::filter(column, &kept)
                .map_err(|error| Error::Internal(error.to_string()))
        };
        let columns = batch.columns.iter().map(filter).collect::<Result<_, _>>()?;
        Ok(InputBatch { columns, row_count })
    }
}
