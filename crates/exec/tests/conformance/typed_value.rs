//! A naive reader of variants that keeps their types: one row at a time, from bytes and arrays.
//!
//! A value reads as text such as `int8 34`, `decimal4 1234/2`, `{a: null, b: [string x]}`.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time64MicrosecondType, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, StructArray};
use growler_schema::TimeUnit;
use growler_variant::shred::{Group, ScalarType, Typed};
use growler_variant::value::TimestampUnit;
use growler_variant::{Metadata, Node};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Describes a value in bytes.
pub fn of_bytes(metadata: &[u8], value: &[u8]) -> Result<String, String> {
    let metadata = Metadata::try_new(metadata).map_err(|error| error.to_string())?;
    of_node(&metadata, value)
}

fn of_node(metadata: &Metadata<'_>, value: &[u8]) -> Result<String, String> {
    let node = Node::try_new(value).map_err(|error| error.to_string())?;
    Ok(match node {
        Node::Object(object) => braces(fields_of(metadata, &object)?),
        Node::List(list) => {
            let element = |at| of_node(metadata, list.get(at).map_err(|e| e.to_string())?);
            brackets((0..list.len()).map(element).collect::<Result<_, _>>()?)
        }
        scalar => of_scalar(&scalar),
    })
}

fn fields_of(
    metadata: &Metadata<'_>,
    object: &growler_variant::Object<'_>,
) -> Result<BTreeMap<String, String>, String> {
    let mut fields = BTreeMap::new();
    for at in 0..object.len() {
        let (id, value) = object.field(at).map_err(|error| error.to_string())?;
        let name = metadata.name(id).map_err(|error| error.to_string())?;
        fields.insert(name.to_owned(), of_node(metadata, value)?);
    }
    Ok(fields)
}

fn of_scalar(node: &Node<'_>) -> String {
    match node {
        Node::Null => "null".to_owned(),
        Node::Boolean(value) => format!("boolean {value}"),
        Node::Int8(value) => format!("int8 {value}"),
        Node::Int16(value) => format!("int16 {value}"),
        Node::Int32(value) => format!("int32 {value}"),
        Node::Int64(value) => format!("int64 {value}"),
        Node::Float(value) => format!("float {value:?}"),
        Node::Double(value) => format!("double {value:?}"),
        Node::Decimal {
            unscaled,
            scale,
            width,
        } => format!("decimal{width} {unscaled}/{scale}"),
        Node::Date(days) => format!("date {days}"),
        Node::Timestamp { value, unit, utc } => {
            let zone = if *utc { "tz" } else { "ntz" };
            let nanos = match unit {
                TimestampUnit::Micros => "",
                TimestampUnit::Nanos => "_ns",
            };
            format!("timestamp{zone}{nanos} {value}")
        }
        Node::Time(micros) => format!("time {micros}"),
        Node::Binary(bytes) => format!("binary {}", hex(bytes)),
        Node::String(text) => format!("string {text}"),
        Node::Uuid(bytes) => format!("uuid {}", hex(bytes)),
        Node::Object(_) | Node::List(_) => "container".to_owned(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn braces(fields: BTreeMap<String, String>) -> String {
    let fields: Vec<_> = fields.iter().map(|(k, v)| format!("{k}: {v}")).collect();
    format!("{{{}}}", fields.join(", "))
}

fn brackets(elements: Vec<String>) -> String {
    format!("[{}]", elements.join(", "))
}

/// Describes a row of a shredded group by the truth table of the specification; none is missing.
pub fn of_group(
    group: &Group,
    array: &StructArray,
    row: usize,
    metadata: &[u8],
) -> Result<Option<String>, String> {
    if array.is_null(row) {
        return Ok(None);
    }
    let value = array
        .column_by_name("value")
        .filter(|value| value.is_valid(row))
        .map(|value| binary(value, row));
    let typed = match (&group.typed, array.column_by_name("typed_value")) {
        (Some(typed), Some(column)) if column.is_valid(row) => Some((typed, column)),
        _ => None,
    };
    Ok(match (value, typed) {
        (None, None) => None,
        (Some(value), None) => Some(of_bytes(metadata, value)?),
        (value, Some((Typed::Object(shredded), column))) => {
            let names = Metadata::try_new(metadata).map_err(|error| error.to_string())?;
            let mut fields = match value.map(Node::try_new).transpose() {
                Ok(None) => BTreeMap::new(),
                Ok(Some(Node::Object(object))) => fields_of(&names, &object)?,
                _ => return Err("a residual beside an object is none".to_owned()),
            };
            for field in shredded {
                fields.remove(&field.name);
                let child = column.as_struct().column_by_name(&field.name);
                let child = child.ok_or("no such field")?.as_struct();
                let value = of_group(&field.group, child, row, metadata)?;
                fields.extend(value.map(|value| (field.name.clone(), value)));
            }
            Some(braces(fields))
        }
        (Some(_), Some(_)) => return Err("value and typed_value".to_owned()),
        (None, Some((Typed::List(element), column))) => {
            let list = column.as_list::<i32>();
            let offsets = list.value_offsets();
            let range =
                usize::try_from(offsets[row]).unwrap()..usize::try_from(offsets[row + 1]).unwrap();
            let read = |at| of_group(element, list.values().as_struct(), at, metadata);
            let elements: Result<Vec<_>, _> = range.map(read).collect();
            let elements = elements?.into_iter();
            Some(brackets(
                elements
                    .map(|e| e.unwrap_or_else(|| "null".to_owned()))
                    .collect(),
            ))
        }
        (None, Some((Typed::Scalar { scalar, .. }, column))) => Some(of_leaf(*scalar, column, row)),
    })
}

fn binary(array: &ArrayRef, row: usize) -> &[u8] {
    match array.as_binary_opt::<i32>() {
        Some(array) => array.value(row),
        None => array.as_binary_view().value(row),
    }
}

fn of_leaf(scalar: ScalarType, column: &ArrayRef, row: usize) -> String {
    macro_rules! value {
        ($kind:ty) => {
            column.as_primitive::<$kind>().value(row)
        };
    }
    let text;
    let node = match scalar {
        ScalarType::Boolean => Node::Boolean(column.as_boolean().value(row)),
        ScalarType::Int8 => Node::Int8(value!(Int8Type)),
        ScalarType::Int16 => Node::Int16(value!(Int16Type)),
        ScalarType::Int32 => Node::Int32(value!(Int32Type)),
        ScalarType::Int64 => Node::Int64(value!(Int64Type)),
        ScalarType::Float => Node::Float(value!(Float32Type)),
        ScalarType::Double => Node::Double(value!(Float64Type)),
        ScalarType::Decimal { precision, scale } => Node::Decimal {
            unscaled: value!(Decimal128Type),
            scale,
            width: match precision {
                0..=9 => 4,
                10..=18 => 8,
                _ => 16,
            },
        },
        ScalarType::Date => Node::Date(value!(Date32Type)),
        ScalarType::Time => Node::Time(value!(Time64MicrosecondType)),
        ScalarType::Timestamp { unit, utc } => {
            let (unit, value) = match unit {
                TimeUnit::Nanos => (TimestampUnit::Nanos, value!(TimestampNanosecondType)),
                _ => (TimestampUnit::Micros, value!(TimestampMicrosecondType)),
            };
            Node::Timestamp { value, unit, utc }
        }
        ScalarType::Binary => Node::Binary(binary(column, row)),
        ScalarType::String => {
            text = match column.as_string_opt::<i32>() {
                Some(texts) => texts.value(row).to_owned(),
                None => column.as_string_view().value(row).to_owned(),
            };
            Node::String(&text)
        }
        ScalarType::Uuid => {
            let bytes = column.as_fixed_size_binary().value(row);
            Node::Uuid(bytes.try_into().unwrap())
        }
    };
    of_scalar(&node)
}

/// Describes an expected value of the corpus: `{"t": type, "v": value}`.
pub fn of_expected(value: &Json) -> String {
    let kind = value["t"].as_str().unwrap();
    let v = &value["v"];
    match kind {
        "object" => {
            let fields = v.as_object().unwrap().iter();
            braces(fields.map(|(k, v)| (k.clone(), of_expected(v))).collect())
        }
        "array" => brackets(v.as_array().unwrap().iter().map(of_expected).collect()),
        "null" => "null".to_owned(),
        "float" => format!("float {:?}", v.to_string().parse::<f32>().unwrap()),
        "double" => format!("double {:?}", v.to_string().parse::<f64>().unwrap()),
        "decimal4" | "decimal8" | "decimal16" => {
            format!("{kind} {}/{}", v["unscaled"], v["scale"])
        }
        "string" => format!("string {}", v.as_str().unwrap()),
        "uuid" => format!("uuid {}", v.as_str().unwrap().replace('-', "")),
        "binary" => format!("binary {}", v.as_str().unwrap()),
        _ => format!("{kind} {v}"),
    }
}
