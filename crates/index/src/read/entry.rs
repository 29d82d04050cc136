//! What a directory tells.

use std::sync::Arc;

use growler_schema::DataType;

use crate::{Kind, Subject};

/// One index in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is of.
    pub subject: Subject,
    /// Its kind.
    pub kind: Kind,
    /// Type of the values it was built over.
    pub data_type: DataType,
    /// Bytes it takes.
    pub len_bytes: u64,
    /// Distinct values in the subject's dictionary; none without one.
    pub distinct_count: Option<u32>,
    /// Rows without a value; none when that was not recorded.
    pub null_count: Option<u32>,
    /// Rows of the segment.
    pub row_count: u32,
}

/// What was indexed of the keys of a VARIANT column that no file column types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remainder {
    /// Column, by its name in the table.
    pub column: Arc<str>,
    /// Whether every such key of the segment is in the file: one that is not there has no row.
    pub complete: bool,
    /// How many such keys the file has.
    pub key_count: u32,
}
