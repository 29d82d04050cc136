//! A table's columns as the engine has them.
//!
//! | Iceberg | column |
//! | - | - |
//! | boolean, int, long, float, double, string | BOOLEAN, INT, LONG, FLOAT, DOUBLE, STRING |
//! | decimal of up to 38 digits | BIG_DECIMAL of its scale |
//! | date | LONG, days since 1970 |
//! | time | LONG, microseconds |
//! | timestamp, timestamptz, and the `_ns` forms | TIMESTAMP in micro- or nanoseconds |
//! | uuid | UUID |
//! | fixed, binary, geometry, geography | BYTES |
//! | list of one of these | multi-value column of it |
//! | map of two of these | MAP |
//! | struct, other lists and maps | JSON |
//! | variant | OPEN_STRUCT |
//! | unknown | STRING, null in every row |
//!
//! A column of any other type is left out and said to be.

use std::collections::{BTreeMap, HashSet};

use growler_base::FieldId;
use growler_schema::{Field, SourceType, TableSchema, TimeUnit, Value};

use crate::metadata::{InitialDefault, NameMapping, NestedField, PrimitiveType, Schema, Type};

/// A table's columns as the engine has them.
#[derive(Debug, Clone, PartialEq)]
pub struct Converted {
    /// The columns, with their identities and, as aliases, the names that files may have them under.
    pub schema: TableSchema,
    /// What rows of files hold that were written before a column existed, by column; null if it is
    /// not listed.
    pub initial_defaults: BTreeMap<FieldId, Value>,
    /// Columns that the engine has no type for.
    pub skipped: Vec<SkippedColumn>,
}

/// A column that the engine has no type for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedColumn {
    /// Its name.
    pub name: String,
    /// Its type, as the table has it.
    pub type_name: String,
}

/// Converts a schema; `mapping` is the table's names of columns in files without identities.
pub fn to_table_schema(name: &str, schema: &Schema, mapping: Option<&NameMapping>) -> Converted {
    let taken: HashSet<&str> = schema.fields.iter().map(|f| f.name.as_str()).collect();
    let mut fields = Vec::with_capacity(schema.fields.len());
    let mut initial_defaults = BTreeMap::new();
    let mut skipped = Vec::new();
    for column in &schema.fields {
        let Some(mut field) = field(column) else {
            skipped.push(SkippedColumn {
                name: column.name.clone(),
                type_name: column.field_type.to_string(),
            });
            continue;
        };
        let names = mapping.map_or(&[][..], |mapping| mapping.names(column.id));
        // A name that another column has now is that one's.
        let free = names.iter().filter(|name| !taken.contains(name.as_str()));
        field.aliases = free.cloned().collect();
        if let InitialDefault::Value(value) = &column.initial_default
            && let Some(value) = value.to_value()
        {
            initial_defaults.insert(column.id, value);
        }
        fields.push(field);
    }
    Converted {
        schema: TableSchema::new(name, fields),
        initial_defaults,
        skipped,
    }
}

fn field(column: &NestedField) -> Option<Field> {
    let mut field = source_type(&column.field_type)?.field(&column.name).ok()?;
    field.field_id = Some(column.id);
    field.not_null = column.required;
    Some(field)
}

/// Returns the type that a Parquet file has such a column in; none for types that are not known here.
pub fn source_type(field_type: &Type) -> Option<SourceType> {
    Some(match field_type {
        Type::Primitive(primitive) => primitive_source(primitive)?,
        Type::Variant => SourceType::Variant,
        Type::Struct(fields) => {
            for field in fields {
                source_type(&field.field_type)?;
            }
            SourceType::Struct
        }
        Type::List(list) => SourceType::List(Box::new(source_type(&list.element)?)),
        Type::Map(map) => SourceType::Map {
            key: Box::new(source_type(&map.key)?),
            value: Box::new(source_type(&map.value)?),
        },
    })
}

fn primitive_source(primitive: &PrimitiveType) -> Option<SourceType> {
    use PrimitiveType as P;
    let timestamp = |unit, utc| SourceType::Timestamp { unit, utc };
    Some(match primitive {
        P::Boolean => SourceType::Boolean,
        P::Int => SourceType::Int32,
        P::Long => SourceType::Int64,
        P::Float => SourceType::Float32,
        P::Double => SourceType::Float64,
        P::Decimal { precision, scale } => SourceType::Decimal {
            precision: *precision,
            scale: i32::try_from(*scale).ok()?,
        },
        P::Date => SourceType::Date,
        P::Time => SourceType::Time {
            unit: TimeUnit::Micros,
        },
        P::Timestamp => timestamp(TimeUnit::Micros, false),
        P::TimestampTz => timestamp(TimeUnit::Micros, true),
        P::TimestampNs => timestamp(TimeUnit::Nanos, false),
        P::TimestampTzNs => timestamp(TimeUnit::Nanos, true),
        P::String | P::Unknown => SourceType::String,
        P::Uuid => SourceType::Uuid,
        P::Fixed(_) | P::Binary => SourceType::Binary,
        P::Geometry => SourceType::Geometry,
        P::Geography => SourceType::Geography,
        P::Other(_) => return None,
    })
}
