//! SQL over segments: parse, plan, prune, filter, aggregate, respond.

pub mod aggregate;
pub mod error;
pub mod explain;
pub mod expr;
pub mod group;
pub mod plan;
pub mod run;
pub mod options;
pub mod response;
pub mod sql;

pub use error::Error;
