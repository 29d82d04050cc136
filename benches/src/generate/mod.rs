//! Tables from a seed: the same rows as Parquet files in several layouts.
//!
//! [`layout`] how the document is kept; [`batch`] rows as arrays; `plain` the values as plain columns;
//! [`files`] a whole table, some files at a time, in memory that does not grow with its rows.

pub mod layout;

pub mod batch;
mod plain;

pub mod files;

pub use batch::Table;
pub use files::{Generation, generate};
pub use layout::Layout;
