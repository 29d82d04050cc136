//! SQL over segments: parse, plan, prune, filter, aggregate, respond.

pub mod error;
pub mod explain;
pub mod expr;
pub mod options;
pub mod response;
pub mod sql;

pub use error::Error;
