//! Rules of a schema.

use std::collections::BTreeSet;

use crate::convert::field_from_json;
use crate::wire::{FieldSpecJson, SchemaJson};
use crate::{DataType, Field, FieldRole, TableSchema};

use super::date_time;

/// Stands between a VARIANT column and a key in the names of derived columns, and before the names
/// of virtual ones.
const RESERVED: char = '$';

/// Checks a schema; what could be understood of it is returned, so that a table config can be
/// checked against it.
pub(crate) fn schema(json: &SchemaJson, errors: &mut Vec<String>) -> TableSchema {
    name(json, errors);
    let mut fields = Vec::new();
    let lists = [
        (&json.dimension_field_specs, FieldRole::Dimension),
        (&json.metric_field_specs, FieldRole::Metric),
        (&json.date_time_field_specs, FieldRole::DateTime),
        (&json.complex_field_specs, FieldRole::Complex),
    ];
    for (list, role) in lists {
        for spec in list {
            if let Some(made) = field_from_json(spec, role, errors) {
                field(spec, &made, errors);
                fields.push(made);
            }
        }
    }
    reserved_names(&fields, errors);
    duplicates(json, &fields, errors);
    for key in &json.primary_key_columns {
        if !fields.iter().any(|field| field.name == *key) {
            errors.push(format!(
                "Primary key column '{key}' is not a column of the schema"
            ));
        }
    }
    TableSchema::new(json.schema_name.clone().unwrap_or_default(), fields)
}

fn name(json: &SchemaJson, errors: &mut Vec<String>) {
    match json.schema_name.as_deref() {
        None | Some("") => errors.push("Schema has no schemaName".to_owned()),
        Some(name) if name.contains("__") => {
            errors.push(format!("schemaName '{name}' must not contain '__'"));
        }
        Some(name) if !is_plain_name(name) => {
            errors.push(format!("schemaName '{name}' {PLAIN_NAME}"));
        }
        Some(_) => {}
    }
    if json
        .extra
        .get("timeFieldSpec")
        .is_some_and(|spec| !spec.is_null())
    {
        errors.push("Schema has a timeFieldSpec; use dateTimeFieldSpecs instead".to_owned());
    }
}

/// What [`is_plain_name`] asks of a name, for people.
pub const PLAIN_NAME: &str = "must consist of letters, digits, '_', '-' and '.', not begin with '.' \
                              and not be longer than 200 bytes";

/// Tells whether a table or schema name can be part of a file's name and of a URL as it is.
pub fn is_plain_name(name: &str) -> bool {
    let fine = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    !name.is_empty() && name.len() <= 200 && !name.starts_with('.') && name.chars().all(fine)
}

fn field(json: &FieldSpecJson, field: &Field, errors: &mut Vec<String>) {
    let (name, data_type) = (&field.name, field.column_type.data_type);
    let is_complex = matches!(data_type, DataType::Map | DataType::OpenStruct);
    if is_complex != (field.role == FieldRole::Complex) {
        let type_name = data_type.name();
        errors.push(if is_complex {
            format!("Column '{name}' of type {type_name} must be in complexFieldSpecs")
        } else {
            format!("Column '{name}' of type {type_name} must not be in complexFieldSpecs")
        });
    }
    if field.column_type.multi_value && (is_complex || data_type == DataType::Json) {
        errors.push(format!(
            "Column '{name}' of type {} cannot be multi-value",
            data_type.name()
        ));
    }
    match field.role {
        FieldRole::Metric => metric(field, errors),
        FieldRole::DateTime => date_time::check(name, json, errors),
        FieldRole::Dimension | FieldRole::Complex => {}
    }
}

fn metric(field: &Field, errors: &mut Vec<String>) {
    let data_type = field.column_type.data_type;
    if field.column_type.multi_value {
        errors.push(format!(
            "Metric column '{}' cannot be multi-value",
            field.name
        ));
    }
    if !data_type.is_numeric() && data_type != DataType::Bytes && !is_complex(data_type) {
        let type_name = data_type.name();
        errors.push(format!(
            "Metric column '{}' cannot be of type {type_name}",
            field.name
        ));
    }
}

fn is_complex(data_type: DataType) -> bool {
    matches!(data_type, DataType::Map | DataType::OpenStruct)
}

fn reserved_names(fields: &[Field], errors: &mut Vec<String>) {
    let splits = fields
        .iter()
        .any(|field| field.column_type.data_type == DataType::OpenStruct);
    for Field { name, .. } in fields {
        if name.starts_with(RESERVED) {
            errors.push(format!("Schema column '{name}' starts with '{RESERVED}', which is reserved for virtual columns"));
        } else if splits && name.contains(RESERVED) {
            errors.push(format!(
                "Schema column '{name}' contains reserved OPEN_STRUCT separator '{RESERVED}'"
            ));
        }
    }
}

fn duplicates(json: &SchemaJson, fields: &[Field], errors: &mut Vec<String>) {
    let (mut names, mut ids) = (BTreeSet::new(), BTreeSet::new());
    for name in json.field_specs().filter_map(|spec| spec.name.as_deref()) {
        if !names.insert(name) {
            errors.push(format!("Column '{name}' is in the schema more than once"));
        }
    }
    for field in fields {
        if let Some(id) = field.field_id
            && !ids.insert(id)
        {
            errors.push(format!(
                "Column '{}' has a fieldId that another has: {id}",
                field.name
            ));
        }
    }
}
