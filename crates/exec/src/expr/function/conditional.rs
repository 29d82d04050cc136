//! CASE: each branch is evaluated for the rows that take it only, so that a branch never fails for
//! a row that a condition keeps away from it.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Scalar, cast::AsArray, new_null_array};
use arrow_buffer::BooleanBuffer;
use growler_schema::{ColumnType, DataType};

use super::{registry::Entry, unify::unify};
use crate::{
    error::Error,
    expr::{
        InputBatch, KeyView,
        call::Call,
        node::{Evaluated, Node, Operator, internal, plain},
    },
};

pub(super) const TABLE: &[Entry] = &[("case", build), ("casewhen", build)];

fn build(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=usize::MAX)?;
    let branch_count = call.args.len() / 2;
    let mut conditions = Vec::new();
    let mut values = Vec::new();
    for branch in 0..branch_count {
        conditions.push(call.typed(2 * branch, KeyView::Own, DataType::Boolean)?);
        values.push(call.viewed(2 * branch + 1, call.view)?);
    }
    let otherwise = if call.args.len() % 2 == 1 {
        call.viewed(call.args.len() - 1, call.view)?
    } else {
        Node::literal(&crate::sql::ast::Literal::Null)?
    };
    values.push(otherwise);
    let values = unify(call, values)?;
    let column_type = values
        .first()
        .map_or(DataType::String.single(), |value| value.column_type);
    call.operator(
        Case {
            conditions,
            values,
            column_type,
        },
        column_type,
    )
}

/// Conditions, and one value more than those: the last one is that of ELSE.
#[derive(Debug)]
struct Case {
    conditions: Vec<Node>,
    values: Vec<Node>,
    column_type: ColumnType,
}

impl Operator for Case {
    fn evaluate(&self, batch: &InputBatch) -> Result<ArrayRef, Error> {
        let mut result = new_null_array(&self.column_type.arrow_type(), batch.row_count);
        let mut open = BooleanArray::new(BooleanBuffer::new_set(batch.row_count), None);
        for (condition, value) in self.conditions.iter().zip(&self.values) {
            if open.true_count() == 0 {
                return Ok(result);
            }
            let holds = condition_rows(condition, &open, batch)?;
            let taken = BooleanArray::new(&holds & open.values(), None);
            result = select(value, &taken, batch, result)?;
            open = BooleanArray::new(open.values() & &!taken.values(), None);
        }
        match self.values.last() {
            Some(otherwise) => select(otherwise, &open, batch, result),
            None => Ok(result),
        }
    }

    fn children(&self) -> Vec<&Node> {
        self.conditions.iter().chain(&self.values).collect()
    }
}

/// Evaluates a condition for the open rows; elsewhere it is false.
fn condition_rows(
    condition: &Node,
    open: &BooleanArray,
    batch: &InputBatch,
) -> Result<BooleanBuffer, Error> {
    let none: ArrayRef = Arc::new(BooleanArray::new(
        BooleanBuffer::new_unset(open.len()),
        None,
    ));
    let rows = if open.true_count() == open.len() {
        condition.rows(batch)?
    } else {
        select(condition, open, batch, none)?
    };
    let rows = rows
        .as_boolean_opt()
        .ok_or_else(|| internal("not a boolean array"))?;
    Ok(match rows.nulls() {
        Some(nulls) => rows.values() & nulls.inner(),
        None => rows.values().clone(),
    })
}

/// Puts a node's values into the chosen rows of an array; evaluates it for those rows only.
pub(super) fn select(
    node: &Node,
    chosen: &BooleanArray,
    batch: &InputBatch,
    base: ArrayRef,
) -> Result<ArrayRef, Error> {
    let count = chosen.true_count();
    if count == 0 {
        return Ok(base);
    }
    if let Evaluated::One(array) = trivial(node, batch)? {
        return arrow_select::zip::zip(chosen, &Scalar::new(array), &base).map_err(internal);
    }
    if count == chosen.len() {
        return node.plain_rows(batch);
    }
    if node.is_trivial() {
        let values = node.plain_rows(batch)?;
        return arrow_select::zip::zip(chosen, &values, &base).map_err(internal);
    }
    let values = plain(node.rows(&filtered(node, batch, chosen)?)?)?;
    scatter(&values, chosen, &base)
}

fn trivial(node: &Node, batch: &InputBatch) -> Result<Evaluated, Error> {
    match node.as_constant() {
        Some(_) => node.evaluate(batch),
        None => Ok(Evaluated::Rows(new_null_array(
            &arrow_schema::DataType::Null,
            0,
        ))),
    }
}

/// Keeps the chosen rows of the slots that a node reads.
fn filtered(node: &Node, batch: &InputBatch, chosen: &BooleanArray) -> Result<InputBatch, Error> {
    let mut slots = Vec::new();
    node.collect_slots(&mut slots);
    let mut columns = Vec::with_capacity(batch.columns.len());
    for (slot, column) in batch.columns.iter().enumerate() {
        columns.push(if slots.contains(&slot) {
            arrow_select::filter::filter(column, chosen).map_err(internal)?
        } else {
            Arc::clone(column)
        });
    }
    Ok(InputBatch {
        columns,
        row_count: chosen.true_count(),
    })
}

/// Puts values, one for each chosen row, into an array.
fn scatter(values: &ArrayRef, chosen: &BooleanArray, base: &ArrayRef) -> Result<ArrayRef, Error> {
    let mut next = 0;
    let indices: Vec<(usize, usize)> = (0..chosen.len())
        .map(|row| {
            if chosen.value(row) {
                next += 1;
                (1, next - 1)
            } else {
                (0, row)
            }
        })
        .collect();
    arrow_select::interleave::interleave(&[base.as_ref(), values.as_ref()], &indices)
        .map_err(internal)
}
