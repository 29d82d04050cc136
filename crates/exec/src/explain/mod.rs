//! EXPLAIN PLAN FOR: plan trees to Pinot's rows.
//!
//! ```text
//! BROKER_REDUCE(..)                      1  0    broker.rs, from the query
//! COMBINE_..                             2  1    named by the engine
//! PLAN_START(numSegmentsForThisPlan:n)  -1 -1    rows.rs: segments with equal trees are one group
//! operators of one segment              from 3   node.rs, built by the engine
//! ```

pub mod broker;
pub mod node;
pub mod rows;

pub use broker::broker_reduce;
pub use node::{ExplainNode, PlanKind};
pub use rows::{Explanation, PlanShape, evaluate_only, explain};
