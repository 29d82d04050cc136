//! `growler query`: one query, one answer.
//!
//! Rooms: [`declared`] what a table config or schema file says; [`open`] tables into an engine;
//! [`command`] the query itself; [`progress`] while it runs; [`output`] its answer, or its
//! [`plan`]; [`hint`] what went wrong and what to do about it.

mod command;
mod declared;
pub mod hint;
mod open;
mod output;
mod plan;
mod progress;

pub use command::run;
pub use declared::Declared;
pub use open::Tables;
