//! One cell as text or JSON, straight from its Arrow array.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{
    Array, BinaryArray, BinaryViewArray, BooleanArray, Decimal128Array, Float32Array, Float64Array,
    Int32Array, Int64Array, ListArray, StringArray, StringViewArray,
};
use growler_schema::{ColumnType, DataType, TimeUnit};

use super::json::{write_quoted, write_string};
use super::time_text::write_timestamp;

/// A column whose cells can be written; made once, so that a cell costs one match.
pub(super) enum Cells<'a> {
    Null,
    Int(&'a Int32Array),
    Long(&'a Int64Array),
    Float(&'a Float32Array),
    Double(&'a Float64Array),
    Decimal(&'a Decimal128Array, i8),
    Boolean(&'a BooleanArray),
    Timestamp {
        counts: &'a [i64],
        unit: TimeUnit,
        array: &'a dyn Array,
    },
    Text(Text<'a>),
    /// Text that is a JSON object and becomes one in JSON.
    Map(Text<'a>),
    Bytes(&'a BinaryViewArray),
    PlainBytes(&'a BinaryArray),
    List {
        list: &'a ListArray,
        items: Box<Cells<'a>>,
    },
}

/// UTF-8 text in any of the layouts it comes in.
pub(super) enum Text<'a> {
    View(&'a StringViewArray),
    Plain(&'a StringArray),
    Dictionary {
        keys: &'a Int32Array,
        values: &'a StringArray,
    },
}

impl<'a> Cells<'a> {
    /// Binds an array as cells of a type; none when the array is not of the type.
    pub(super) fn try_new(array: &'a dyn Array, column_type: ColumnType) -> Option<Self> {
        if array.data_type() == &arrow_schema::DataType::Null {
            return Some(Self::Null);
        }
        if column_type.multi_value {
            let list = array.as_list_opt::<i32>()?;
            let items = Self::try_new(list.values().as_ref(), column_type.data_type.single())?;
            return Some(Self::List {
                list,
                items: Box::new(items),
            });
        }
        Some(match column_type.data_type {
            DataType::Int => Self::Int(array.as_primitive_opt::<Int32Type>()?),
            DataType::Long => Self::Long(array.as_primitive_opt::<Int64Type>()?),
            DataType::Float => Self::Float(array.as_primitive_opt::<Float32Type>()?),
            DataType::Double => Self::Double(array.as_primitive_opt::<Float64Type>()?),
            DataType::BigDecimal { .. } => {
                let decimals = array.as_primitive_opt::<Decimal128Type>()?;
                Self::Decimal(decimals, decimals.scale())
            }
            DataType::Boolean => Self::Boolean(array.as_boolean_opt()?),
            DataType::Timestamp { .. } => timestamps(array)?,
            DataType::String | DataType::Json | DataType::Uuid | DataType::OpenStruct => {
                Self::Text(Text::try_new(array)?)
            }
            DataType::Map => Self::Map(Text::try_new(array)?),
            DataType::Bytes => match array.as_binary_view_opt() {
                Some(bytes) => Self::Bytes(bytes),
                None => Self::PlainBytes(array.as_binary_opt::<i32>()?),
            },
        })
    }

    pub(super) fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Null => true,
            Self::Int(array) => array.is_null(row),
            Self::Long(array) => array.is_null(row),
            Self::Float(array) => array.is_null(row),
            Self::Double(array) => array.is_null(row),
            Self::Decimal(array, _) => array.is_null(row),
            Self::Boolean(array) => array.is_null(row),
            Self::Timestamp { array, .. } => array.is_null(row),
            Self::Text(text) | Self::Map(text) => text.value(row).is_none(),
            Self::Bytes(array) => array.is_null(row),
            Self::PlainBytes(array) => array.is_null(row),
            Self::List { list, .. } => list.is_null(row),
        }
    }

    /// Tells whether cells are numbers, which people like to see right-aligned.
    pub(super) fn is_number(&self) -> bool {
        matches!(
            self,
            Self::Int(_) | Self::Long(_) | Self::Float(_) | Self::Double(_) | Self::Decimal(..)
        )
    }

    /// Appends a cell as JSON.
    pub(super) fn write_json(&self, row: usize, out: &mut Vec<u8>) {
        if self.is_null(row) {
            out.extend_from_slice(b"null");
            return;
        }
        match self {
            Self::Text(text) => write_string(text.value(row).unwrap_or_default(), out),
            Self::Map(text) => write_object(text.value(row).unwrap_or_default(), out),
            Self::Float(array) if !array.value(row).is_finite() => self.write_quoted(row, out),
            Self::Double(array) if !array.value(row).is_finite() => self.write_quoted(row, out),
            Self::Decimal(..) | Self::Timestamp { .. } | Self::Bytes(_) | Self::PlainBytes(_) => {
                self.write_quoted(row, out)
            }
            Self::List { list, items } => write_list(list, items, row, out),
            _ => self.write_plain(row, out),
        }
    }

    /// Appends a cell that is not null as bare text; a multi-value one is a JSON array.
    pub(super) fn write_plain(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Self::Null => {}
            Self::Int(array) => write_integer(array.value(row), out),
            Self::Long(array) => write_integer(array.value(row), out),
            Self::Float(array) => {
                let value = array.value(row);
                write_float(f64::from(value), ryu::Buffer::new().format(value), out);
            }
            Self::Double(array) => {
                let value = array.value(row);
                write_float(value, ryu::Buffer::new().format(value), out);
            }
            Self::Decimal(array, scale) => write_decimal(array.value(row), *scale, out),
            Self::Boolean(array) => out.extend_from_slice(match array.value(row) {
                true => b"true",
                false => b"false",
            }),
            Self::Timestamp { counts, unit, .. } => {
                write_timestamp(counts.get(row).copied().unwrap_or_default(), *unit, out);
            }
            Self::Text(text) | Self::Map(text) => {
                out.extend_from_slice(text.value(row).unwrap_or_default().as_bytes());
            }
            Self::Bytes(array) => write_hex(array.value(row), out),
            Self::PlainBytes(array) => write_hex(array.value(row), out),
            Self::List { list, items } => write_list(list, items, row, out),
        }
    }

    /// Appends a cell whose text needs no escapes, in quotes.
    fn write_quoted(&self, row: usize, out: &mut Vec<u8>) {
        write_quoted(out, |out| self.write_plain(row, out));
    }
}

impl<'a> Text<'a> {
    fn try_new(array: &'a dyn Array) -> Option<Self> {
        if let Some(view) = array.as_string_view_opt() {
            return Some(Self::View(view));
        }
        if let Some(plain) = array.as_string_opt::<i32>() {
            return Some(Self::Plain(plain));
        }
        let dictionary = array.as_dictionary_opt::<Int32Type>()?;
        let values = dictionary.values().as_string_opt::<i32>()?;
        Some(Self::Dictionary {
            keys: dictionary.keys(),
            values,
        })
    }

    fn value(&self, row: usize) -> Option<&'a str> {
        match self {
            Self::View(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Plain(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Dictionary { keys, values } => {
                if keys.is_null(row) {
                    return None;
                }
                let id = usize::try_from(keys.value(row)).ok()?;
                (id < values.len() && values.is_valid(id)).then(|| values.value(id))
            }
        }
    }
}

fn timestamps(array: &dyn Array) -> Option<Cells<'_>> {
    if let Some(millis) = array.as_primitive_opt::<TimestampMillisecondType>() {
        return Some(Cells::Timestamp {
            counts: millis.values(),
            unit: TimeUnit::Millis,
            array,
        });
    }
    if let Some(micros) = array.as_primitive_opt::<TimestampMicrosecondType>() {
        return Some(Cells::Timestamp {
            counts: micros.values(),
            unit: TimeUnit::Micros,
            array,
        });
    }
    let nanos = array.as_primitive_opt::<TimestampNanosecondType>()?;
    Some(Cells::Timestamp {
        counts: nanos.values(),
        unit: TimeUnit::Nanos,
        array,
    })
}

fn write_list(list: &ListArray, items: &Cells<'_>, row: usize, out: &mut Vec<u8>) {
    let offset = |row: usize| {
        list.value_offsets()
            .get(row)
            .and_then(|&at| usize::try_from(at).ok())
    };
    out.push(b'[');
    if let (Some(start), Some(end)) = (offset(row), offset(row + 1)) {
        for item in start..end {
            if item > start {
                out.push(b',');
            }
            items.write_json(item, out);
        }
    }
    out.push(b']');
}

/// Embeds text that claims to be JSON; what is none becomes a string, so the answer stays JSON.
fn write_object(text: &str, out: &mut Vec<u8>) {
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        out.extend_from_slice(text.as_bytes());
    } else {
        write_string(text, out);
    }
}

fn write_integer(value: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

fn write_float(value: f64, finite: &str, out: &mut Vec<u8>) {
    let text = match value {
        value if value.is_nan() => "NaN",
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => finite,
    };
    out.extend_from_slice(text.as_bytes());
}

/// Appends an unscaled value with its point, in plain notation.
fn write_decimal(unscaled: i128, scale: i8, out: &mut Vec<u8>) {
    if unscaled < 0 {
        out.push(b'-');
    }
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(unscaled.unsigned_abs());
    let Ok(fraction) = usize::try_from(scale) else {
        out.extend_from_slice(digits.as_bytes());
        if unscaled != 0 {
            out.extend(std::iter::repeat_n(b'0', usize::from(scale.unsigned_abs())));
        }
        return;
    };
    let (whole, rest) = digits.split_at(digits.len().saturating_sub(fraction));
    out.extend_from_slice(if whole.is_empty() {
        b"0"
    } else {
        whole.as_bytes()
    });
    if fraction > 0 {
        out.push(b'.');
        out.extend(std::iter::repeat_n(b'0', fraction - rest.len()));
        out.extend_from_slice(rest.as_bytes());
    }
}

fn write_hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.reserve(bytes.len() * 2);
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)]);
        out.push(DIGITS[usize::from(byte & 15)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_plain() {
        let cases: [(i128, i8, &str); 10] = [
            (0, 0, "0"),
            (0, 2, "0.00"),
            (5, 3, "0.005"),
            (-5, 3, "-0.005"),
            (12345, 2, "123.45"),
            (-12345, 5, "-0.12345"),
            (12345, 0, "12345"),
            (12, -3, "12000"),
            (0, -3, "0"),
            (i128::MIN, 38, "-1.70141183460469231731687303715884105728"),
        ];
        for (unscaled, scale, expected) in cases {
            let mut out = Vec::new();
            write_decimal(unscaled, scale, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
