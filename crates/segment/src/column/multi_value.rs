//! Lists of primitives: multi-value columns.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, ListArray};
use arrow_schema::{DataType as ArrowType, Field};
use growler_schema::{DataType, SourceType};

use super::{Refused, plain};

/// Converts a list array; its elements convert as those of a single-value column do. An empty list
/// stays apart from a null one.
pub(super) fn convert(
    source: &SourceType,
    array: &ArrayRef,
    target: DataType,
) -> Result<ArrayRef, Refused> {
    let lists = array.as_any().downcast_ref::<ListArray>();
    let lists = lists.ok_or_else(|| Refused::Internal("list was not read as one".to_owned()))?;
    let mut values = plain::convert(source, lists.values(), target)?;
    if matches!(values.data_type(), ArrowType::Dictionary(..)) {
        values = plain::cast(&values, &target.arrow_type())?;
    }
    let item = Arc::new(Field::new_list_field(target.arrow_type(), true));
    let lists = ListArray::try_new(
        item,
        lists.offsets().clone(),
        values,
        lists.nulls().cloned(),
    );
    Ok(Arc::new(
        lists.map_err(|error| Refused::Internal(error.to_string()))?,
    ))
}
