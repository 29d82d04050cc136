//! Where an expression's values come from.

use arrow_array::ArrayRef;
use growler_schema::{ColumnType, Value};
use growler_segment::InsidePath;

use crate::error::Error;

/// Where the compiler finds the columns and keys an expression names.
///
/// Each distinct request gets one slot: the position of its array in an [`InputBatch`].
pub trait Inputs {
    /// Finds a column. A VARIANT column gives its whole document as JSON text.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`] when the table does not have it.
    fn column(&mut self, name: &str) -> Result<Input, Error>;

    /// Finds a VARIANT key.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], or [`Error::Validation`] when the column is no OPEN_STRUCT.
    fn item(&mut self, column: &str, key: &str, view: KeyView) -> Result<Input, Error>;

    /// Finds what a path leads to inside of a VARIANT key, as JSON text; the text `null` where it leads
    /// nowhere. Where the view shows plain strings they come with [`UNWALKED`] before them, and so does
    /// the default. None when it is not to be had that way.
    ///
    /// [`UNWALKED`]: growler_segment::UNWALKED
    ///
    /// # Errors
    /// As [`Self::item`].
    fn inside(
        &mut self,
        column: &str,
        key: &str,
        view: KeyView,
        inside: &InsidePath,
    ) -> Result<Option<Input>, Error> {
        let _ = (column, key, view, inside);
        Ok(None)
    }
}

/// As what an expression wants to see a VARIANT key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyView {
    /// As the key's own type in this query.
    Own,
    /// As a number: the key's own type when that is numeric, else DOUBLE over the values that are
    /// numbers; all others are null.
    Number,
    /// As an exact number: like `Number`, but a text key reads as BIG_DECIMAL of this scale.
    ExactNumber {
        /// Digits behind the point.
        scale: i8,
    },
    /// As JSON text of the value, whatever its type (strings stay quoted).
    Json,
}

/// A slot an expression reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// Position in [`InputBatch::columns`].
    pub slot: usize,
    /// Type of the slot's arrays.
    pub column_type: ColumnType,
    /// What a null of it stands for when null handling is off.
    pub default_null: Value,
}

/// Arrays of all slots for the same rows.
#[derive(Debug, Clone)]
pub struct InputBatch {
    /// One array a slot; text may be `Utf8View` or `Dictionary(Int32, Utf8)`.
    pub columns: Vec<ArrayRef>,
    /// Rows in every array.
    pub row_count: usize,
}
