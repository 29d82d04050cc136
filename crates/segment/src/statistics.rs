//! What footer and page index prove about the rows of a source.

use growler_schema::Value;

/// Facts about the values of one source in one row group or page; an absent fact is unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// Rows, nulls included.
    pub row_count: usize,
    /// Rows that read as null.
    pub null_count: Option<u64>,
    /// No value is smaller; in the source's own type. Absent when there may be no value, or unknown.
    pub min: Option<Value>,
    /// No value is greater.
    pub max: Option<Value>,
    /// Whether `min` and `max` are themselves values, not just bounds.
    pub exact: bool,
    /// Whether values that compare with nothing (NaN) may be there beside `min` and `max`.
    pub may_have_nan: bool,
}

impl Statistics {
    /// Returns what is known without evidence.
    pub fn unknown(row_count: usize) -> Self {
        Self { row_count, null_count: None, min: None, max: None, exact: false, may_have_nan: true }
    }
}
