//! Values in place of what a file lacks.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Decimal128Array, DictionaryArray, Float32Array,
    Float64Array, Int32Array, Int64Array, ListArray, StringArray, StringViewArray,
    TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray, UInt32Array,
    new_empty_array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, Field as ArrowField};
use arrow_select::concat::concat;
use arrow_select::take::take;
use growler_schema::data_type::DECIMAL_PRECISION;
use growler_schema::{ColumnType, DataType, SourceType, TimeUnit, Value};

use super::{Node, NodeKind, TableFile};
use crate::column::{Cells, Refused, plain};

/// What every row has of a column or field that its file lacks.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Fill {
    /// Null.
    #[default]
    Null,
    /// One value, as the engine has those of the column's type.
    Value(Value),
    /// A list of values.
    List(Vec<Option<Value>>),
    /// A map, by key and value.
    Map(Vec<(Value, Option<Value>)>),
    /// A struct: of each field what is filled in for that.
    Fields,
}

/// The one value of a column that a file lacks.
#[derive(Debug, Clone)]
pub(crate) struct Filled {
    /// An array of one row.
    array: ArrayRef,
    /// The value, if it is a plain one.
    pub(crate) value: Option<Value>,
}

impl Filled {
    /// Makes what a column of a type has; none for null.
    pub(crate) fn of(
        node: &Node,
        file: &TableFile,
        target: ColumnType,
    ) -> Result<Option<Self>, Refused> {
        Ok(match (file.fill(node), &node.kind) {
            (Fill::Null, _) => None,
            (Fill::Value(value), NodeKind::Leaf(source)) if !target.multi_value => {
                let array = plain::convert(source, &one(value)?, target.data_type)?;
                let value = same_type(value, target.data_type).then(|| value.clone());
                Some(Self { array, value })
            }
            (Fill::List(values), NodeKind::List(element)) if target.multi_value => {
                let NodeKind::Leaf(source) = &element.kind else {
                    return Err(no_value(node));
                };
                let array = list(values, source, target.data_type)?;
                Some(Self { array, value: None })
            }
            _ if target.data_type.is_text() && !target.multi_value => {
                let mut text = Vec::new();
                write(node, file, &mut text)?;
                let text = String::from_utf8(text);
                let text = text.map_err(|error| Refused::Internal(error.to_string()))?;
                let array = one(&Value::String(text.clone()))?;
                let value = Some(Value::String(text));
                Some(Self { array, value })
            }
            _ => return Err(no_value(node)),
        })
    }

    /// Returns the value in a number of rows; text as a dictionary of one entry.
    pub(crate) fn rows(&self, row_count: usize) -> Result<ArrayRef, Refused> {
        if let Some(Value::String(text)) = &self.value {
            let keys = Int32Array::from(vec![0; row_count]);
            let entries = Arc::new(StringArray::from(vec![text.as_str()]));
            return Ok(Arc::new(DictionaryArray::new(keys, entries)));
        }
        let rows = UInt32Array::from(vec![0; row_count]);
        take(&self.array, &rows, None).map_err(internal)
    }
}

/// Appends the JSON text of what is filled in for a field that its file lacks.
pub(crate) fn write(node: &Node, file: &TableFile, out: &mut Vec<u8>) -> Result<(), Refused> {
    match (file.fill(node), &node.kind) {
        (Fill::Value(value), NodeKind::Leaf(source)) => {
            Cells::try_new(source, &one(value)?)?.write_json(0, out);
        }
        (Fill::Fields, NodeKind::Struct(fields)) => {
            let mut fields: Vec<&Node> = fields.iter().collect();
            fields.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
            out.push(b'{');
            for (position, field) in fields.into_iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                growler_variant::text::write_json_string(field.name.as_bytes(), out);
                out.push(b':');
                write(field, file, out)?;
            }
            out.push(b'}');
        }
        (Fill::List(values), NodeKind::List(element)) => {
            out.push(b'[');
            for (position, value) in values.iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                write_item(value.as_ref(), element, out)?;
            }
            out.push(b']');
        }
        (Fill::Map(entries), NodeKind::Map(key, value)) => {
            out.push(b'{');
            for (position, (entry_key, entry_value)) in entries.iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                let start = out.len();
                write_item(Some(entry_key), key, out)?;
                if out.get(start) != Some(&b'"') {
                    let bare = out.split_off(start);
                    growler_variant::text::write_json_string(&bare, out);
                }
                out.push(b':');
                write_item(entry_value.as_ref(), value, out)?;
            }
            out.push(b'}');
        }
        (Fill::Null, _) => out.extend_from_slice(b"null"),
        _ => return Err(no_value(node)),
    }
    Ok(())
}

fn write_item(value: Option<&Value>, node: &Node, out: &mut Vec<u8>) -> Result<(), Refused> {
    match (value, &node.kind) {
        (None, _) => out.extend_from_slice(b"null"),
        (Some(value), NodeKind::Leaf(source)) => {
            Cells::try_new(source, &one(value)?)?.write_json(0, out);
        }
        (Some(_), _) => return Err(no_value(node)),
    }
    Ok(())
}

fn no_value(node: &Node) -> Refused {
    let (name, id) = (&node.name, node.id);
    Refused::Value(format!(
        "default or partition value is no value of the column: name={name} fieldId={id}"
    ))
}

fn list(
    values: &[Option<Value>],
    source: &SourceType,
    target: DataType,
) -> Result<ArrayRef, Refused> {
    let mut items = Vec::with_capacity(values.len());
    for value in values {
        items.push(match value {
            Some(value) => plain::convert(source, &one(value)?, target)?,
            None => arrow_array::new_null_array(&target.arrow_type(), 1),
        });
    }
    let items: Vec<&dyn Array> = items.iter().map(AsRef::as_ref).collect();
    let items = match items.is_empty() {
        true => new_empty_array(&target.arrow_type()),
        false => concat(&items).map_err(internal)?,
    };
    let field = Arc::new(ArrowField::new_list_field(target.arrow_type(), true));
    let lengths = OffsetBuffer::from_lengths([items.len()]);
    let lists = ListArray::try_new(field, lengths, items, None).map_err(internal)?;
    Ok(Arc::new(lists))
}

fn same_type(value: &Value, data_type: DataType) -> bool {
    match (value, data_type) {
        (Value::Int(_), DataType::Int)
        | (Value::Long(_), DataType::Long)
        | (Value::Float(_), DataType::Float)
        | (Value::Double(_), DataType::Double)
        | (Value::Boolean(_), DataType::Boolean)
        | (Value::Bytes(_), DataType::Bytes) => true,
        (Value::BigDecimal(_, own), DataType::BigDecimal { scale }) => *own == scale,
        (Value::Timestamp(_, own), DataType::Timestamp { unit }) => *own == unit,
        (Value::String(_), data_type) => data_type.is_text(),
        _ => false,
    }
}

fn one(value: &Value) -> Result<ArrayRef, Refused> {
    array_of(value).map_err(internal)
}

/// Returns an array of one value.
///
/// # Errors
/// A decimal does not fit its scale.
pub fn array_of(value: &Value) -> Result<ArrayRef, ArrowError> {
    Ok(match value {
        Value::Int(value) => Arc::new(Int32Array::from(vec![*value])),
        Value::Long(value) => Arc::new(Int64Array::from(vec![*value])),
        Value::Float(value) => Arc::new(Float32Array::from(vec![*value])),
        Value::Double(value) => Arc::new(Float64Array::from(vec![*value])),
        Value::BigDecimal(unscaled, scale) => {
            let decimal = Decimal128Array::from(vec![*unscaled]);
            let typed = decimal.with_precision_and_scale(DECIMAL_PRECISION, *scale);
            Arc::new(typed?)
        }
        Value::Boolean(value) => Arc::new(BooleanArray::from(vec![*value])),
        Value::Timestamp(value, TimeUnit::Millis) => {
            Arc::new(TimestampMillisecondArray::from(vec![*value]))
        }
        Value::Timestamp(value, TimeUnit::Micros) => {
            Arc::new(TimestampMicrosecondArray::from(vec![*value]))
        }
        Value::Timestamp(value, TimeUnit::Nanos) => {
            Arc::new(TimestampNanosecondArray::from(vec![*value]))
        }
        Value::String(text) => Arc::new(StringViewArray::from(vec![text.as_str()])),
        Value::Bytes(bytes) => Arc::new(BinaryViewArray::from(vec![bytes.as_slice()])),
    })
}

fn internal(error: ArrowError) -> Refused {
    Refused::Internal(error.to_string())
}
