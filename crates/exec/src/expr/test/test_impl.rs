//! Placeholder.

use arrow_array::ArrayRef;
use arrow_buffer::BooleanBuffer;
use growler_schema::{ColumnType, Value};

use crate::{error::Error, expr::KeyView, sql::ast::Literal};

/// A predicate over one value: `value OP literals`.
#[derive(Debug, Clone)]
pub struct Test {}

impl Test {
    /// Compiles `subject OP literals` for values of a type.
    ///
    /// `name` is the operator's canonical name: `equals not_equals less_than less_than_or_equal
    /// greater_than greater_than_or_equal between in not_in like not_like regexp_like`; `subject`
    /// is the left side's text, for messages.
    ///
    /// # Errors
    /// [`Error::Validation`] when a literal cannot be converted to the type, or the pattern is bad.
    pub fn compile(
        name: &str,
        literals: &[Literal],
        column_type: ColumnType,
        subject: &str,
    ) -> Result<Self, Error> {
        let _ = (name, literals, column_type, subject);
        Err(Error::Internal("tests are not compiled yet".to_owned()))
    }

    /// Returns the verdict when it is the same for every value.
    pub fn verdict(&self) -> Option<bool> {
        None
    }

    /// Evaluates the test for every value; null slots are false.
    ///
    /// # Errors
    /// [`Error::Internal`] when the array is not of the type the test was compiled for.
    pub fn evaluate(&self, array: &ArrayRef) -> Result<BooleanBuffer, Error> {
        let _ = array;
        Err(Error::Internal("tests are not evaluated yet".to_owned()))
    }

    /// Tells whether one value passes (defaults, statistics).
    pub fn matches(&self, value: &Value) -> bool {
        let _ = value;
        true
    }

    /// Tells whether a value between two bounds (inclusive, either may be unknown) could pass.
    pub fn may_match(&self, min: Option<&Value>, max: Option<&Value>) -> bool {
        let _ = (min, max);
        true
    }
}

/// Returns as what a VARIANT key is read for `key OP literals`.
pub fn key_view(name: &str, literals: &[Literal]) -> KeyView {
    let _ = (name, literals);
    KeyView::Own
}
