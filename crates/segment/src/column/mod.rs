//! Arrays as the file has them to arrays of the engine's types.
//!
//! [`plain`] primitive columns, first to their own column type and then to the one the table has;
//! [`narrow`] types narrower than the file's; [`multi_value`] lists of these; [`inner`] one field of
//! structs; [`cells`] single values as text; [`nested`] everything else, as JSON text. Variant columns are read by the variant crate.

use arrow_array::ArrayRef;
use growler_schema::{ColumnType, DataType, SourceType};

use crate::schema::Shape;

mod cells;
pub(crate) mod inner;
mod multi_value;
mod narrow;
mod nested;
pub(crate) mod plain;

pub(crate) use cells::Cells;
pub(crate) use nested::Target;

/// Why an array was not converted.
#[derive(Debug)]
pub(crate) enum Refused {
    /// A variant's own reason, with the row in the array.
    Variant(growler_variant::Error),
    /// A value that has no counterpart in the type asked for, or bytes that break their type.
    Value(String),
    /// A sound value that the type which the table serves does not hold, and what to do.
    Narrow(String),
    /// The result is too large.
    Limit(String),
    /// The reader returned something else than the schema promised.
    Internal(String),
}

impl Refused {
    /// Returns the reason as text.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Variant(error) => error.to_string(),
            Self::Value(cause)
            | Self::Narrow(cause)
            | Self::Limit(cause)
            | Self::Internal(cause) => cause.clone(),
        }
    }

    /// Names the row of the column, where the reason named one of a nested array.
    fn in_row(self, row: usize) -> Self {
        match self {
            Self::Variant(growler_variant::Error::Contradiction { .. }) => {
                Self::Variant(growler_variant::Error::Contradiction { row })
            }
            other => other,
        }
    }
}

/// Checks that a column converts to a type at all.
///
/// A table may serve a column in a narrower type than some of its files have; each value is checked.
pub(crate) fn check(shape: &Shape, target: ColumnType, narrows: bool) -> Result<(), String> {
    let source = shape.source_type();
    let own = source.column_type().map_err(|error| error.to_string())?;
    let converts = |source: &SourceType| {
        plain::converts(source, target.data_type)
            || narrows && narrow::narrows(source, target.data_type)
    };
    let fits = match shape {
        Shape::Leaf(source) if !target.multi_value => converts(source),
        Shape::List(element) if target.multi_value => match element.as_ref() {
            Shape::Leaf(source) => converts(source),
            _ => false,
        },
        _ => !target.multi_value && is_json(target.data_type),
    };
    if fits {
        return Ok(());
    }
    Err(format!(
        "type {source} ({}) does not convert: to={}",
        own.name(),
        target.name()
    ))
}

/// Converts an array of a column. Also returns how many rows hold variant bytes that do not decode.
pub(crate) fn convert(
    shape: &Shape,
    array: &ArrayRef,
    target: ColumnType,
    nested: Option<Target<'_>>,
) -> Result<(ArrayRef, u64), Refused> {
    if let Some(within) = nested.filter(Target::is_within) {
        return inner::convert(shape, array, target, within).map(|array| (array, 0));
    }
    match shape {
        Shape::Leaf(source) if !target.multi_value => {
            plain::convert(source, array, target.data_type).map(|array| (array, 0))
        }
        Shape::List(element) if target.multi_value => match element.as_ref() {
            Shape::Leaf(source) => {
                multi_value::convert(source, array, target.data_type).map(|array| (array, 0))
            }
            _ => Err(Refused::Internal(
                "list of lists bound as multi-value".to_owned(),
            )),
        },
        other => nested::json(other, array, nested),
    }
}

fn is_json(data_type: DataType) -> bool {
    matches!(data_type, DataType::Json | DataType::String | DataType::Map)
}
