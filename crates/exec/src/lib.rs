//! SQL over segments: parse, plan, prune, filter, aggregate, respond.

pub mod aggregate;
pub mod error;
pub mod expr;
pub mod group;
pub mod plan;
pub mod run;
pub mod sql;

pub use error::Error;
