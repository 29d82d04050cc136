//! Plan trees to the rows of EXPLAIN.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, StringViewArray};
use growler_schema::DataType;

use super::node::{ExplainNode, PlanKind};
use crate::response::ResultTable;

/// Above the segments' plans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanShape {
    /// The first row, see [`super::broker_reduce`].
    pub broker_reduce: String,
    /// How the segments' results are merged, such as `COMBINE_SELECT`.
    pub combine: String,
}

/// Rows of EXPLAIN, and what the response counts about them.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// Columns `Operator`, `Operator_Id` and `Parent_Id`.
    pub table: ResultTable,
    /// Segments whose plan has an empty filter.
    pub num_empty_filter_segments: u64,
    /// Segments whose plan matches everything.
    pub num_match_all_filter_segments: u64,
}

/// Explains a query over segments, given one plan each in segment order.
///
/// Segments with equal plans make one group. `verbose` shows every group in the order of their
/// first segments; else the most telling one is shown, and among equals the one with most
/// operators.
pub fn explain(shape: &PlanShape, plans: &[ExplainNode], verbose: bool) -> Explanation {
    let groups = group(plans);
    let all_pruned = groups.iter().all(|group| group.kind == PlanKind::Pruned);
    let mut rows = Rows::default();
    rows.push(&shape.broker_reduce, 1, 0);
    let root_id = if all_pruned {
        2
    } else {
        rows.push(&shape.combine, 2, 1);
        3
    };
    let shown = if verbose {
        groups.iter().collect()
    } else {
        most_telling(&groups)
    };
    for group in shown {
        let start = format!("PLAN_START(numSegmentsForThisPlan:{})", group.segment_count);
        rows.push(&start, -1, -1);
        let mut next_id = root_id;
        rows.push_tree(group.plan, root_id - 1, &mut next_id);
    }
    let count = |kind| {
        let segments = groups.iter().filter(|group| group.kind == kind);
        segments.map(|group| group.segment_count).sum()
    };
    Explanation {
        table: rows.into_table(),
        num_empty_filter_segments: count(PlanKind::Empty),
        num_match_all_filter_segments: count(PlanKind::MatchAll),
    }
}

/// Explains a query that needs no table.
pub fn evaluate_only() -> Explanation {
    let mut rows = Rows::default();
    rows.push("BROKER_EVALUATE", 0, -1);
    Explanation {
        table: rows.into_table(),
        num_empty_filter_segments: 0,
        num_match_all_filter_segments: 0,
    }
}

struct Group<'p> {
    plan: &'p ExplainNode,
    kind: PlanKind,
    segment_count: u64,
}

fn group(plans: &[ExplainNode]) -> Vec<Group<'_>> {
    let mut positions = hashbrown::HashMap::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for plan in plans {
        let position = *positions.entry(plan).or_insert(groups.len());
        match groups.get_mut(position) {
            Some(group) => group.segment_count += 1,
            None => groups.push(Group {
                plan,
                kind: plan.kind(),
                segment_count: 1,
            }),
        }
    }
    groups
}

/// Returns the first group of the highest rank, if there is any.
fn most_telling<'g, 'p>(groups: &'g [Group<'p>]) -> Vec<&'g Group<'p>> {
    let rank = |group: &Group<'_>| (group.kind, group.plan.operator_count());
    let first = groups.iter().reduce(|best, group| {
        if rank(group) > rank(best) {
            group
        } else {
            best
        }
    });
    first.into_iter().collect()
}

#[derive(Default)]
struct Rows {
    operators: Vec<String>,
    ids: Vec<i32>,
    parents: Vec<i32>,
}

impl Rows {
    fn push(&mut self, operator: &str, id: i32, parent: i32) {
        self.operators.push(operator.to_owned());
        self.ids.push(id);
        self.parents.push(parent);
    }

    fn push_tree(&mut self, node: &ExplainNode, parent: i32, next_id: &mut i32) {
        let id = *next_id;
        *next_id = id.saturating_add(1);
        self.push(&node.text, id, parent);
        for child in &node.children {
            self.push_tree(child, id, next_id);
        }
    }

    fn into_table(self) -> ResultTable {
        let row_count = self.operators.len();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringViewArray::from_iter_values(&self.operators)),
            Arc::new(Int32Array::from(self.ids)),
            Arc::new(Int32Array::from(self.parents)),
        ];
        ResultTable {
            names: ["Operator", "Operator_Id", "Parent_Id"]
                .map(str::to_owned)
                .to_vec(),
            types: [DataType::String, DataType::Int, DataType::Int]
                .map(DataType::single)
                .to_vec(),
            columns,
            row_count,
        }
    }
}
