//! What the values of a file look like, compiled from its schema.

use std::collections::HashMap;

use growler_base::limits;
use serde_json::{Map, Value};

use crate::error::Fault;

/// Most nodes of one schema, named types counted wherever they are used.
const NODES: usize = 1 << 17;

/// How the bytes of a value are laid out, and what they mean where that matters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Null,
    Boolean,
    Int(Meaning),
    Long(Meaning),
    Float,
    Double,
    Bytes(Meaning),
    String(Meaning),
    Fixed(u64, Meaning),
    Enum,
    Array(Box<Shape>),
    Map(Box<Shape>),
    Union(Vec<Shape>),
    Record(Vec<Field>),
}

/// What a logical type says of the bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Meaning {
    Plain,
    Date,
    TimeMillis,
    TimeMicros,
    TimestampMillis,
    TimestampMicros,
    TimestampNanos,
    Decimal { scale: u32 },
    Uuid,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    /// Identity; those of a schema without identities come from the names the spec gives.
    pub(crate) id: Option<i32>,
    pub(crate) name: Box<str>,
    pub(crate) shape: Shape,
}

impl Shape {
    /// Compiles a schema.
    ///
    /// Refused are types that can be read forever: those that hold themselves, and lists whose
    /// items take no bytes.
    pub(crate) fn compile(schema: &Value) -> Result<Self, Fault> {
        let mut compiler = Compiler::default();
        compiler.compile(schema, 0)
    }

    /// Returns the fewest bytes that a value takes.
    fn least_len(&self) -> u64 {
        match self {
            Self::Null => 0,
            Self::Boolean | Self::Int(_) | Self::Long(_) | Self::Enum => 1,
            Self::Bytes(_) | Self::String(_) | Self::Array(_) | Self::Map(_) | Self::Union(_) => 1,
            Self::Float => 4,
            Self::Double => 8,
            Self::Fixed(len, _) => *len,
            Self::Record(fields) => fields.iter().fold(0, |sum: u64, field| {
                sum.saturating_add(field.shape.least_len())
            }),
        }
    }
}

#[derive(Default)]
struct Compiler {
    nodes: usize,
    /// Fixed and enum types by name; a record is never used twice, or it could hold itself.
    named: HashMap<String, Shape>,
}

impl Compiler {
    fn compile(&mut self, schema: &Value, depth: usize) -> Result<Shape, Fault> {
        self.nodes = self.nodes.saturating_add(1);
        if depth > limits::SCHEMA_DEPTH || self.nodes > NODES {
            return Err(Fault::Limit("avro schema is too large".to_owned()));
        }
        let inside = depth.saturating_add(1);
        match schema {
            Value::String(name) => self.named(name),
            Value::Array(branches) => {
                let branches = branches.iter().map(|branch| self.compile(branch, inside));
                Ok(Shape::Union(branches.collect::<Result<_, _>>()?))
            }
            Value::Object(object) => self.object(object, inside),
            _ => Err(broken()),
        }
    }

    fn named(&self, name: &str) -> Result<Shape, Fault> {
        Ok(match name {
            "null" => Shape::Null,
            "boolean" => Shape::Boolean,
            "int" => Shape::Int(Meaning::Plain),
            "long" => Shape::Long(Meaning::Plain),
            "float" => Shape::Float,
            "double" => Shape::Double,
            "bytes" => Shape::Bytes(Meaning::Plain),
            "string" => Shape::String(Meaning::Plain),
            name => {
                let known = self.named.get(name).cloned();
                return known.ok_or_else(|| {
                    Fault::Unsupported(format!("avro type is not known type={name}"))
                });
            }
        })
    }

    fn object(&mut self, object: &Map<String, Value>, depth: usize) -> Result<Shape, Fault> {
        let member = |name: &str| object.get(name).ok_or_else(broken);
        let type_name = match member("type")? {
            Value::String(name) => name.as_str(),
            nested => return self.compile(nested, depth),
        };
        match type_name {
            "record" => self.record(member("fields")?, depth),
            "array" => Ok(Shape::Array(Box::new(self.item(member("items")?, depth)?))),
            "map" => Ok(Shape::Map(Box::new(self.item(member("values")?, depth)?))),
            "enum" => {
                self.remember(object, Shape::Enum);
                Ok(Shape::Enum)
            }
            "fixed" => {
                let len = member("size")?.as_u64().ok_or_else(broken)?;
                let fixed = Shape::Fixed(len, meaning(object));
                self.remember(object, fixed.clone());
                Ok(fixed)
            }
            name => Ok(match self.named(name)? {
                Shape::Int(_) => Shape::Int(meaning(object)),
                Shape::Long(_) => Shape::Long(meaning(object)),
                Shape::Bytes(_) => Shape::Bytes(meaning(object)),
                Shape::String(_) => Shape::String(meaning(object)),
                plain => plain,
            }),
        }
    }

    fn item(&mut self, schema: &Value, depth: usize) -> Result<Shape, Fault> {
        let item = self.compile(schema, depth)?;
        match item.least_len() {
            0 => Err(Fault::corrupt("items of an avro list take no bytes")),
            _ => Ok(item),
        }
    }

    fn record(&mut self, fields: &Value, depth: usize) -> Result<Shape, Fault> {
        let mut compiled = Vec::new();
        for field in fields.as_array().ok_or_else(broken)? {
            let id = field.get("field-id").and_then(Value::as_i64);
            let name = field
                .get("name")
                .and_then(Value::as_str)
                .ok_or_else(broken)?;
            compiled.push(Field {
                id: id.and_then(|id| i32::try_from(id).ok()),
                name: name.into(),
                shape: self.compile(field.get("type").ok_or_else(broken)?, depth)?,
            });
        }
        if compiled.iter().all(|field| field.id.is_none()) {
            for field in &mut compiled {
                field.id = known_id(&field.name);
            }
        }
        Ok(Shape::Record(compiled))
    }

    fn remember(&mut self, object: &Map<String, Value>, shape: Shape) {
        let Some(name) = object.get("name").and_then(Value::as_str) else {
            return;
        };
        if let Some(space) = object.get("namespace").and_then(Value::as_str) {
            self.named.insert(format!("{space}.{name}"), shape.clone());
        }
        self.named.insert(name.to_owned(), shape);
    }
}

fn meaning(object: &Map<String, Value>) -> Meaning {
    let scale = || object.get("scale").and_then(Value::as_u64).unwrap_or(0);
    match object.get("logicalType").and_then(Value::as_str) {
        Some("date") => Meaning::Date,
        Some("time-millis") => Meaning::TimeMillis,
        Some("time-micros") => Meaning::TimeMicros,
        Some("timestamp-millis" | "local-timestamp-millis") => Meaning::TimestampMillis,
        Some("timestamp-micros" | "local-timestamp-micros") => Meaning::TimestampMicros,
        Some("timestamp-nanos" | "local-timestamp-nanos") => Meaning::TimestampNanos,
        Some("uuid") => Meaning::Uuid,
        Some("decimal") => match u32::try_from(scale()) {
            Ok(scale) => Meaning::Decimal { scale },
            Err(_) => Meaning::Plain,
        },
        _ => Meaning::Plain,
    }
}

fn broken() -> Fault {
    Fault::corrupt("avro schema is broken")
}

/// The identity that the spec gives a field of manifests and manifest lists.
fn known_id(name: &str) -> Option<i32> {
    Some(match name {
        "manifest_path" => 500,
        "manifest_length" => 501,
        "partition_spec_id" => 502,
        "added_snapshot_id" => 503,
        "added_files_count" | "added_data_files_count" => 504,
        "existing_files_count" | "existing_data_files_count" => 505,
        "deleted_files_count" | "deleted_data_files_count" => 506,
        "partitions" => 507,
        "contains_null" => 509,
        "lower_bound" => 510,
        "upper_bound" => 511,
        "added_rows_count" => 512,
        "existing_rows_count" => 513,
        "deleted_rows_count" => 514,
        "status" => 0,
        "snapshot_id" => 1,
        "data_file" => 2,
        "file_path" => 100,
        "file_format" => 101,
        "partition" => 102,
        "record_count" => 103,
        "file_size_in_bytes" => 104,
        "value_counts" => 109,
        "null_value_counts" => 110,
        "lower_bounds" => 125,
        "upper_bounds" => 128,
        "key_metadata" => 131,
        "nan_value_counts" => 137,
        _ => return None,
    })
}
