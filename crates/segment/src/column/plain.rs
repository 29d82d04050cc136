//! Primitive columns: from the array the reader returns to the column's own type, and from that to
//! the type that the table has for it.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, Int64Array, PrimitiveArray, new_null_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType as ArrowType, TimeUnit as ArrowUnit};
use growler_schema::data_type::DECIMAL_PRECISION;
use growler_schema::{DataType, SourceType, TimeUnit};
use growler_variant::text::write_uuid;

use super::cells::Cells;
use super::{Refused, narrow};

/// Tells whether values of a leaf convert to a type.
///
/// Numbers widen (INT to LONG, FLOAT or DOUBLE, LONG to DOUBLE, all exact ones to a BIG_DECIMAL
/// that keeps their digits), timestamps change their unit, dates become timestamps, and everything
/// has a text. Nothing narrows, and no number is read out of text.
pub(crate) fn converts(source: &SourceType, target: DataType) -> bool {
    use DataType as T;
    let Ok(own) = source.column_type() else {
        return false;
    };
    match (own.data_type, target) {
        (own, target) if own == target => true,
        (_, T::String) => true,
        (T::String | T::Json | T::Uuid, T::Json) => true,
        (T::Int, T::Long | T::Float | T::Double | T::BigDecimal { .. }) => true,
        (T::Long, T::Float | T::Double | T::BigDecimal { .. }) => true,
        (T::Float, T::Double) => true,
        (T::BigDecimal { scale: own }, T::BigDecimal { scale }) => scale >= own,
        (T::BigDecimal { .. }, T::Double) => true,
        (T::Timestamp { .. }, T::Timestamp { .. } | T::Long) => true,
        (T::Long, T::Timestamp { .. }) => true,
        _ => false,
    }
}

/// Converts an array of a leaf to a type that it [`converts`] to.
pub(crate) fn convert(
    source: &SourceType,
    array: &ArrayRef,
    target: DataType,
) -> Result<ArrayRef, Refused> {
    let own = own_type(source)?;
    let array = canonical(source, array)?;
    if own == target || (own.is_text() && target.is_text()) {
        return Ok(array);
    }
    widen(source, &array, own, target)
}

/// Returns the column type of a leaf.
pub(super) fn own_type(source: &SourceType) -> Result<DataType, Refused> {
    let own = source
        .column_type()
        .map_err(|error| Refused::Internal(error.to_string()))?;
    Ok(own.data_type)
}

/// Converts an array as the reader returns it to the leaf's own column type. Text stays a
/// dictionary where it is one.
pub(super) fn canonical(source: &SourceType, array: &ArrayRef) -> Result<ArrayRef, Refused> {
    let own = own_type(source)?.arrow_type();
    // A leaf with the annotation "unknown" comes without any values.
    if array.data_type() == &ArrowType::Null {
        return Ok(new_null_array(&own, array.len()));
    }
    match (array.data_type(), source) {
        (found, _) if *found == own => Ok(array.clone()),
        (ArrowType::Dictionary(_, values), _) if values.as_ref() == &ArrowType::Utf8 => {
            Ok(array.clone())
        }
        (ArrowType::Decimal128(..), SourceType::Decimal { .. }) => decimal(array, &own),
        (ArrowType::Timestamp(unit, _), _) => Ok(without_zone(array, *unit)),
        (ArrowType::FixedSizeBinary(16), SourceType::Uuid) => uuid_text(array),
        (ArrowType::Date32, _) => cast(&cast(array, &ArrowType::Int32)?, &own),
        (ArrowType::Time32(_) | ArrowType::Time64(_), _) => cast(array, &own),
        _ => cast(array, &own),
    }
}

/// Casts; a value that does not fit is an error, never a null or a wrapped number.
pub(super) fn cast(array: &ArrayRef, to: &ArrowType) -> Result<ArrayRef, Refused> {
    let options = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    cast_with_options(array, to, &options).map_err(|error| Refused::Value(error.to_string()))
}

/// Gives decimals the precision that all have between operators; the digits stay as they are.
fn decimal(array: &ArrayRef, own: &ArrowType) -> Result<ArrayRef, Refused> {
    match (array.data_type(), own) {
        (ArrowType::Decimal128(_, found), ArrowType::Decimal128(_, scale)) if found == scale => {
            let decimals = array.as_primitive::<Decimal128Type>().clone();
            let decimals = decimals.with_precision_and_scale(DECIMAL_PRECISION, *scale);
            let decimals = decimals.map_err(|error| Refused::Internal(error.to_string()))?;
            Ok(Arc::new(decimals))
        }
        _ => cast(array, own),
    }
}

/// Takes the zone away: the values count from 1970 in UTC either way.
fn without_zone(array: &ArrayRef, unit: ArrowUnit) -> ArrayRef {
    match unit {
        ArrowUnit::Millisecond => {
            let values = array.as_primitive::<TimestampMillisecondType>().clone();
            Arc::new(values.with_timezone_opt(None::<Arc<str>>))
        }
        ArrowUnit::Nanosecond => {
            let values = array.as_primitive::<TimestampNanosecondType>().clone();
            Arc::new(values.with_timezone_opt(None::<Arc<str>>))
        }
        ArrowUnit::Microsecond => {
            let values = array.as_primitive::<TimestampMicrosecondType>().clone();
            Arc::new(values.with_timezone_opt(None::<Arc<str>>))
        }
        // No file has timestamps in seconds.
        ArrowUnit::Second => array.clone(),
    }
}

fn uuid_text(array: &ArrayRef) -> Result<ArrayRef, Refused> {
    let uuids = array.as_fixed_size_binary();
    let mut texts = StringViewBuilder::with_capacity(uuids.len());
    let mut text = Vec::with_capacity(36);
    for uuid in uuids.iter() {
        let Some(uuid) = uuid.and_then(|uuid| uuid.first_chunk::<16>()) else {
            texts.append_null();
            continue;
        };
        text.clear();
        write_uuid(uuid, &mut text);
        let text = std::str::from_utf8(&text);
        texts.append_value(text.map_err(|error| Refused::Internal(error.to_string()))?);
    }
    Ok(Arc::new(texts.finish()))
}

fn widen(
    source: &SourceType,
    array: &ArrayRef,
    own: DataType,
    target: DataType,
) -> Result<ArrayRef, Refused> {
    match (own, target) {
        // Cast checks that the bytes are UTF-8.
        (DataType::Bytes, DataType::String) => cast(array, &ArrowType::Utf8View),
        (_, DataType::String) => Cells::try_new(source, array)?.texts(),
        (DataType::Timestamp { .. }, DataType::Long) => cast(array, &ArrowType::Int64),
        (DataType::Timestamp { unit: from }, DataType::Timestamp { unit: to }) => {
            let counts = cast(array, &ArrowType::Int64)?;
            timestamps(counts.as_primitive::<Int64Type>(), from.per_second(), to)
        }
        // A LONG that the table calls a TIMESTAMP counts milliseconds, as Pinot's do; a date days.
        (DataType::Long, DataType::Timestamp { unit }) => {
            let counts = array.as_primitive::<Int64Type>();
            if *source == SourceType::Date {
                let seconds = scale(counts, 86_400)?;
                return timestamps(&seconds, 1, unit);
            }
            timestamps(counts, TimeUnit::Millis.per_second(), unit)
        }
        (DataType::Long, DataType::Int) | (DataType::Double, DataType::Float) => {
            narrow::convert(array, target)
        }
        (_, target) => cast(array, &target.arrow_type()),
    }
}

fn scale(counts: &Int64Array, factor: i64) -> Result<Int64Array, Refused> {
    counts.try_unary::<_, Int64Type, Refused>(|count| {
        count.checked_mul(factor).ok_or_else(|| out_of_range(count))
    })
}

fn out_of_range(count: i64) -> Refused {
    Refused::Value(format!(
        "timestamp outside of the range of its unit: value={count}"
    ))
}

/// Changes the unit of timestamps; a coarser one rounds down, so that order is kept.
fn timestamps(counts: &Int64Array, from: i64, to: TimeUnit) -> Result<ArrayRef, Refused> {
    let counts = if to.per_second() >= from {
        scale(counts, to.per_second().checked_div(from).unwrap_or(1))?
    } else {
        let divisor = from.checked_div(to.per_second()).unwrap_or(1);
        PrimitiveArray::unary(counts, |count: i64| count.div_euclid(divisor))
    };
    let counts: ArrayRef = Arc::new(counts);
    cast(&counts, &DataType::Timestamp { unit: to }.arrow_type())
}
