//! `growler verify`: random queries on a table's own columns, keys and values, index against scan.
//!
//! ```text
//! rows at random places -> operands, literals -> queries -> with indexes
//!                                                      \-> without      -> the same?
//! ```
//! Rooms, in reading order: [`command`] the command; [`random`] numbers of a seed; [`sample`] what the
//! table has, [`inside`] its documents, too; [`predicate`] and [`question`] queries made of it; [`check`] one query both ways;
//! [`report`] what came of all.

mod check;
mod command;
mod inside;
mod predicate;
mod question;
mod random;
mod report;
mod sample;

pub use command::run;
