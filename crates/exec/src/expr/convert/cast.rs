//! Arrays of one type to another.
//!
//! Numbers that do not fit a narrower type become its nearest bound, never another number; a
//! fraction is cut off. Text that cannot be read is refused with the text.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Decimal128Array, Int64Array, ListArray,
    PrimitiveArray, StringViewArray, builder::StringViewBuilder, cast::AsArray, types,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::Field;
use growler_schema::{DataType, TimeUnit, Value, data_type::DECIMAL_PRECISION};

use super::{
    decimal::{Decimal, Rounding},
    number::{
        clamp_i32, clamp_i64, f64_to_f32, i64_to_f64, parse_bool, parse_f64, parse_hex, parse_i32,
        parse_i64, saturate_i32, saturate_i64, write_f32, write_f64, write_hex,
    },
    timestamp::Instant,
    value::{convert_units, timestamp_values},
};

/// Why an array could not be cast.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum Refused {
    /// A value has no counterpart in the other type.
    #[error("Cannot convert value: '{value}' to type: {to}")]
    Value {
        /// The value's text, cut if long.
        value: String,
        /// Name of the wanted type.
        to: &'static str,
    },
    /// There is no such cast.
    #[error("Unable to cast expression to type - {to}")]
    Types {
        /// Name of the wanted type.
        to: &'static str,
    },
}

/// Casts an array of one type's Arrow type to another's; nulls stay.
///
/// # Errors
/// [`Refused`] names the first value that has no counterpart, or says that there is no such cast.
pub(crate) fn cast(array: &ArrayRef, from: DataType, to: DataType) -> Result<ArrayRef, Refused> {
    if from == to || (from.is_text() && matches!(to, DataType::String | DataType::Json)) {
        return Ok(Arc::clone(array));
    }
    if widens(from, to) {
        let widened = arrow_cast::cast(array, &to.arrow_type());
        return widened.map_err(|_| Refused::Types { to: to.name() });
    }
    let source = Source::of(array, from).ok_or(Refused::Types { to: to.name() })?;
    match to {
        DataType::Int => source.primitive::<types::Int32Type>(to, |cell| cell.to_i32()),
        DataType::Long => source.primitive::<types::Int64Type>(to, |cell| cell.to_i64()),
        DataType::Float => source.primitive::<types::Float32Type>(to, |cell| cell.to_f32()),
        DataType::Double => source.primitive::<types::Float64Type>(to, |cell| cell.to_f64()),
        DataType::BigDecimal { scale } => source.decimal(to, scale),
        DataType::Boolean => source.boolean(to),
        DataType::Timestamp { unit } => source.timestamp(to, unit),
        DataType::Bytes => source.bytes(to),
        DataType::Uuid => source.uuid(to),
        DataType::String | DataType::Json => Ok(source.text()),
        DataType::Map | DataType::OpenStruct => Err(Refused::Types { to: to.name() }),
    }
}

/// Tells whether a cast is one instruction a value, and cannot be refused.
fn widens(from: DataType, to: DataType) -> bool {
    matches!(
        (from, to),
        (DataType::Int, DataType::Long | DataType::Double)
            | (DataType::Long, DataType::Double)
            | (DataType::Float, DataType::Double)
    )
}

/// Casts the elements of a list array.
pub(crate) fn cast_lists(
    array: &ArrayRef,
    from: DataType,
    to: DataType,
) -> Result<ArrayRef, Refused> {
    let lists = array
        .as_list_opt::<i32>()
        .ok_or(Refused::Types { to: to.name() })?;
    let values = cast(lists.values(), from, to)?;
    let field = Arc::new(Field::new_list_field(to.arrow_type(), true));
    let cast = ListArray::try_new(
        field,
        lists.offsets().clone(),
        values,
        lists.nulls().cloned(),
    );
    Ok(Arc::new(
        cast.map_err(|_| Refused::Types { to: to.name() })?,
    ))
}

/// Returns the text form of one value.
pub(crate) fn text_of(value: &Value) -> String {
    let mut text = String::new();
    let cell = match value {
        Value::Int(v) => Cell::Long(i64::from(*v)),
        Value::Long(v) => Cell::Long(*v),
        Value::Float(v) => Cell::Float(*v),
        Value::Double(v) => Cell::Double(*v),
        Value::BigDecimal(unscaled, scale) => Cell::Decimal(Decimal {
            unscaled: *unscaled,
            scale: *scale,
        }),
        Value::Boolean(v) => Cell::Boolean(*v),
        Value::Timestamp(count, unit) => Cell::Time(*count, *unit),
        Value::String(v) => Cell::Text(v),
        Value::Bytes(v) => Cell::Bytes(v),
    };
    cell.write(&mut text);
    text
}

/// Returns a UUID's lower-case text with hyphens; it may come without them and in any case.
pub(crate) fn parse_uuid(text: &str) -> Option<String> {
    let digits: String = match text.len() {
        36 => {
            let hyphens = text
                .char_indices()
                .filter(|(_, c)| *c == '-')
                .map(|(at, _)| at);
            if !hyphens.eq([8, 13, 18, 23]) {
                return None;
            }
            text.chars().filter(|c| *c != '-').collect()
        }
        32 => text.to_owned(),
        _ => return None,
    };
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let lower = digits.to_ascii_lowercase();
    let part = |from: usize, to: usize| lower.get(from..to).unwrap_or_default();
    Some(
        [
            part(0, 8),
            part(8, 12),
            part(12, 16),
            part(16, 20),
            part(20, 32),
        ]
        .join("-"),
    )
}

/// An array with its type known.
enum Source<'a> {
    Int(&'a PrimitiveArray<types::Int32Type>),
    Long(&'a Int64Array),
    Float(&'a PrimitiveArray<types::Float32Type>),
    Double(&'a PrimitiveArray<types::Float64Type>),
    Decimal(&'a Decimal128Array, i8),
    Boolean(&'a BooleanArray),
    Time(&'a [i64], TimeUnit, Option<NullBuffer>),
    Text(&'a StringViewArray),
    Bytes(&'a BinaryViewArray),
}

/// One value of it.
enum Cell<'a> {
    Long(i64),
    Float(f32),
    Double(f64),
    Decimal(Decimal),
    Boolean(bool),
    Time(i64, TimeUnit),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl<'a> Source<'a> {
    fn of(array: &'a ArrayRef, from: DataType) -> Option<Self> {
        Some(match from {
            DataType::Int => Self::Int(array.as_primitive_opt()?),
            DataType::Long => Self::Long(array.as_primitive_opt()?),
            DataType::Float => Self::Float(array.as_primitive_opt()?),
            DataType::Double => Self::Double(array.as_primitive_opt()?),
            DataType::BigDecimal { scale } => Self::Decimal(array.as_primitive_opt()?, scale),
            DataType::Boolean => Self::Boolean(array.as_boolean_opt()?),
            DataType::Timestamp { unit } => {
                Self::Time(timestamp_values(array)?, unit, array.nulls().cloned())
            }
            DataType::Bytes => Self::Bytes(array.as_binary_view_opt()?),
            _ => Self::Text(array.as_string_view_opt()?),
        })
    }

    fn nulls(&self) -> Option<NullBuffer> {
        match self {
            Self::Int(array) => array.nulls().cloned(),
            Self::Long(array) => array.nulls().cloned(),
            Self::Float(array) => array.nulls().cloned(),
            Self::Double(array) => array.nulls().cloned(),
            Self::Decimal(array, _) => array.nulls().cloned(),
            Self::Boolean(array) => array.nulls().cloned(),
            Self::Time(_, _, nulls) => nulls.clone(),
            Self::Text(array) => array.nulls().cloned(),
            Self::Bytes(array) => array.nulls().cloned(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Int(array) => array.len(),
            Self::Long(array) => array.len(),
            Self::Float(array) => array.len(),
            Self::Double(array) => array.len(),
            Self::Decimal(array, _) => array.len(),
            Self::Boolean(array) => array.len(),
            Self::Time(values, ..) => values.len(),
            Self::Text(array) => array.len(),
            Self::Bytes(array) => array.len(),
        }
    }

    fn cell(&self, row: usize) -> Cell<'a> {
        match self {
            Self::Int(array) => Cell::Long(i64::from(array.value(row))),
            Self::Long(array) => Cell::Long(array.value(row)),
            Self::Float(array) => Cell::Float(array.value(row)),
            Self::Double(array) => Cell::Double(array.value(row)),
            Self::Decimal(array, scale) => Cell::Decimal(Decimal {
                unscaled: array.value(row),
                scale: *scale,
            }),
            Self::Boolean(array) => Cell::Boolean(array.value(row)),
            Self::Time(values, unit, _) => Cell::Time(values[row], *unit),
            Self::Text(array) => Cell::Text(array.value(row)),
            Self::Bytes(array) => Cell::Bytes(array.value(row)),
        }
    }

    /// Converts every value that is not null.
    fn each<T: Default + Clone>(
        &self,
        to: DataType,
        convert: impl Fn(&Cell<'a>) -> Option<T>,
    ) -> Result<(Vec<T>, Option<NullBuffer>), Refused> {
        let nulls = self.nulls();
        let mut values = vec![T::default(); self.len()];
        for (row, value) in values.iter_mut().enumerate() {
            if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                continue;
            }
            let cell = self.cell(row);
            *value = convert(&cell).ok_or_else(|| cell.refused(to))?;
        }
        Ok((values, nulls))
    }

    fn primitive<T: arrow_array::ArrowPrimitiveType>(
        &self,
        to: DataType,
        convert: impl Fn(&Cell<'a>) -> Option<T::Native>,
    ) -> Result<ArrayRef, Refused>
    where
        T::Native: Default,
    {
        let (values, nulls) = self.each(to, convert)?;
        Ok(Arc::new(PrimitiveArray::<T>::new(values.into(), nulls)))
    }

    fn decimal(&self, to: DataType, scale: i8) -> Result<ArrayRef, Refused> {
        let (values, nulls) = self.each(to, |cell| cell.to_decimal(scale))?;
        Decimal128Array::new(values.into(), nulls)
            .with_precision_and_scale(DECIMAL_PRECISION, scale)
            .map(|array| Arc::new(array) as ArrayRef)
            .map_err(|_| Refused::Types { to: to.name() })
    }

    fn boolean(&self, to: DataType) -> Result<ArrayRef, Refused> {
        let (values, nulls) = self.each(to, |cell| cell.to_bool())?;
        Ok(Arc::new(BooleanArray::new(
            BooleanBuffer::from(values),
            nulls,
        )))
    }

    fn timestamp(&self, to: DataType, unit: TimeUnit) -> Result<ArrayRef, Refused> {
        let convert = |cell: &Cell<'a>| cell.to_time(unit);
        match unit {
            TimeUnit::Millis => self.primitive::<types::TimestampMillisecondType>(to, convert),
            TimeUnit::Micros => self.primitive::<types::TimestampMicrosecondType>(to, convert),
            TimeUnit::Nanos => self.primitive::<types::TimestampNanosecondType>(to, convert),
        }
    }

    fn bytes(&self, to: DataType) -> Result<ArrayRef, Refused> {
        let (values, nulls) = self.each(to, |cell| match cell {
            Cell::Text(text) => parse_hex(text),
            Cell::Bytes(bytes) => Some(bytes.to_vec()),
            _ => None,
        })?;
        let valid = |row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        let values = values
            .iter()
            .enumerate()
            .map(|(row, v)| valid(row).then_some(v.as_slice()));
        Ok(Arc::new(values.collect::<BinaryViewArray>()))
    }

    fn uuid(&self, to: DataType) -> Result<ArrayRef, Refused> {
        let (values, nulls) = self.each(to, |cell| match cell {
            Cell::Text(text) => parse_uuid(text),
            Cell::Bytes(bytes) if bytes.len() == 16 => {
                let mut digits = String::new();
                write_hex(bytes, &mut digits);
                parse_uuid(&digits)
            }
            _ => None,
        })?;
        let valid = |row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        let values = values
            .iter()
            .enumerate()
            .map(|(row, v)| valid(row).then_some(v.as_str()));
        Ok(Arc::new(values.collect::<StringViewArray>()))
    }

    fn text(&self) -> ArrayRef {
        let nulls = self.nulls();
        let mut out = StringViewBuilder::with_capacity(self.len());
        let mut text = String::new();
        for row in 0..self.len() {
            if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                out.append_null();
                continue;
            }
            text.clear();
            self.cell(row).write(&mut text);
            out.append_value(&text);
        }
        Arc::new(out.finish())
    }
}

impl Cell<'_> {
    fn to_i32(&self) -> Option<i32> {
        match self {
            Self::Float(v) => Some(saturate_i32(f64::from(*v))),
            Self::Double(v) => Some(saturate_i32(*v)),
            Self::Text(text) => parse_i32(text),
            _ => self.to_i64().map(clamp_i32),
        }
    }

    fn to_i64(&self) -> Option<i64> {
        match self {
            Self::Long(v) => Some(*v),
            Self::Float(v) => Some(saturate_i64(f64::from(*v))),
            Self::Double(v) => Some(saturate_i64(*v)),
            Self::Decimal(v) => v.rescale(0, Rounding::Down).map(clamp_i64),
            Self::Boolean(v) => Some(i64::from(*v)),
            Self::Time(count, unit) => convert_units(*count, *unit, TimeUnit::Millis),
            Self::Text(text) => parse_i64(text),
            Self::Bytes(_) => None,
        }
    }

    fn to_f32(&self) -> Option<f32> {
        match self {
            Self::Float(v) => Some(*v),
            // Not by way of the double: that would round twice.
            Self::Text(text) => parse_f64(text).and_then(|_| text.trim().parse().ok()),
            _ => self.to_f64().map(f64_to_f32),
        }
    }

    fn to_f64(&self) -> Option<f64> {
        match self {
            Self::Float(v) => Some(f64::from(*v)),
            Self::Double(v) => Some(*v),
            Self::Decimal(v) => Some(v.to_f64()),
            Self::Text(text) => parse_f64(text),
            _ => self.to_i64().map(i64_to_f64),
        }
    }

    fn to_decimal(&self, scale: i8) -> Option<i128> {
        let number = match self {
            Self::Decimal(v) => *v,
            // The shortest text of a float, not that of the double it widens to.
            Self::Float(v) if v.is_finite() => {
                Decimal::parse(ryu::Buffer::new().format_finite(*v))?
            }
            Self::Float(_) => return None,
            Self::Double(v) => Decimal::from_f64(*v)?,
            Self::Text(text) => Decimal::parse(text.trim())?,
            _ => Decimal {
                unscaled: i128::from(self.to_i64()?),
                scale: 0,
            },
        };
        number.rescale(scale, Rounding::HalfUp)
    }

    fn to_bool(&self) -> Option<bool> {
        match self {
            Self::Boolean(v) => Some(*v),
            Self::Text(text) => Some(parse_bool(text)),
            Self::Decimal(v) => Some(v.unscaled != 0),
            Self::Bytes(_) => None,
            _ => self.to_f64().map(|v| v != 0.0),
        }
    }

    fn to_time(&self, unit: TimeUnit) -> Option<i64> {
        match self {
            Self::Time(count, from) => convert_units(*count, *from, unit),
            Self::Text(text) => Instant::parse(text)?.to_units(unit),
            _ => convert_units(self.to_i64()?, TimeUnit::Millis, unit),
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Long(v) => out.push_str(itoa::Buffer::new().format(*v)),
            Self::Float(v) => write_f32(*v, out),
            Self::Double(v) => write_f64(*v, out),
            Self::Decimal(v) => v.write(out),
            Self::Boolean(v) => out.push_str(if *v { "true" } else { "false" }),
            Self::Time(count, unit) => Instant::from_units(*count, *unit).write(out),
            Self::Text(text) => out.push_str(text),
            Self::Bytes(bytes) => write_hex(bytes, out),
        }
    }

    fn refused(&self, to: DataType) -> Refused {
        let mut value = String::new();
        self.write(&mut value);
        if let Some((at, _)) = value.char_indices().nth(100) {
            value.truncate(at);
        }
        Refused::Value {
            value,
            to: to.name(),
        }
    }
}
