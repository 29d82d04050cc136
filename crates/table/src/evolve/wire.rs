//! The JSON of a served schema, as the store keeps it: exact, where Pinot's leaves out scales and units.

use std::collections::BTreeMap;

use growler_base::FieldId;
use growler_catalog::{SchemaId, SnapshotId};
use growler_schema::field::DateTimeSpec;
use growler_schema::{DataType, Field, FieldRole, TimeUnit, Value, default_null};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{NestedName, ServedColumn, ServedSchema, SourceVersion};

/// Writes a schema.
pub fn to_json(schema: &ServedSchema) -> String {
    let json = SchemaJson {
        name: schema.name.clone(),
        source: schema.source.map(|source| SourceJson {
            snapshot_id: source.snapshot_id.map(|id| id.0),
            schema_id: source.schema_id.0,
        }),
        columns: schema.columns.iter().map(column_json).collect(),
    };
    // Nothing in it can fail to be written.
    serde_json::to_string(&json).unwrap_or_default()
}

/// Reads a schema.
///
/// # Errors
/// What is wrong with the text.
pub fn from_json(text: &str) -> Result<ServedSchema, String> {
    let json: SchemaJson = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let columns = json.columns.into_iter().map(column);
    Ok(ServedSchema {
        name: json.name,
        source: json.source.map(|source| SourceVersion {
            snapshot_id: source.snapshot_id.map(SnapshotId),
            schema_id: SchemaId(source.schema_id),
        }),
        columns: columns.collect::<Result<_, _>>()?,
    })
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SchemaJson {
    name: String,
    source: Option<SourceJson>,
    columns: Vec<ColumnJson>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SourceJson {
    snapshot_id: Option<i64>,
    schema_id: i32,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ColumnJson {
    #[serde(flatten)]
    field: FieldJson,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    initial_default: Option<Json>,
    #[serde(default, skip_serializing_if = "is_false")]
    dropped: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    nested: Vec<NestedJson>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NestedJson {
    id: i32,
    name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FieldJson {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    field_id: Option<i32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    role: RoleJson,
    #[serde(rename = "type")]
    type_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scale: Option<i8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unit: Option<UnitJson>,
    #[serde(default, skip_serializing_if = "is_false")]
    multi_value: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    not_null: bool,
    /// Left out where it is the one of the role and type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default_null: Option<Json>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    children: BTreeMap<String, FieldJson>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    granularity: Option<String>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum RoleJson {
    Dimension,
    Metric,
    DateTime,
    Complex,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum UnitJson {
    Milliseconds,
    Microseconds,
    Nanoseconds,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

fn column_json(column: &ServedColumn) -> ColumnJson {
    let nested = |(id, name): (&FieldId, &NestedName)| NestedJson {
        id: id.0,
        name: name.name.clone(),
        aliases: name.aliases.clone(),
    };
    ColumnJson {
        field: field_json(&column.field),
        source_type: column.source_type.clone(),
        initial_default: column.initial_default.as_ref().map(default_null::write),
        dropped: column.dropped,
        nested: column.nested.iter().map(nested).collect(),
    }
}

fn column(json: ColumnJson) -> Result<ServedColumn, String> {
    let field = field(json.field)?;
    let initial_default = json.initial_default.as_ref().map(|value| {
        exact(value, field.column_type.data_type).ok_or_else(|| {
            format!(
                "initial default is no value of its type column={}",
                field.name
            )
        })
    });
    let nested = |nested: NestedJson| {
        let (name, aliases) = (nested.name, nested.aliases);
        (FieldId(nested.id), NestedName { name, aliases })
    };
    Ok(ServedColumn {
        initial_default: initial_default.transpose()?,
        field,
        source_type: json.source_type,
        dropped: json.dropped,
        nested: json.nested.into_iter().map(nested).collect(),
    })
}

fn field_json(field: &Field) -> FieldJson {
    let data_type = field.column_type.data_type;
    let usual = field.role.default_null(data_type);
    let children = field.children.iter();
    FieldJson {
        name: field.name.clone(),
        field_id: field.field_id.map(|id| id.0),
        aliases: field.aliases.clone(),
        role: match field.role {
            FieldRole::Dimension => RoleJson::Dimension,
            FieldRole::Metric => RoleJson::Metric,
            FieldRole::DateTime => RoleJson::DateTime,
            FieldRole::Complex => RoleJson::Complex,
        },
        type_name: data_type.name().to_owned(),
        scale: match data_type {
            DataType::BigDecimal { scale } => Some(scale),
            _ => None,
        },
        unit: match data_type {
            DataType::Timestamp { unit } => Some(match unit {
                TimeUnit::Millis => UnitJson::Milliseconds,
                TimeUnit::Micros => UnitJson::Microseconds,
                TimeUnit::Nanos => UnitJson::Nanoseconds,
            }),
            _ => None,
        },
        multi_value: field.column_type.multi_value,
        not_null: field.not_null,
        default_null: (field.default_null != usual)
            .then(|| default_null::write(&field.default_null)),
        children: children
            .map(|(key, child)| (key.clone(), field_json(child)))
            .collect(),
        format: field.date_time.as_ref().map(|spec| spec.format.clone()),
        granularity: field
            .date_time
            .as_ref()
            .map(|spec| spec.granularity.clone()),
    }
}

fn field(json: FieldJson) -> Result<Field, String> {
    let parsed = DataType::parse(&json.type_name);
    let data_type = match (parsed, json.scale, json.unit) {
        (Some(DataType::BigDecimal { .. }), Some(scale), _) => DataType::BigDecimal { scale },
        (Some(DataType::Timestamp { .. }), _, Some(unit)) => DataType::Timestamp {
            unit: match unit {
                UnitJson::Milliseconds => TimeUnit::Millis,
                UnitJson::Microseconds => TimeUnit::Micros,
                UnitJson::Nanoseconds => TimeUnit::Nanos,
            },
        },
        (Some(other), _, _) => other,
        (None, _, _) => {
            return Err(format!(
                "unknown type type={} column={}",
                json.type_name, json.name
            ));
        }
    };
    let role = match json.role {
        RoleJson::Dimension => FieldRole::Dimension,
        RoleJson::Metric => FieldRole::Metric,
        RoleJson::DateTime => FieldRole::DateTime,
        RoleJson::Complex => FieldRole::Complex,
    };
    let column_type = match json.multi_value {
        true => data_type.multi(),
        false => data_type.single(),
    };
    let mut made = Field::new(json.name, role, column_type);
    made.field_id = json.field_id.map(FieldId);
    made.aliases = json.aliases;
    made.not_null = json.not_null;
    if let Some(value) = &json.default_null {
        made.default_null = exact(value, data_type)
            .ok_or_else(|| format!("default is no value of its type column={}", made.name))?;
    }
    for (key, child) in json.children {
        made.children.insert(key, field(child)?);
    }
    made.date_time = json
        .format
        .zip(json.granularity)
        .map(|(format, granularity)| DateTimeSpec {
            format,
            granularity,
        });
    Ok(made)
}

/// A value of the very type: decimals are given the column's scale.
fn exact(json: &Json, data_type: DataType) -> Option<Value> {
    match (default_null::parse(json, data_type)?, data_type) {
        (Value::BigDecimal(unscaled, scale), DataType::BigDecimal { scale: wanted }) => {
            let missing = u32::try_from(wanted.checked_sub(scale)?).ok()?;
            let unscaled = unscaled.checked_mul(10_i128.checked_pow(missing)?)?;
            Some(Value::BigDecimal(unscaled, wanted))
        }
        (value, _) => Some(value),
    }
}
