//! SQL over segments: parse, plan, prune, filter, aggregate, respond.
//!
//! A library first: the server and the command line are two users of it. No HTTP, no catalog and no
//! object store is known here. Nothing is written but the files of indexes that [`reload`] makes.
//!
//! ```text
//! SQL -> sql::parse -> Query -> plan::Plan (slots, filter, groups)        one view, pinned
//!     per row group, in parallel on the pool of the Engine:
//!         prune (statistics) -> filter -> trues -> project only these rows
//!         -> rows | top rows | groups                                     a partial result
//!     partial results folded in row order -> HAVING, ORDER BY, LIMIT -> ResultTable
//! ```
//! Rooms, in reading order: [`engine`] the way in; [`table`] files to a view; [`sql`] text to a query;
//! [`options`] what comes with it; [`expr`] expressions on batches; [`plan`] query to plan; [`prune`]
//! what statistics prove; [`filter`] which rows; [`group`] and [`aggregate`], [`sort`], [`select`] what
//! is made of them; [`run`] all of it within limits; [`explain`] the plan shown; [`response`] the
//! answer; [`reload`] the indexes a table wants, built.
//!
//! Invariants: no answer depends on threads, batches, row groups, pages, files or shredding; every way
//! to evaluate a predicate gives the same rows; every state that grows is charged to the query's
//! memory budget; a failure of one query harms no other.

pub mod aggregate;
pub mod engine;
pub mod error;
pub mod explain;
pub mod expr;
pub mod filter;
pub mod group;
pub mod lookup;
pub mod options;
pub mod plan;
pub mod prune;
pub mod reload;
pub mod response;
pub mod run;
pub mod select;
pub mod sort;
pub mod sql;
pub mod table;

pub use engine::{Engine, EngineOptions, QueryOutcome, Request};
pub use error::Error;
pub use response::{BrokerResponse, QueryStatistics, ResultTable};
pub use run::{CancelFlag, Progress};
pub use table::{OpenError, View};
