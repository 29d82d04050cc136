//! Arrow arrays to variants: a column of any type becomes the value of each of its rows.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type,
    Decimal64Type, Decimal128Type, DecimalType, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{DataType as ArrowType, TimeUnit};

use super::column::{ColumnBuilder, Dictionary};
use super::encoder::Encoder;
use crate::value::TimestampUnit;
use crate::{Error, Node};

const DAY_MILLIS: i64 = 86_400_000;

/// What becomes of a null field of a struct, and of a null value of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NullFields {
    /// A field that is null.
    Keep,
    /// No field.
    Omit,
}

/// Turns each row of an array into a variant; a null row becomes SQL NULL.
///
/// Integers, floats and texts keep their width; unsigned ones take the next wider type, 64 bits of
/// them a decimal. Structs and maps with text keys become objects, lists of any kind become lists.
///
/// # Errors
/// `Unsupported` for a type that no variant type stands for, `Corrupt` for a value outside of its
/// variant type, `LimitExceeded` for depth and length.
pub fn encode_array(
    array: &dyn Array,
    dictionary: Dictionary,
    null_fields: NullFields,
) -> Result<StructArray, Error> {
    let mut column = ColumnBuilder::new(dictionary);
    for row in 0..array.len() {
        if array.is_null(row) {
            column.push_null()?;
        } else {
            column.push(|encoder| put_row(array, row, null_fields, encoder))?;
        }
    }
    column.finish()
}

/// Writes one row of an array as the next value of an encoder; a null as variant null.
///
/// # Errors
/// As [`encode_array`].
pub fn put_row(
    array: &dyn Array,
    row: usize,
    null_fields: NullFields,
    out: &mut Encoder<'_>,
) -> Result<(), Error> {
    if array.is_null(row) {
        return out.scalar(&Node::Null);
    }
    match array.data_type() {
        ArrowType::Struct(_) => put_struct(array, row, null_fields, out),
        ArrowType::Map(..) => put_map(array, row, null_fields, out),
        ArrowType::List(_)
        | ArrowType::LargeList(_)
        | ArrowType::ListView(_)
        | ArrowType::LargeListView(_)
        | ArrowType::FixedSizeList(..) => put_list(array, row, null_fields, out),
        ArrowType::Dictionary(key, _) => match key.as_ref() {
            ArrowType::Int8 => put_entry::<Int8Type>(array, row, null_fields, out),
            ArrowType::Int16 => put_entry::<Int16Type>(array, row, null_fields, out),
            ArrowType::Int32 => put_entry::<Int32Type>(array, row, null_fields, out),
            ArrowType::Int64 => put_entry::<Int64Type>(array, row, null_fields, out),
            ArrowType::UInt8 => put_entry::<UInt8Type>(array, row, null_fields, out),
            ArrowType::UInt16 => put_entry::<UInt16Type>(array, row, null_fields, out),
            ArrowType::UInt32 => put_entry::<UInt32Type>(array, row, null_fields, out),
            _ => put_entry::<UInt64Type>(array, row, null_fields, out),
        },
        _ => out.scalar(&scalar(array, row)?),
    }
}

fn put_struct(
    array: &dyn Array,
    row: usize,
    null_fields: NullFields,
    out: &mut Encoder<'_>,
) -> Result<(), Error> {
    let group = array.as_struct_opt().ok_or_else(|| no_variant(array))?;
    out.begin_object()?;
    for (field, child) in group.fields().iter().zip(group.columns()) {
        put_field(field.name(), child, row, null_fields, out)?;
    }
    out.end()
}

fn put_map(
    array: &dyn Array,
    row: usize,
    null_fields: NullFields,
    out: &mut Encoder<'_>,
) -> Result<(), Error> {
    let entries = array
        .as_map_opt()
        .ok_or_else(|| no_variant(array))?
        .value(row);
    let (Some(keys), Some(values)) = (entries.columns().first(), entries.columns().get(1)) else {
        return Err(no_variant(array));
    };
    out.begin_object()?;
    for entry in 0..entries.len() {
        match scalar(keys, entry)? {
            Node::String(key) => put_field(key, values, entry, null_fields, out)?,
            _ => return Err(no_variant(array)),
        }
    }
    out.end()
}

fn put_field(
    name: &str,
    values: &ArrayRef,
    row: usize,
    null_fields: NullFields,
    out: &mut Encoder<'_>,
) -> Result<(), Error> {
    if null_fields == NullFields::Omit && values.is_null(row) {
        return Ok(());
    }
    out.key(name)?;
    put_row(values, row, null_fields, out)
}

fn put_list(
    array: &dyn Array,
    row: usize,
    null_fields: NullFields,
    out: &mut Encoder<'_>,
) -> Result<(), Error> {
    let items = match array.data_type() {
        ArrowType::List(_) => array.as_list_opt::<i32>().map(|list| list.value(row)),
        ArrowType::LargeList(_) => array.as_list_opt::<i64>().map(|list| list.value(row)),
        ArrowType::ListView(_) => array.as_list_view_opt::<i32>().map(|list| list.value(row)),
        ArrowType::LargeListView(_) => array.as_list_view_opt::<i64>().map(|list| list.value(row)),
        _ => array.as_fixed_size_list_opt().map(|list| list.value(row)),
    };
    let items = items.ok_or_else(|| no_variant(array))?;
    out.begin_list()?;
    for item in 0..items.len() {
        put_row(&items, item, null_fields, out)?;
    }
    out.end()
}

fn put_entry<K: ArrowDictionaryKeyType>(
    array: &dyn Array,
    row: usize,
    null_fields: NullFields,
    out: &mut Encoder<'_>,
) -> Result<(), Error> {
    let dictionary = array.as_dictionary_opt::<K>();
    let dictionary = dictionary.ok_or_else(|| no_variant(array))?;
    match dictionary.key(row) {
        Some(entry) => put_row(dictionary.values(), entry, null_fields, out),
        None => out.scalar(&Node::Null),
    }
}

/// Returns a value of a primitive type; the row is not null.
fn scalar(array: &dyn Array, row: usize) -> Result<Node<'_>, Error> {
    let node = match array.data_type() {
        ArrowType::Null => Some(Node::Null),
        ArrowType::Boolean => array.as_boolean_opt().map(|a| Node::Boolean(a.value(row))),
        ArrowType::Int8 => get::<Int8Type>(array, row).map(Node::Int8),
        ArrowType::Int16 => get::<Int16Type>(array, row).map(Node::Int16),
        ArrowType::Int32 => get::<Int32Type>(array, row).map(Node::Int32),
        ArrowType::Int64 => get::<Int64Type>(array, row).map(Node::Int64),
        ArrowType::UInt8 => get::<UInt8Type>(array, row).map(|v| Node::Int16(v.into())),
        ArrowType::UInt16 => get::<UInt16Type>(array, row).map(|v| Node::Int32(v.into())),
        ArrowType::UInt32 => get::<UInt32Type>(array, row).map(|v| Node::Int64(v.into())),
        ArrowType::UInt64 => get::<UInt64Type>(array, row).map(unsigned),
        ArrowType::Float16 => get::<Float16Type>(array, row).map(|v| Node::Float(v.to_f32())),
        ArrowType::Float32 => get::<Float32Type>(array, row).map(Node::Float),
        ArrowType::Float64 => get::<Float64Type>(array, row).map(Node::Double),
        ArrowType::Decimal32(_, scale) => decimal::<Decimal32Type>(array, row, *scale),
        ArrowType::Decimal64(_, scale) => decimal::<Decimal64Type>(array, row, *scale),
        ArrowType::Decimal128(_, scale) => decimal::<Decimal128Type>(array, row, *scale),
        ArrowType::Utf8 => array
            .as_string_opt::<i32>()
            .map(|a| Node::String(a.value(row))),
        ArrowType::LargeUtf8 => array
            .as_string_opt::<i64>()
            .map(|a| Node::String(a.value(row))),
        ArrowType::Utf8View => array
            .as_string_view_opt()
            .map(|a| Node::String(a.value(row))),
        ArrowType::Binary => array
            .as_binary_opt::<i32>()
            .map(|a| Node::Binary(a.value(row))),
        ArrowType::LargeBinary => array
            .as_binary_opt::<i64>()
            .map(|a| Node::Binary(a.value(row))),
        ArrowType::BinaryView => array
            .as_binary_view_opt()
            .map(|a| Node::Binary(a.value(row))),
        ArrowType::FixedSizeBinary(_) => {
            let bytes = array.as_fixed_size_binary_opt();
            bytes.map(|a| Node::Binary(a.value(row)))
        }
        _ => return time(array, row),
    };
    node.ok_or_else(|| no_variant(array))
}

/// Returns a date, time of day or timestamp.
fn time(array: &dyn Array, row: usize) -> Result<Node<'_>, Error> {
    let micros = |value: Option<i64>, factor: i64| value.and_then(|v| v.checked_mul(factor));
    let node = match array.data_type() {
        ArrowType::Date32 => get::<Date32Type>(array, row).map(Node::Date),
        ArrowType::Date64 => get::<Date64Type>(array, row)
            .and_then(|millis| i32::try_from(millis.div_euclid(DAY_MILLIS)).ok())
            .map(Node::Date),
        ArrowType::Time32(TimeUnit::Second) => {
            let seconds = get::<Time32SecondType>(array, row).map(i64::from);
            micros(seconds, 1_000_000).map(Node::Time)
        }
        ArrowType::Time32(_) => {
            let millis = get::<Time32MillisecondType>(array, row).map(i64::from);
            micros(millis, 1_000).map(Node::Time)
        }
        ArrowType::Time64(TimeUnit::Microsecond) => {
            get::<Time64MicrosecondType>(array, row).map(Node::Time)
        }
        // A variant has no time of day in nanoseconds.
        ArrowType::Time64(_) => get::<Time64NanosecondType>(array, row)
            .filter(|nanos| nanos.checked_rem(1_000) == Some(0))
            .and_then(|nanos| nanos.checked_div(1_000))
            .map(Node::Time),
        ArrowType::Timestamp(unit, zone) => {
            let value = match unit {
                TimeUnit::Second => micros(get::<TimestampSecondType>(array, row), 1_000_000),
                TimeUnit::Millisecond => micros(get::<TimestampMillisecondType>(array, row), 1_000),
                TimeUnit::Microsecond => get::<TimestampMicrosecondType>(array, row),
                TimeUnit::Nanosecond => get::<TimestampNanosecondType>(array, row),
            };
            let unit = match unit {
                TimeUnit::Nanosecond => TimestampUnit::Nanos,
                _ => TimestampUnit::Micros,
            };
            let utc = zone.is_some();
            value.map(|value| Node::Timestamp { value, unit, utc })
        }
        _ => return Err(no_variant(array)),
    };
    node.ok_or_else(|| Error::OutOfType { type_name: "time" })
}

fn get<T: ArrowPrimitiveType>(array: &dyn Array, row: usize) -> Option<T::Native> {
    array.as_primitive_opt::<T>().map(|array| array.value(row))
}

fn unsigned(value: u64) -> Node<'static> {
    match i64::try_from(value) {
        Ok(value) => Node::Int64(value),
        Err(_) => whole_decimal(value.into()),
    }
}

fn whole_decimal(unscaled: i128) -> Node<'static> {
    Node::Decimal {
        unscaled,
        scale: 0,
        width: 16,
    }
}

fn decimal<T>(array: &dyn Array, row: usize, scale: i8) -> Option<Node<'static>>
where
    T: DecimalType,
    T::Native: Into<i128>,
{
    let unscaled: i128 = get::<T>(array, row)?.into();
    match u8::try_from(scale) {
        Ok(scale) => Some(Node::Decimal {
            unscaled,
            scale,
            width: 16,
        }),
        Err(_) => {
            let zeros = 10_i128.checked_pow(scale.unsigned_abs().into())?;
            Some(whole_decimal(unscaled.checked_mul(zeros)?))
        }
    }
}

fn no_variant(array: &dyn Array) -> Error {
    Error::NoVariant {
        type_name: array.data_type().to_string().into(),
    }
}
