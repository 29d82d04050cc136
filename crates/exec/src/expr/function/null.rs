//! Functions that look at nulls; they see them in both modes.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, cast::AsArray, new_null_array};
use arrow_buffer::BooleanBuffer;
use growler_schema::DataType;

use super::{conditional::select, registry::Entry, unify};
use crate::{
    error::Error,
    expr::{
        InputBatch, KeyView,
        call::Call,
        node::{Node, Operator, internal},
    },
    sql::ast::Expr,
};

pub(super) const TABLE: &[Entry] = &[
    ("is_null", |call| is_null(call, true)),
    ("isnull", |call| is_null(call, true)),
    ("is_not_null", |call| is_null(call, false)),
    ("isnotnull", |call| is_null(call, false)),
    ("is_true", |call| is_truth(call, true, true)),
    ("istrue", |call| is_truth(call, true, true)),
    ("is_not_true", |call| is_truth(call, true, false)),
    ("isnottrue", |call| is_truth(call, true, false)),
    ("is_false", |call| is_truth(call, false, true)),
    ("isfalse", |call| is_truth(call, false, true)),
    ("is_not_false", |call| is_truth(call, false, false)),
    ("isnotfalse", |call| is_truth(call, false, false)),
    ("is_distinct_from", |call| distinct(call, true)),
    ("isdistinctfrom", |call| distinct(call, true)),
    ("is_not_distinct_from", |call| distinct(call, false)),
    ("isnotdistinctfrom", |call| distinct(call, false)),
    ("coalesce", coalesce),
    ("nullif", null_if),
];

fn is_null(call: &mut Call<'_, '_>, wanted: bool) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call
        .compiler
        .compile_with_nulls(call.arg(0)?, KeyView::Own)?;
    if let Some(value) = node.as_constant() {
        let verdict = value.is_none() == wanted;
        return Node::constant(Some(growler_schema::Value::Boolean(verdict)), boolean());
    }
    call.operator(IsNull { node, wanted }, boolean())
}

fn boolean() -> growler_schema::ColumnType {
    DataType::Boolean.single()
}

/// Whether a value is null, or is not.
#[derive(Debug)]
struct IsNull {
    node: Node,
    wanted: bool,
}

impl Operator for IsNull {
    fn evaluate(&self, batch: &InputBatch) -> Result<ArrayRef, Error> {
        let array = self.node.rows(batch)?;
        let present = match array.logical_nulls() {
            Some(nulls) => nulls.into_inner(),
            None => BooleanBuffer::new_set(array.len()),
        };
        let truth = if self.wanted { !&present } else { present };
        Ok(Arc::new(BooleanArray::new(truth, None)))
    }

    fn children(&self) -> Vec<&Node> {
        vec![&self.node]
    }
}

/// `IS [NOT] TRUE` and `IS [NOT] FALSE`: never null.
fn is_truth(call: &mut Call<'_, '_>, truth: bool, wanted: bool) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call
        .compiler
        .compile_with_nulls(call.arg(0)?, KeyView::Own)?;
    let node = call.cast(node, DataType::Boolean)?;
    call.operator(
        IsTruth {
            node,
            truth,
            wanted,
        },
        boolean(),
    )
}

#[derive(Debug)]
struct IsTruth {
    node: Node,
    truth: bool,
    wanted: bool,
}

impl Operator for IsTruth {
    fn evaluate(&self, batch: &InputBatch) -> Result<ArrayRef, Error> {
        let array = self.node.rows(batch)?;
        let array = array
            .as_boolean_opt()
            .ok_or_else(|| internal("not a boolean array"))?;
        let hits = BooleanBuffer::collect_bool(array.len(), |row| {
            (array.is_valid(row) && array.value(row) == self.truth) == self.wanted
        });
        Ok(Arc::new(BooleanArray::new(hits, None)))
    }

    fn children(&self) -> Vec<&Node> {
        vec![&self.node]
    }
}

/// `a IS [NOT] DISTINCT FROM b`: equality where null equals null.
fn distinct(call: &mut Call<'_, '_>, wanted: bool) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let (a, b) = (call.arg(0)?, call.arg(1)?);
    let left = call.compiler.compile_with_nulls(a, KeyView::Own)?;
    let right = call.compiler.compile_with_nulls(b, KeyView::Own)?;
    if left.is_null_literal() || right.is_null_literal() {
        let other = if left.is_null_literal() { right } else { left };
        return call.operator(
            IsNull {
                node: other,
                wanted: !wanted,
            },
            boolean(),
        );
    }
    let args = vec![a.clone(), b.clone()];
    let equals = Expr::Call {
        name: "equals".to_owned(),
        args,
    };
    let equal = call.compiler.compile_with_nulls(&equals, KeyView::Own)?;
    call.operator(
        Distinct {
            left,
            right,
            equal,
            wanted,
        },
        boolean(),
    )
}

#[derive(Debug)]
struct Distinct {
    left: Node,
    right: Node,
    equal: Node,
    wanted: bool,
}

impl Operator for Distinct {
    fn evaluate(&self, batch: &InputBatch) -> Result<ArrayRef, Error> {
        let nulls = |node: &Node| Ok::<_, Error>(node.rows(batch)?.logical_nulls());
        let (left, right) = (nulls(&self.left)?, nulls(&self.right)?);
        let equal = self.equal.rows(batch)?;
        let equal = equal
            .as_boolean_opt()
            .ok_or_else(|| internal("not a boolean array"))?;
        let is_null = |nulls: &Option<arrow_buffer::NullBuffer>, row| {
            nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
        };
        let truth = BooleanBuffer::collect_bool(batch.row_count, |row| {
            let same = match (is_null(&left, row), is_null(&right, row)) {
                (true, true) => true,
                (false, false) => equal.is_valid(row) && equal.value(row),
                _ => false,
            };
            same != self.wanted
        });
        Ok(Arc::new(BooleanArray::new(truth, None)))
    }

    fn children(&self) -> Vec<&Node> {
        vec![&self.left, &self.right, &self.equal]
    }
}

/// The first argument that is not null.
fn coalesce(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=usize::MAX)?;
    let mut nodes = Vec::new();
    for expr in call.args {
        nodes.push(call.compiler.compile_with_nulls(expr, call.view)?);
    }
    let to = match unify::common_type(call, &nodes) {
        Ok(to) => to,
        // Types that do not mix meet as text.
        Err(_) if nodes.iter().all(|node| !node.column_type.multi_value) => DataType::String,
        Err(error) => return Err(error),
    };
    let before = std::mem::replace(&mut call.compiler.null_handling, true);
    let cast = nodes
        .into_iter()
        .map(|node| call.cast(node, to))
        .collect::<Result<Vec<_>, _>>();
    call.compiler.null_handling = before;
    call.operator(
        Coalesce {
            nodes: cast?,
            column_type: to.single(),
        },
        to.single(),
    )
}

#[derive(Debug)]
struct Coalesce {
    nodes: Vec<Node>,
    column_type: growler_schema::ColumnType,
}

impl Operator for Coalesce {
    fn evaluate(&self, batch: &InputBatch) -> Result<ArrayRef, Error> {
        let mut result = new_null_array(&self.column_type.arrow_type(), batch.row_count);
        for node in &self.nodes {
            let Some(nulls) = result
                .logical_nulls()
                .filter(|nulls| nulls.null_count() > 0)
            else {
                break;
            };
            let missing = BooleanArray::new(!nulls.inner(), None);
            let keep = result;
            result = select(node, &missing, batch, keep)?;
        }
        Ok(result)
    }

    fn children(&self) -> Vec<&Node> {
        self.nodes.iter().collect()
    }
}

/// Null where both arguments are equal, else the first.
fn null_if(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(2..=2)?;
    let (a, b) = (call.arg(0)?, call.arg(1)?);
    let value = call.compiler.compile_with_nulls(a, call.view)?;
    if matches!(b, Expr::Literal(crate::sql::ast::Literal::Null)) {
        return Ok(value);
    }
    let args = vec![a.clone(), b.clone()];
    let equals = Expr::Call {
        name: "equals".to_owned(),
        args,
    };
    let equal = call.compiler.compile_with_nulls(&equals, KeyView::Own)?;
    let column_type = value.column_type;
    call.operator(NullIf { value, equal }, column_type)
}

#[derive(Debug)]
struct NullIf {
    value: Node,
    equal: Node,
}

impl Operator for NullIf {
    fn evaluate(&self, batch: &InputBatch) -> Result<ArrayRef, Error> {
        let value = self.value.plain_rows(batch)?;
        let equal = self.equal.rows(batch)?;
        let equal = equal
            .as_boolean_opt()
            .ok_or_else(|| internal("not a boolean array"))?;
        arrow::compute::nullif(&value, equal).map_err(internal)
    }

    fn children(&self) -> Vec<&Node> {
        vec![&self.value, &self.equal]
    }
}
