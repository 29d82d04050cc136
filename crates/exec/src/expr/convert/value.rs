//! One value to an array and back.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Decimal128Array, Float32Array, Float64Array,
    Int32Array, Int64Array, StringViewArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray, cast::AsArray, new_null_array, types,
};
use growler_schema::{ColumnType, DataType, TimeUnit, Value, data_type::DECIMAL_PRECISION};

use super::decimal::Decimal;
use crate::error::Error;

/// Makes an array of one value, of exactly the type's Arrow type; none gives a null.
///
/// # Errors
/// [`Error::Internal`] when the value is not of the type.
pub(crate) fn single(value: Option<&Value>, column_type: ColumnType) -> Result<ArrayRef, Error> {
    let Some(value) = value else {
        return Ok(new_null_array(&column_type.arrow_type(), 1));
    };
    let array: ArrayRef = match (value, column_type.data_type) {
        (Value::Int(v), DataType::Int) => Arc::new(Int32Array::from(vec![*v])),
        (Value::Long(v), DataType::Long) => Arc::new(Int64Array::from(vec![*v])),
        (Value::Float(v), DataType::Float) => Arc::new(Float32Array::from(vec![*v])),
        (Value::Double(v), DataType::Double) => Arc::new(Float64Array::from(vec![*v])),
        (Value::BigDecimal(unscaled, from), DataType::BigDecimal { scale }) => {
            let number = Decimal {
                unscaled: *unscaled,
                scale: *from,
            };
            let unscaled = number
                .rescale_exact(scale)
                .ok_or_else(|| mismatch(value, column_type))?;
            decimals(vec![unscaled], scale)?
        }
        (Value::Boolean(v), DataType::Boolean) => Arc::new(BooleanArray::from(vec![*v])),
        (Value::Timestamp(count, from), DataType::Timestamp { unit }) => {
            let count = convert_units(*count, *from, unit);
            timestamps(
                vec![count.ok_or_else(|| mismatch(value, column_type))?],
                unit,
            )
        }
        (Value::String(v), t) if t.is_text() => Arc::new(StringViewArray::from(vec![v.as_str()])),
        (Value::Bytes(v), DataType::Bytes) => Arc::new(BinaryViewArray::from(vec![v.as_slice()])),
        _ => return Err(mismatch(value, column_type)),
    };
    Ok(array)
}

/// Reads one value of an array of the type's Arrow type (text may be a dictionary).
pub(crate) fn value_at(array: &ArrayRef, row: usize, data_type: DataType) -> Option<Value> {
    if array.is_null(row) {
        return None;
    }
    Some(match data_type {
        DataType::Int => Value::Int(array.as_primitive_opt::<types::Int32Type>()?.value(row)),
        DataType::Long => Value::Long(array.as_primitive_opt::<types::Int64Type>()?.value(row)),
        DataType::Float => Value::Float(array.as_primitive_opt::<types::Float32Type>()?.value(row)),
        DataType::Double => {
            Value::Double(array.as_primitive_opt::<types::Float64Type>()?.value(row))
        }
        DataType::BigDecimal { scale } => Value::BigDecimal(
            array
                .as_primitive_opt::<types::Decimal128Type>()?
                .value(row),
            scale,
        ),
        DataType::Boolean => Value::Boolean(array.as_boolean_opt()?.value(row)),
        DataType::Timestamp { unit } => Value::Timestamp(timestamp_values(array)?[row], unit),
        DataType::Bytes => Value::Bytes(array.as_binary_view_opt()?.value(row).to_vec()),
        _ => Value::String(array.as_string_view_opt()?.value(row).to_owned()),
    })
}

/// Returns the counts of a timestamp array of any unit.
pub(crate) fn timestamp_values(array: &ArrayRef) -> Option<&[i64]> {
    use types::{TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType};
    if let Some(array) = array.as_primitive_opt::<TimestampMillisecondType>() {
        return Some(array.values());
    }
    if let Some(array) = array.as_primitive_opt::<TimestampMicrosecondType>() {
        return Some(array.values());
    }
    array
        .as_primitive_opt::<TimestampNanosecondType>()
        .map(|array| array.values().as_ref())
}

/// Makes a timestamp array without nulls.
pub(crate) fn timestamps(counts: Vec<i64>, unit: TimeUnit) -> ArrayRef {
    match unit {
        TimeUnit::Millis => Arc::new(TimestampMillisecondArray::from(counts)),
        TimeUnit::Micros => Arc::new(TimestampMicrosecondArray::from(counts)),
        TimeUnit::Nanos => Arc::new(TimestampNanosecondArray::from(counts)),
    }
}

/// Makes a decimal array without nulls.
pub(crate) fn decimals(unscaled: Vec<i128>, scale: i8) -> Result<ArrayRef, Error> {
    let array = Decimal128Array::from(unscaled).with_precision_and_scale(DECIMAL_PRECISION, scale);
    Ok(Arc::new(
        array.map_err(|error| Error::Internal(error.to_string()))?,
    ))
}

/// Converts a count of units to another unit, rounded down; none when it does not fit.
pub(crate) fn convert_units(count: i64, from: TimeUnit, to: TimeUnit) -> Option<i64> {
    let (from, to) = (from.per_second(), to.per_second());
    if to >= from {
        count.checked_mul(to / from)
    } else {
        Some(count.div_euclid(from / to))
    }
}

/// Returns the value that stands for a computed null when null handling is off: 0, false, `null`.
pub(crate) fn placeholder(data_type: DataType) -> Value {
    match data_type {
        DataType::Int => Value::Int(0),
        DataType::Long => Value::Long(0),
        DataType::Float => Value::Float(0.0),
        DataType::Double => Value::Double(0.0),
        other => Value::default_null(other),
    }
}

fn mismatch(value: &Value, column_type: ColumnType) -> Error {
    Error::Internal(format!(
        "value is not of its type: value={value:?} type={}",
        column_type.name()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_an_array() -> Result<(), Error> {
        let values = [
            (Value::Int(-1), DataType::Int),
            (Value::Long(i64::MIN), DataType::Long),
            (Value::Float(0.5), DataType::Float),
            (Value::Double(-0.5), DataType::Double),
            (Value::BigDecimal(125, 2), DataType::BigDecimal { scale: 2 }),
            (Value::Boolean(true), DataType::Boolean),
            (
                Value::Timestamp(7, TimeUnit::Micros),
                DataType::Timestamp {
                    unit: TimeUnit::Micros,
                },
            ),
            (Value::String("ab".to_owned()), DataType::Json),
            (Value::Bytes(vec![1, 2]), DataType::Bytes),
        ];
        for (value, data_type) in values {
            let array = single(Some(&value), data_type.single())?;
            assert_eq!(array.data_type(), &data_type.arrow_type());
            assert_eq!(value_at(&array, 0, data_type), Some(value));
            assert_eq!(
                value_at(&single(None, data_type.single())?, 0, data_type),
                None
            );
        }
        assert!(single(Some(&Value::Int(1)), DataType::Long.single()).is_err());
        Ok(())
    }
}
