//! Types of columns: section "Schemas and Data Types" of the spec.

use std::fmt;

use growler_base::FieldId;
use serde_json::Value;

use super::json;
use super::schema::{Fields, NestedField};
use crate::error::Fault;

/// Type of a column, element, key or value.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// A single value.
    Primitive(PrimitiveType),
    /// Named fields, each with its own id.
    Struct(Vec<NestedField>),
    /// Elements of one type.
    List(Box<ListType>),
    /// Keys of one type to values of another.
    Map(Box<MapType>),
    /// Semi-structured value; neither primitive nor nested.
    Variant,
}

/// Elements of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListType {
    /// Identity of the element.
    pub element_id: FieldId,
    /// Whether an element may not be null.
    pub element_required: bool,
    /// Type of the element.
    pub element: Type,
}

/// Keys and values of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapType {
    /// Identity of the key.
    pub key_id: FieldId,
    /// Type of the key; keys are never null.
    pub key: Type,
    /// Identity of the value.
    pub value_id: FieldId,
    /// Whether a value may not be null.
    pub value_required: bool,
    /// Type of the value.
    pub value: Type,
}

/// Type of a single value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrimitiveType {
    /// True or false.
    Boolean,
    /// 32-bit signed integer.
    Int,
    /// 64-bit signed integer.
    Long,
    /// 32-bit IEEE 754.
    Float,
    /// 64-bit IEEE 754.
    Double,
    /// Decimal number.
    Decimal {
        /// Digits.
        precision: u32,
        /// Digits behind the point.
        scale: u32,
    },
    /// Days since 1970.
    Date,
    /// Microseconds since midnight.
    Time,
    /// Microseconds since 1970, without a zone.
    Timestamp,
    /// Microseconds since 1970, UTC.
    TimestampTz,
    /// Nanoseconds since 1970, without a zone.
    TimestampNs,
    /// Nanoseconds since 1970, UTC.
    TimestampTzNs,
    /// UTF-8 text.
    String,
    /// UUID of 16 bytes.
    Uuid,
    /// Bytes of one length.
    Fixed(u32),
    /// Bytes.
    Binary,
    /// Nothing but nulls, in no file.
    Unknown,
    /// Well-known binary, planar.
    Geometry,
    /// Well-known binary, on the globe.
    Geography,
    /// A type that a later version of the format may know, by its text.
    Other(Box<str>),
}

impl Type {
    /// Returns the type of a single value; none for nested types and variants.
    pub fn primitive(&self) -> Option<&PrimitiveType> {
        match self {
            Self::Primitive(primitive) => Some(primitive),
            Self::Struct(_) | Self::List(_) | Self::Map(_) | Self::Variant => None,
        }
    }
}

/// Parses a type, counting its fields.
pub(crate) fn parse_type(value: &Value, fields: &mut Fields) -> Result<Type, Fault> {
    if let Value::String(text) = value {
        return Ok(match text.trim() {
            "variant" => Type::Variant,
            text => Type::Primitive(PrimitiveType::parse(text)),
        });
    }
    let object = json::object(value, "type")?;
    Ok(match json::text(object, "type")? {
        Some("struct") => Type::Struct(fields.parse_struct(object)?),
        Some("list") => Type::List(Box::new(ListType {
            element_id: fields.id(object, "element-id")?,
            element_required: json::flag(object, "element-required")?.unwrap_or(false),
            element: parse_member(object, "element", fields)?,
        })),
        Some("map") => Type::Map(Box::new(MapType {
            key_id: fields.id(object, "key-id")?,
            key: parse_member(object, "key", fields)?,
            value_id: fields.id(object, "value-id")?,
            value_required: json::flag(object, "value-required")?.unwrap_or(false),
            value: parse_member(object, "value", fields)?,
        })),
        Some(other) => Type::Primitive(PrimitiveType::Other(other.into())),
        None => return Err(Fault::corrupt("missing member name=type")),
    })
}

fn parse_member(object: &json::Object, name: &str, fields: &mut Fields) -> Result<Type, Fault> {
    parse_type(json::required(json::member(object, name), name)?, fields)
}

impl PrimitiveType {
    /// Parses the text of a type; one that is not known stays what it is.
    pub fn parse(text: &str) -> Self {
        match text {
            "boolean" => Self::Boolean,
            "int" => Self::Int,
            "long" => Self::Long,
            "float" => Self::Float,
            "double" => Self::Double,
            "date" => Self::Date,
            "time" => Self::Time,
            "timestamp" => Self::Timestamp,
            "timestamptz" => Self::TimestampTz,
            "timestamp_ns" => Self::TimestampNs,
            "timestamptz_ns" => Self::TimestampTzNs,
            "string" => Self::String,
            "uuid" => Self::Uuid,
            "binary" => Self::Binary,
            "unknown" => Self::Unknown,
            "geometry" => Self::Geometry,
            "geography" => Self::Geography,
            _ => Self::with_parameters(text).unwrap_or_else(|| Self::Other(text.into())),
        }
    }

    fn with_parameters(text: &str) -> Option<Self> {
        if let Some(inner) = between(text, "decimal", '(', ')') {
            let (precision, scale) = inner.split_once(',')?;
            return Some(Self::Decimal {
                precision: precision.trim().parse().ok()?,
                scale: scale.trim().parse().ok()?,
            });
        }
        if let Some(inner) = between(text, "fixed", '[', ']') {
            return Some(Self::Fixed(inner.trim().parse().ok()?));
        }
        if between(text, "geometry", '(', ')').is_some() {
            return Some(Self::Geometry);
        }
        between(text, "geography", '(', ')').map(|_| Self::Geography)
    }

    /// Tells whether values are floating-point numbers, and so may be NaN.
    pub fn is_float(&self) -> bool {
        matches!(self, Self::Float | Self::Double)
    }
}

/// What stands between the brackets behind a word.
pub(crate) fn between<'t>(text: &'t str, word: &str, open: char, close: char) -> Option<&'t str> {
    let rest = text.strip_prefix(word)?.trim_start();
    rest.strip_prefix(open)?.trim_end().strip_suffix(close)
}

impl fmt::Display for PrimitiveType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Boolean => "boolean",
            Self::Int => "int",
            Self::Long => "long",
            Self::Float => "float",
            Self::Double => "double",
            Self::Decimal { precision, scale } => {
                return write!(f, "decimal({precision}, {scale})");
            }
            Self::Date => "date",
            Self::Time => "time",
            Self::Timestamp => "timestamp",
            Self::TimestampTz => "timestamptz",
            Self::TimestampNs => "timestamp_ns",
            Self::TimestampTzNs => "timestamptz_ns",
            Self::String => "string",
            Self::Uuid => "uuid",
            Self::Fixed(len) => return write!(f, "fixed[{len}]"),
            Self::Binary => "binary",
            Self::Unknown => "unknown",
            Self::Geometry => "geometry",
            Self::Geography => "geography",
            Self::Other(text) => text,
        };
        f.write_str(name)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Primitive(primitive) => primitive.fmt(f),
            Self::Variant => f.write_str("variant"),
            Self::Struct(fields) => {
                f.write_str("struct<")?;
                for (position, field) in fields.iter().enumerate() {
                    let comma = if position == 0 { "" } else { ", " };
                    write!(f, "{comma}{field}")?;
                }
                f.write_str(">")
            }
            Self::List(list) => write!(f, "list<{}>", list.element),
            Self::Map(map) => write!(f, "map<{}, {}>", map.key, map.value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_by_their_text() {
        use PrimitiveType as P;
        let other = |text: &str| P::Other(text.into());
        let decimal = |precision, scale| P::Decimal { precision, scale };
        let cases = [
            ("int", P::Int),
            ("timestamptz_ns", P::TimestampTzNs),
            ("decimal(9,2)", decimal(9, 2)),
            ("decimal( 38 , 10 )", decimal(38, 10)),
            ("decimal (9, 2)", decimal(9, 2)),
            ("decimal(9)", other("decimal(9)")),
            ("decimal(9,-2)", other("decimal(9,-2)")),
            ("fixed[16]", P::Fixed(16)),
            ("fixed[99999999999]", other("fixed[99999999999]")),
            ("geometry(srid:4326)", P::Geometry),
            ("geography(srid:4326, spherical)", P::Geography),
            ("unknown", P::Unknown),
            ("interval", other("interval")),
            ("INT", other("INT")),
        ];
        for (text, expected) in cases {
            assert_eq!(PrimitiveType::parse(text), expected, "{text}");
        }
    }
}
