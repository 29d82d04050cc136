//! Typed leaves that are the result as they are.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, BooleanArray, DictionaryArray, PrimitiveArray};
use arrow_schema::{DataType as ArrowType, TimeUnit as ArrowUnit};

use super::KeyOutput;
use super::rows::Rows;

/// Returns a leaf's own array as the result, if it is of the type asked for; no row is looked at.
/// `rows` are those of its valid rows that count.
pub(super) fn hand_on(array: &ArrayRef, rows: &Rows, output: KeyOutput) -> Option<ArrayRef> {
    if output.is_json() {
        return None;
    }
    let wanted = output.data_type().arrow_type();
    match (array.data_type(), &wanted) {
        (ArrowType::Decimal128(_, scale), ArrowType::Decimal128(_, same)) if scale == same => {
            primitive::<Decimal128Type>(array, rows, wanted)
        }
        (ArrowType::Timestamp(unit, _), ArrowType::Timestamp(same, _)) if unit == same => {
            match unit {
                ArrowUnit::Microsecond => {
                    primitive::<TimestampMicrosecondType>(array, rows, wanted)
                }
                ArrowUnit::Nanosecond => primitive::<TimestampNanosecondType>(array, rows, wanted),
                _ => None,
            }
        }
        (ArrowType::Int32, ArrowType::Int32) => primitive::<Int32Type>(array, rows, wanted),
        (ArrowType::Int64, ArrowType::Int64) => primitive::<Int64Type>(array, rows, wanted),
        (ArrowType::Float32, ArrowType::Float32) => primitive::<Float32Type>(array, rows, wanted),
        (ArrowType::Float64, ArrowType::Float64) => primitive::<Float64Type>(array, rows, wanted),
        (ArrowType::Boolean, ArrowType::Boolean) => boolean(array, rows),
        (ArrowType::Dictionary(_, value), ArrowType::Utf8View) if **value == ArrowType::Utf8 => {
            dictionary(array, rows)
        }
        (found, wanted) if found == wanted => is_same(array, rows).then(|| Arc::clone(array)),
        _ => None,
    }
}

/// Tells whether the array's own nulls leave just these rows; else a group above is null in some
/// row where the leaf is not, which a Parquet reader does not make.
fn is_same(array: &ArrayRef, rows: &Rows) -> bool {
    array.len().checked_sub(array.null_count()) == Some(rows.count())
}

fn primitive<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    rows: &Rows,
    wanted: ArrowType,
) -> Option<ArrayRef> {
    if is_same(array, rows) && *array.data_type() == wanted {
        return Some(Arc::clone(array));
    }
    let values = array.as_primitive_opt::<T>()?.values().clone();
    let array = PrimitiveArray::<T>::try_new(values, rows.validity().cloned()).ok()?;
    Some(Arc::new(array.with_data_type(wanted)))
}

fn boolean(array: &ArrayRef, rows: &Rows) -> Option<ArrayRef> {
    if is_same(array, rows) {
        return Some(Arc::clone(array));
    }
    let values = array.as_boolean_opt()?.values().clone();
    Some(Arc::new(BooleanArray::new(
        values,
        rows.validity().cloned(),
    )))
}

fn dictionary(array: &ArrayRef, rows: &Rows) -> Option<ArrayRef> {
    if is_same(array, rows) {
        return array
            .as_dictionary_opt::<Int32Type>()
            .map(|_| Arc::clone(array));
    }
    let dictionary = array.as_dictionary_opt::<Int32Type>()?;
    let keys = dictionary.keys().values().clone();
    let keys = PrimitiveArray::<Int32Type>::try_new(keys, rows.validity().cloned()).ok()?;
    let array = DictionaryArray::try_new(keys, Arc::clone(dictionary.values())).ok()?;
    Some(Arc::new(array))
}
