//! SQL statements about tables.
//!
//! ```text
//! CREATE [EXTERNAL] TABLE [IF NOT EXISTS] [db.]t WITH (k = v, ...)
//! DROP [EXTERNAL] TABLE [IF EXISTS] [db.]t
//! SHOW TABLES [FROM db]
//! SHOW CREATE TABLE [db.]t
//! ```
//! Names and keys are bare or in double quotes, keys may have dots; a value is a text in single
//! quotes, TRUE, FALSE or an unsigned number. No columns are declared: a table has those of its
//! source. Tokens are those of queries (`exec::sql`); the grammar looks one token ahead and never
//! goes back.
//!
//! Rooms, in reading order: [`statement`] what was said; `parse` from text, over a `cursor`;
//! [`options`] options to settings and back; [`show`] a table back to text; [`error`].

mod cursor;
pub mod error;
pub mod options;
mod parse;
pub mod show;
pub mod statement;

pub use error::Error;
pub use parse::parse;
pub use show::show_create;
pub use statement::{CreateTable, OptionValue, Statement, TableName};
