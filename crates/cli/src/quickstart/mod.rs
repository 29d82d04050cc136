//! `growler quickstart`: sample tables, example queries with right answers, and a server.
//!
//! Rooms: [`samples`] the files in the binary; [`questions`] the queries and what is right; [`ask`]
//! asking the engine; [`report`] telling; [`command`] one after the other.

mod ask;
mod command;
mod questions;
mod report;
mod samples;

pub use command::run;
pub use samples::Samples;
