//! A file as one of an Iceberg table: columns by identity, and values that the table knows for it.
//!
//! A lone file has the names and types that are in it. In a table the identities count, at every
//! level of nesting: what is not in the file has the constant of its partition, else the column's
//! initial default, else it is null. Names count in files without identities only, and only those of
//! the table's name mapping.
//! Rooms: [`columns`] the columns of the table; [`mod@file`] what is known for one file, and where its
//! columns are; [`fill`] values in place of what the file lacks; `shape` what values depend on.

pub mod columns;
pub mod file;
pub mod fill;
mod shape;

pub use columns::{Node, NodeKind, TableColumns};
pub use file::TableFile;
pub use fill::Fill;
