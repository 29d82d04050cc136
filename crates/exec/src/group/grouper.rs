//! Distinct tuples of values, numbered in the order they first appear.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Decimal128Array, Float32Array, Float64Array,
    Int32Array, Int64Array, PrimitiveArray, StringArray, StringViewArray, UInt32Array,
    cast::AsArray,
    types::{
        ArrowPrimitiveType, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type,
        TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    },
};
use arrow_schema::{DataType as ArrowType, TimeUnit as ArrowUnit};
use growler_schema::{DataType, data_type::DECIMAL_PRECISION};

use crate::{
    error::Error,
    group::{canonical::canonical, fixed::Fixed, pairs::Pairs, text::Text},
};

/// Numbers distinct tuples of single values; null is a value of its own, and so is NaN.
#[derive(Debug)]
pub struct Grouper {
    columns: Vec<Column>,
    /// One fewer than columns: each combines the tuple so far with the next column.
    pairs: Vec<Pairs>,
    scratch: Vec<u32>,
}

#[derive(Debug)]
struct Column {
    data_type: DataType,
    values: Values,
}

#[derive(Debug)]
enum Values {
    Int(Fixed<i32>),
    Long(Fixed<i64>),
    Decimal(Fixed<i128>),
    Boolean(Fixed<bool>),
    /// Bits of canonical floats.
    Float(Fixed<u32>),
    Double(Fixed<u64>),
    Text(Text),
}

impl Grouper {
    /// Makes a grouper of no tuples; without types it knows the one empty tuple.
    pub fn new(types: &[DataType]) -> Self {
        let columns = types
            .iter()
            .map(|&data_type| Column::new(data_type))
            .collect();
        let pairs = types.iter().skip(1).map(|_| Pairs::default()).collect();
        Self {
            columns,
            pairs,
            scratch: Vec::new(),
        }
    }

    /// Appends the number of each row's tuple. `keys` has one array a type, all of `row_count` rows.
    ///
    /// # Errors
    /// [`Error::Internal`] when an array is not of its type.
    pub fn intern(
        &mut self,
        keys: &[ArrayRef],
        row_count: usize,
        out: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let start = out.len();
        let mut columns = self.columns.iter_mut().zip(keys);
        match columns.next() {
            Some((column, array)) => column.intern(array, out)?,
            None => out.resize(start + row_count, 0),
        }
        for ((column, array), pairs) in columns.zip(&mut self.pairs) {
            self.scratch.clear();
            column.intern(array, &mut self.scratch)?;
            pairs.combine(out.get_mut(start..).unwrap_or_default(), &self.scratch);
        }
        Ok(())
    }

    /// Returns how many distinct tuples were seen.
    pub fn len(&self) -> usize {
        match (self.pairs.last(), self.columns.last()) {
            (Some(pairs), _) => pairs.pairs().len(),
            (None, Some(column)) => column.len(),
            (None, None) => 1,
        }
    }

    /// Tells whether no tuple was seen.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the distinct tuples in the order of their numbers, one array a type.
    ///
    /// # Errors
    /// [`Error::Internal`] on a broken invariant.
    pub fn keys(&self) -> Result<Vec<ArrayRef>, Error> {
        let distinct = self
            .columns
            .iter()
            .map(Column::keys)
            .collect::<Result<Vec<_>, _>>()?;
        if self.pairs.is_empty() {
            return Ok(distinct);
        }
        let mut arrays = Vec::with_capacity(distinct.len());
        // From the last column backwards: `left` holds the numbers of the tuple without it.
        let mut left: Vec<u32> = (0..u32::try_from(self.len()).unwrap_or(u32::MAX)).collect();
        for (column, pairs) in distinct.iter().skip(1).zip(&self.pairs).rev() {
            let both = |id: &u32| pairs.pairs().get(*id as usize).copied().unwrap_or_default();
            let (rest, right): (Vec<u32>, Vec<u32>) = left.iter().map(both).unzip();
            arrays.push(take(column, right)?);
            left = rest;
        }
        if let Some(first) = distinct.first() {
            arrays.push(take(first, left)?);
        }
        arrays.reverse();
        Ok(arrays)
    }

    /// Returns the bytes held.
    pub fn size_bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(Column::size_bytes).sum();
        columns + self.pairs.iter().map(Pairs::size_bytes).sum::<usize>()
    }
}

fn take(values: &ArrayRef, indices: Vec<u32>) -> Result<ArrayRef, Error> {
    let indices = UInt32Array::from(indices);
    arrow_select::take::take(values, &indices, None)
        .map_err(|error| Error::Internal(error.to_string()))
}

impl Column {
    fn new(data_type: DataType) -> Self {
        let values = match data_type {
            DataType::Int => Values::Int(Fixed::new()),
            DataType::Long | DataType::Timestamp { .. } => Values::Long(Fixed::new()),
            DataType::BigDecimal { .. } => Values::Decimal(Fixed::new()),
            DataType::Boolean => Values::Boolean(Fixed::new()),
            DataType::Float => Values::Float(Fixed::new()),
            DataType::Double => Values::Double(Fixed::new()),
            DataType::String
            | DataType::Json
            | DataType::Bytes
            | DataType::Uuid
            | DataType::Map
            | DataType::OpenStruct => Values::Text(Text::new()),
        };
        Self { data_type, values }
    }

    fn intern(&mut self, array: &ArrayRef, out: &mut Vec<u32>) -> Result<(), Error> {
        let array = canonical(array);
        match (&mut self.values, array.data_type()) {
            (Values::Int(ids), ArrowType::Int32) => fixed::<Int32Type>(ids, &array, out),
            (Values::Long(ids), ArrowType::Int64) => fixed::<Int64Type>(ids, &array, out),
            (Values::Long(ids), ArrowType::Timestamp(unit, _)) => match unit {
                ArrowUnit::Millisecond => fixed::<TimestampMillisecondType>(ids, &array, out),
                ArrowUnit::Microsecond => fixed::<TimestampMicrosecondType>(ids, &array, out),
                ArrowUnit::Nanosecond => fixed::<TimestampNanosecondType>(ids, &array, out),
                ArrowUnit::Second => return Err(self.mismatch(&array)),
            },
            (Values::Decimal(ids), ArrowType::Decimal128(..)) => {
                fixed::<Decimal128Type>(ids, &array, out);
            }
            (Values::Boolean(ids), ArrowType::Boolean) => {
                ids.ids(array.as_boolean().iter(), out);
            }
            (Values::Float(ids), ArrowType::Float32) => {
                let floats = array.as_primitive::<Float32Type>();
                ids.ids(floats.iter().map(|value| value.map(f32::to_bits)), out);
            }
            (Values::Double(ids), ArrowType::Float64) => {
                let floats = array.as_primitive::<Float64Type>();
                ids.ids(floats.iter().map(|value| value.map(f64::to_bits)), out);
            }
            (Values::Text(ids), _) => return text(ids, &array, out),
            _ => return Err(self.mismatch(&array)),
        }
        Ok(())
    }

    fn mismatch(&self, array: &ArrayRef) -> Error {
        let (expected, found) = (self.data_type.name(), array.data_type());
        Error::Internal(format!(
            "group key of another type: expected={expected} found={found}"
        ))
    }

    fn len(&self) -> usize {
        match &self.values {
            Values::Int(ids) => ids.keys().len(),
            Values::Long(ids) => ids.keys().len(),
            Values::Decimal(ids) => ids.keys().len(),
            Values::Boolean(ids) => ids.keys().len(),
            Values::Float(ids) => ids.keys().len(),
            Values::Double(ids) => ids.keys().len(),
            Values::Text(ids) => ids.len(),
        }
    }

    fn keys(&self) -> Result<ArrayRef, Error> {
        Ok(match &self.values {
            Values::Int(ids) => Arc::new(Int32Array::from(ids.keys().to_vec())),
            Values::Long(ids) => match self.data_type.arrow_type() {
                ArrowType::Timestamp(unit, _) => timestamps(unit, ids.keys()),
                _ => Arc::new(Int64Array::from(ids.keys().to_vec())),
            },
            Values::Decimal(ids) => {
                let DataType::BigDecimal { scale } = self.data_type else {
                    return Err(Error::Internal(
                        "decimal group key without a scale".to_owned(),
                    ));
                };
                let decimals = Decimal128Array::from(ids.keys().to_vec());
                let typed = decimals.with_precision_and_scale(DECIMAL_PRECISION, scale);
                Arc::new(typed.map_err(|error| Error::Internal(error.to_string()))?)
            }
            Values::Boolean(ids) => Arc::new(BooleanArray::from(ids.keys().to_vec())),
            Values::Float(ids) => Arc::new(Float32Array::from_iter(
                ids.keys().iter().map(|bits| bits.map(f32::from_bits)),
            )),
            Values::Double(ids) => Arc::new(Float64Array::from_iter(
                ids.keys().iter().map(|bits| bits.map(f64::from_bits)),
            )),
            Values::Text(ids) if self.data_type == DataType::Bytes => {
                Arc::new(BinaryViewArray::from_iter(ids.keys()))
            }
            // Only UTF-8 text was put in.
            Values::Text(ids) => Arc::new(StringViewArray::from_iter(
                ids.keys().map(|key| key.map(String::from_utf8_lossy)),
            )),
        })
    }

    fn size_bytes(&self) -> usize {
        match &self.values {
            Values::Int(ids) => ids.size_bytes(),
            Values::Long(ids) => ids.size_bytes(),
            Values::Decimal(ids) => ids.size_bytes(),
            Values::Boolean(ids) => ids.size_bytes(),
            Values::Float(ids) => ids.size_bytes(),
            Values::Double(ids) => ids.size_bytes(),
            Values::Text(ids) => ids.size_bytes(),
        }
    }
}

fn fixed<T: ArrowPrimitiveType>(ids: &mut Fixed<T::Native>, array: &ArrayRef, out: &mut Vec<u32>)
where
    T::Native: std::hash::Hash + Eq,
{
    let values = array.as_primitive::<T>();
    match values.null_count() {
        0 => ids.ids(values.values().iter().map(|&value| Some(value)), out),
        _ => ids.ids(values.iter(), out),
    }
}

fn text(ids: &mut Text, array: &ArrayRef, out: &mut Vec<u32>) -> Result<(), Error> {
    let unknown = || Error::Internal(format!("group key is no text: found={}", array.data_type()));
    match array.data_type() {
        ArrowType::Utf8View => {
            out.extend(
                array
                    .as_string_view()
                    .iter()
                    .map(|text| ids.id(text.map(str::as_bytes))),
            );
        }
        ArrowType::Utf8 => {
            out.extend(
                array
                    .as_string::<i32>()
                    .iter()
                    .map(|text| ids.id(text.map(str::as_bytes))),
            );
        }
        ArrowType::BinaryView => {
            out.extend(array.as_binary_view().iter().map(|bytes| ids.id(bytes)));
        }
        ArrowType::Dictionary(..) => {
            let array = array.as_dictionary_opt::<Int32Type>().ok_or_else(unknown)?;
            let values = array.values().as_any().downcast_ref::<StringArray>();
            ids.dictionary_ids(array, values.ok_or_else(unknown)?, out);
        }
        _ => return Err(unknown()),
    }
    Ok(())
}

fn timestamps(unit: ArrowUnit, keys: &[Option<i64>]) -> ArrayRef {
    let keys = keys.iter().copied();
    match unit {
        ArrowUnit::Microsecond => {
            Arc::new(PrimitiveArray::<TimestampMicrosecondType>::from_iter(keys))
        }
        ArrowUnit::Nanosecond => {
            Arc::new(PrimitiveArray::<TimestampNanosecondType>::from_iter(keys))
        }
        _ => Arc::new(PrimitiveArray::<TimestampMillisecondType>::from_iter(keys)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::DictionaryArray;

    fn check(types: &[DataType], batches: &[Vec<ArrayRef>], ids: &[u32]) -> Result<(), Error> {
        let mut grouper = Grouper::new(types);
        let mut found = Vec::new();
        for batch in batches {
            grouper.intern(
                batch,
                batch.first().map_or(0, |first| first.len()),
                &mut found,
            )?;
        }
        assert_eq!(found, ids, "{types:?}");
        // The distinct tuples, interned again in their order, are 0, 1, 2, ..
        let keys = grouper.keys()?;
        let mut again = Vec::new();
        Grouper::new(types).intern(&keys, grouper.len(), &mut again)?;
        assert_eq!(
            again,
            (0..u32::try_from(grouper.len()).unwrap()).collect::<Vec<_>>()
        );
        Ok(())
    }

    #[test]
    fn numbers_values_in_the_order_they_appear() -> Result<(), Error> {
        let ints: ArrayRef = Arc::new(Int32Array::from(vec![
            Some(7),
            None,
            Some(7),
            Some(i32::MIN),
        ]));
        check(&[DataType::Int], &[vec![ints.clone()]], &[0, 1, 0, 2])?;
        let doubles: ArrayRef = Arc::new(Float64Array::from(vec![0.0, -0.0, f64::NAN, -f64::NAN]));
        check(&[DataType::Double], &[vec![doubles]], &[0, 0, 1, 1])?;
        let texts: ArrayRef = Arc::new(StringViewArray::from(vec![
            Some("a"),
            None,
            Some("null"),
            Some(""),
        ]));
        check(
            &[DataType::String],
            &[vec![texts.clone()], vec![texts.clone()]],
            &[0, 1, 2, 3, 0, 1, 2, 3],
        )?;
        check(
            &[DataType::Int, DataType::String],
            &[vec![ints, texts]],
            &[0, 1, 2, 3],
        )
    }

    #[test]
    fn dictionaries_and_plain_text_share_their_numbers() -> Result<(), Error> {
        let first: DictionaryArray<Int32Type> =
            vec![Some("x"), Some("y"), None].into_iter().collect();
        let second: DictionaryArray<Int32Type> =
            vec![Some("y"), Some("z"), Some("x")].into_iter().collect();
        let plain: ArrayRef = Arc::new(StringViewArray::from(vec![Some("z"), None]));
        let batches = [
            vec![Arc::new(first) as ArrayRef],
            vec![Arc::new(second)],
            vec![plain],
        ];
        check(&[DataType::String], &batches, &[0, 1, 2, 1, 3, 0, 3, 2])
    }

    #[test]
    fn tuples_of_three_take_apart_again() -> Result<(), Error> {
        let column = |values: [i64; 4]| Arc::new(Int64Array::from(values.to_vec())) as ArrayRef;
        let batch = vec![
            column([1, 1, 2, 1]),
            column([5, 6, 5, 5]),
            column([9, 9, 9, 9]),
        ];
        check(&[DataType::Long; 3], &[batch], &[0, 1, 2, 0])
    }
}
