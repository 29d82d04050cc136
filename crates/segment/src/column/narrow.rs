//! Values in a narrower type than the file has, where each of them fits.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use growler_schema::{DataType, SourceType};

use super::Refused;

/// Tells whether a type is the narrower form of a leaf's.
pub(super) fn narrows(source: &SourceType, target: DataType) -> bool {
    matches!(
        (source, target),
        (SourceType::Int64 | SourceType::UInt32, DataType::Int)
            | (SourceType::Float64, DataType::Float)
    )
}

/// Converts an array; a value that the narrower type does not hold exactly is an error.
pub(super) fn convert(array: &ArrayRef, target: DataType) -> Result<ArrayRef, Refused> {
    match target {
        DataType::Int => {
            let values = array.as_primitive::<Int64Type>();
            let narrow = |value: i64| i32::try_from(value).map_err(|_| outside(value, target));
            let narrowed: PrimitiveArray<Int32Type> = values.try_unary(narrow)?;
            Ok(Arc::new(narrowed))
        }
        DataType::Float => {
            let values = array.as_primitive::<Float64Type>();
            let narrowed: PrimitiveArray<Float32Type> = values.try_unary(|value: f64| {
                #[expect(clippy::cast_possible_truncation, reason = "checked by the way back")]
                let narrow = value as f32;
                let is_same = f64::from(narrow).to_bits() == value.to_bits() || value.is_nan();
                is_same
                    .then_some(narrow)
                    .ok_or_else(|| outside(value, target))
            })?;
            Ok(Arc::new(narrowed))
        }
        _ => Err(Refused::Internal(format!(
            "{} does not narrow to {}",
            array.data_type(),
            target.name()
        ))),
    }
}

fn outside(value: impl std::fmt::Display, target: DataType) -> Refused {
    let (wider, setting) = match target {
        DataType::Int => ("LONG", "schemaEvolution.typeWidening.enabled"),
        _ => ("DOUBLE", "schemaEvolution.floatWidening"),
    };
    let served = target.name();
    Refused::Narrow(format!(
        "a file has the column as {wider} with a value that {served}, as the table serves it, does \
         not hold: set {setting}=true to serve {wider}, or cast it at the source value={value}"
    ))
}
