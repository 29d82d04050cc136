//! `growler index`: the indexes that a table config asks for, built beside the files or in a folder.
//!
//! Rooms: [`command`] the command; [`build`] all segments, some at a time; [`mod@progress`] while they are
//! built; [`lines`] and [`report`] what is there in the end.

mod build;
mod command;
mod lines;
mod progress;
mod report;

pub use build::Build;
pub use command::run;
