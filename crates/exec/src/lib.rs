//! SQL over segments: parse, plan, prune, filter, aggregate, respond.

pub mod error;
pub mod expr;
pub mod sql;

pub use error::Error;
