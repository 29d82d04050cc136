//! A table's columns as segments bind them.

use growler_base::FieldId;
use growler_catalog::convert::source_type;
use growler_catalog::metadata::default::single;
use growler_catalog::metadata::{
    InitialDefault, MappedField, NestedField, PrimitiveType, Schema, TableMetadata, Type,
};
use growler_schema::Value;
use growler_segment::table::{Fill, Node, NodeKind, TableColumns};
use serde_json::Value as Json;

use super::Error;

/// Makes the columns of a schema of a table, with their defaults and the names that files without
/// identities have them under.
///
/// # Errors
/// The name mapping is no name mapping, or a default is of a kind that is not read.
pub fn columns(metadata: &TableMetadata, schema: &Schema) -> Result<TableColumns, Error> {
    let mapping = metadata.name_mapping()?;
    let mapped = mapping.as_ref().map_or(&[][..], |mapping| &mapping.fields);
    let mut nodes = Vec::with_capacity(schema.fields.len());
    for field in &schema.fields {
        // A column that the engine has no type for is in no view.
        if let Some(node) =
            node(field, mapped).map_err(|cause| unsupported(metadata, field, &cause))?
        {
            nodes.push(node);
        }
    }
    let columns = TableColumns::new(nodes, mapping.is_some());
    let highest = schema.highest_id().unwrap_or(FieldId(0));
    Ok(match metadata.last_column_id {
        // Old writers leave it out.
        0 => columns,
        last => columns.with_last_id(highest.max(FieldId(last))),
    })
}

/// A default that is not read; the name of the field.
type Refused = String;

fn unsupported(metadata: &TableMetadata, column: &NestedField, field: &str) -> Error {
    let column_name = match column.name == field {
        true => column.name.clone(),
        false => format!("{}.{field}", column.name),
    };
    Error::Default {
        column: column_name,
        type_name: column.field_type.to_string(),
        table: metadata.location.clone().unwrap_or_default(),
    }
}

fn node(field: &NestedField, mapped: &[MappedField]) -> Result<Option<Node>, Refused> {
    let own = mapped.iter().find(|own| own.field_id == Some(field.id));
    let below = own.map_or(&[][..], |own| &own.fields);
    let Some(kind) = kind(&field.field_type, below)? else {
        return Ok(None);
    };
    let missing = fill(&field.initial_default, &field.field_type);
    Ok(Some(Node {
        id: field.id,
        name: field.name.clone(),
        names: own.map(|own| own.names.clone()).unwrap_or_default(),
        required: field.required,
        missing: missing.ok_or_else(|| field.name.clone())?,
        kind,
    }))
}

fn kind(field_type: &Type, mapped: &[MappedField]) -> Result<Option<NodeKind>, Refused> {
    Ok(Some(match field_type {
        Type::Primitive(PrimitiveType::Unknown) => NodeKind::Unknown,
        Type::Primitive(_) => match source_type(field_type) {
            Some(source) => NodeKind::Leaf(source),
            None => return Ok(None),
        },
        Type::Variant => NodeKind::Variant,
        Type::Struct(fields) => {
            let mut nodes = Vec::with_capacity(fields.len());
            for field in fields {
                let Some(node) = node(field, mapped)? else {
                    return Ok(None);
                };
                nodes.push(node);
            }
            NodeKind::Struct(nodes)
        }
        Type::List(list) => match child("element", list.element_id, &list.element, mapped)? {
            Some(element) => NodeKind::List(Box::new(element)),
            None => return Ok(None),
        },
        Type::Map(map) => {
            let key = child("key", map.key_id, &map.key, mapped)?;
            let value = child("value", map.value_id, &map.value, mapped)?;
            match key.zip(value) {
                Some((key, value)) => NodeKind::Map(Box::new(key), Box::new(value)),
                None => return Ok(None),
            }
        }
    }))
}

/// Makes an element, key or value: one is always there, so it has no default.
fn child(
    name: &str,
    id: FieldId,
    field_type: &Type,
    mapped: &[MappedField],
) -> Result<Option<Node>, Refused> {
    let own = mapped.iter().find(|own| own.field_id == Some(id));
    let kind = kind(field_type, own.map_or(&[][..], |own| &own.fields))?;
    Ok(kind.map(|kind| Node {
        id,
        name: name.to_owned(),
        names: own.map(|own| own.names.clone()).unwrap_or_default(),
        required: false,
        missing: Fill::Null,
        kind,
    }))
}

/// Returns what a default fills in; none when it is of a kind that is not read.
fn fill(default: &InitialDefault, field_type: &Type) -> Option<Fill> {
    Some(match (default, field_type) {
        (InitialDefault::Null, _) => Fill::Null,
        (InitialDefault::Value(datum), _) => Fill::Value(datum.to_value()?),
        (InitialDefault::StructOfDefaults, _) => Fill::Fields,
        (InitialDefault::Nested(json), Type::List(list)) => match json.as_ref() {
            Json::Array(items) => {
                let items = items.iter().map(|item| value(item, &list.element));
                Fill::List(items.collect::<Option<_>>()?)
            }
            _ => return None,
        },
        (InitialDefault::Nested(json), Type::Map(map)) => {
            let items = |name: &str| json.get(name).and_then(Json::as_array);
            let (keys, values) = items("keys").zip(items("values"))?;
            if keys.len() != values.len() {
                return None;
            }
            let entries = keys.iter().zip(values);
            let entries = entries.map(|(k, v)| Some((value(k, &map.key)??, value(v, &map.value)?)));
            Fill::Map(entries.collect::<Option<_>>()?)
        }
        // Of a type that the engine does not have.
        (InitialDefault::Nested(_), _) => return None,
    })
}

/// Reads a value of a list or map: some none for null.
fn value(json: &Json, field_type: &Type) -> Option<Option<Value>> {
    if json.is_null() {
        return Some(None);
    }
    Some(Some(single(json, field_type.primitive()?)?.to_value()?))
}
