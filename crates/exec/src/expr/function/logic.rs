//! AND, OR and NOT, three-valued.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, cast::AsArray};
use growler_schema::DataType;

use super::registry::Entry;
use crate::{
    error::Error,
    expr::{
        InputBatch, KeyView,
        call::Call,
        node::{Node, Operator, internal},
    },
};

pub(super) const TABLE: &[Entry] = &[
    ("and", |call| nary(call, true)),
    ("or", |call| nary(call, false)),
    ("not", not),
];

fn nary(call: &mut Call<'_, '_>, all: bool) -> Result<Node, Error> {
    call.arity(1..=usize::MAX)?;
    let mut nodes = Vec::new();
    for idx in 0..call.args.len() {
        nodes.push(call.typed(idx, KeyView::Own, DataType::Boolean)?);
    }
    call.operator(Junction { nodes, all }, DataType::Boolean.single())
}

fn not(call: &mut Call<'_, '_>) -> Result<Node, Error> {
    call.arity(1..=1)?;
    let node = call.typed(0, KeyView::Own, DataType::Boolean)?;
    call.strict(vec![node], DataType::Boolean.single(), |args| {
        let array = args.array(0)?;
        Ok(Arc::new(
            arrow::compute::not(array.as_boolean()).map_err(internal)?,
        ))
    })
}

/// A conjunction or disjunction.
#[derive(Debug)]
struct Junction {
    nodes: Vec<Node>,
    all: bool,
}

impl Operator for Junction {
    fn evaluate(&self, batch: &InputBatch) -> Result<ArrayRef, Error> {
        let mut result: Option<BooleanArray> = None;
        for node in &self.nodes {
            let next = node.rows(batch)?;
            let next = next
                .as_boolean_opt()
                .ok_or_else(|| internal("not a boolean array"))?;
            let joined = match &result {
                None => next.clone(),
                Some(have) if self.all => {
                    arrow::compute::and_kleene(have, next).map_err(internal)?
                }
                Some(have) => arrow::compute::or_kleene(have, next).map_err(internal)?,
            };
            let decided = if self.all {
                joined.false_count()
            } else {
                joined.true_count()
            };
            let done = decided == joined.len();
            result = Some(joined);
            if done {
                break;
            }
        }
        Ok(Arc::new(
            result.ok_or_else(|| internal("a junction of nothing"))?,
        ))
    }

    fn children(&self) -> Vec<&Node> {
        self.nodes.iter().collect()
    }
}
