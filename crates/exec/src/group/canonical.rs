//! Equal values made identical: one zero, one NaN.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, cast::AsArray, types::Float32Type, types::Float64Type};
use arrow_schema::DataType as ArrowType;

/// Replaces -0.0 by 0.0 and every NaN by the same NaN; other arrays come back as they are.
pub fn canonical(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        ArrowType::Float32 => {
            let floats = array.as_primitive::<Float32Type>();
            Arc::new(floats.unary::<_, Float32Type>(|value| {
                if value.is_nan() {
                    f32::NAN
                } else {
                    value + 0.0
                }
            }))
        }
        ArrowType::Float64 => Arc::new(
            array
                .as_primitive::<Float64Type>()
                .unary::<_, Float64Type>(canonical_f64),
        ),
        _ => Arc::clone(array),
    }
}

/// Replaces -0.0 by 0.0 and every NaN by the same NaN.
pub fn canonical_f64(value: f64) -> f64 {
    if value.is_nan() {
        f64::NAN
    } else {
        value + 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Float64Array;

    #[test]
    fn zeros_and_nans_become_identical() {
        let values = [0.0, -0.0, f64::NAN, -f64::NAN, 1.5];
        let array: ArrayRef = Arc::new(Float64Array::from_iter_values(values));
        let bits: Vec<u64> = canonical(&array)
            .as_primitive::<Float64Type>()
            .values()
            .iter()
            .map(|v| v.to_bits())
            .collect();
        assert_eq!((bits[0], bits[2]), (bits[1], bits[3]));
        assert_eq!(bits[4], 1.5f64.to_bits());
    }
}
