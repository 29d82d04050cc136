//! Nulls replaced by what they stand for when null handling is off.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Int32Array, ListArray, Scalar, StringArray,
    builder::StringBuilder, cast::AsArray, types::Int32Type,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType as ArrowType, Field as ArrowField};
use arrow_select::zip::zip;
use growler_schema::Value;
use growler_segment::table::fill;

use crate::error::Error;

/// Returns the array with `default` in place of every null; a list that is null becomes a list of
/// just the default. The array comes back as it is when it has no null.
///
/// # Errors
/// [`Error::Internal`] when the default is of another type than the array.
pub fn fill_nulls(array: &ArrayRef, default: &Value) -> Result<ArrayRef, Error> {
    if array.null_count() == 0 {
        return Ok(Arc::clone(array));
    }
    match array.data_type() {
        ArrowType::Dictionary(..) => fill_dictionary(array, default),
        ArrowType::List(_) => {
            let item = single(default)?;
            let field = Arc::new(ArrowField::new_list_field(item.data_type().clone(), true));
            let one = OffsetBuffer::from_lengths([1]);
            let list = ListArray::try_new(field, one, item, None).map_err(internal)?;
            fill_with(array, Arc::new(list))
        }
        _ => fill_with(array, single(default)?),
    }
}

/// Returns an array of one value.
///
/// # Errors
/// [`Error::Internal`] for a decimal that does not fit its scale.
pub fn single(value: &Value) -> Result<ArrayRef, Error> {
    fill::array_of(value).map_err(internal)
}

/// Returns an array of `row_count` equal texts, as a dictionary of one entry.
pub fn constant_text(text: &str, row_count: usize) -> ArrayRef {
    let keys = Int32Array::from(vec![0; row_count]);
    Arc::new(DictionaryArray::new(
        keys,
        Arc::new(StringArray::from(vec![text])),
    ))
}

fn fill_with(array: &ArrayRef, default: ArrayRef) -> Result<ArrayRef, Error> {
    let Some(nulls) = array.nulls() else {
        return Ok(Arc::clone(array));
    };
    let valid = BooleanArray::new(nulls.inner().clone(), None);
    zip(&valid, array, &Scalar::new(default)).map_err(internal)
}

/// Appends the default to the dictionary and points the nulls at it.
fn fill_dictionary(array: &ArrayRef, default: &Value) -> Result<ArrayRef, Error> {
    let other = || Error::Internal(format!("no text dictionary: found={}", array.data_type()));
    let Value::String(default) = default else {
        return Err(other());
    };
    let keyed = array.as_dictionary_opt::<Int32Type>().ok_or_else(other)?;
    let values = keyed.values().as_string_opt::<i32>().ok_or_else(other)?;
    let mut texts = StringBuilder::with_capacity(values.len() + 1, values.value_data().len());
    values
        .iter()
        .for_each(|text| texts.append_value(text.unwrap_or(default)));
    texts.append_value(default);
    let last = i32::try_from(values.len()).map_err(|_| other())?;
    let keys: Int32Array = keyed
        .keys()
        .iter()
        .map(|key| key.unwrap_or(last))
        .map(Some)
        .collect();
    let filled = DictionaryArray::try_new(keys, Arc::new(texts.finish())).map_err(internal)?;
    Ok(Arc::new(filled))
}

fn internal(error: arrow_schema::ArrowError) -> Error {
    Error::Internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::StringViewArray;
    use arrow_cast::display::array_value_to_string;

    fn check(array: ArrayRef, default: Value, expected: &[&str]) -> Result<(), Error> {
        let filled = fill_nulls(&array, &default)?;
        assert_eq!(
            (filled.data_type(), filled.null_count()),
            (array.data_type(), 0)
        );
        let texts = (0..filled.len()).map(|row| array_value_to_string(&filled, row).unwrap());
        assert_eq!(texts.collect::<Vec<_>>(), expected);
        Ok(())
    }

    #[test]
    fn nulls_become_the_default() -> Result<(), Error> {
        let ints = Int32Array::from(vec![Some(1), None]);
        check(Arc::new(ints), Value::Int(i32::MIN), &["1", "-2147483648"])?;
        let texts = StringViewArray::from(vec![None, Some("a longer text than inlined")]);
        let expected = ["null", "a longer text than inlined"];
        check(Arc::new(texts), Value::String("null".to_owned()), &expected)?;
        let keyed: DictionaryArray<Int32Type> =
            vec![Some("x"), None, Some("x")].into_iter().collect();
        check(
            Arc::new(keyed),
            Value::String("null".to_owned()),
            &["x", "null", "x"],
        )?;
        let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)]), None]);
        check(Arc::new(lists), Value::Int(0), &["[1]", "[0]"])
    }
}
