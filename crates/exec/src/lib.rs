//! SQL over segments: parse, plan, prune, filter, aggregate, respond.

pub mod aggregate;
pub mod engine;
pub mod error;
pub mod explain;
pub mod expr;
pub mod filter;
pub mod group;
pub mod options;
pub mod plan;
pub mod prune;
pub mod response;
pub mod run;
pub mod select;
pub mod sort;
pub mod sql;
pub mod table;

pub use engine::{Engine, EngineOptions, QueryOutcome, Request};
pub use error::Error;
pub use response::{BrokerResponse, QueryStatistics, ResultTable};
pub use table::{OpenError, View};
