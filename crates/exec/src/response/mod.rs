//! Answers: a table of results, statistics, exceptions, and the forms they are written in.
//!
//! ```text
//! ResultTable ─ cell ─┬─ json   ── BrokerResponse (Pinot's HTTP answer), rows for the CLI
//!                     ├─ csv
//!                     ├─ text   aligned, for people
//!                     └─ arrow  IPC stream
//! ```
//! Cells are written straight from Arrow arrays; no value tree is built.

pub mod broker;
pub mod statistics;
pub mod table;

mod arrow_stream;
mod cell;
mod csv;
mod json;
mod text;
mod time_text;

pub use broker::{BrokerResponse, QueryException};
pub use statistics::QueryStatistics;
pub use table::ResultTable;
