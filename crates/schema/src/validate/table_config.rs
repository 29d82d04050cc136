//! Rules of a table config.

use std::collections::BTreeSet;

use crate::TableSchema;
use crate::wire::{FieldConfigJson, TableConfigJson};

use super::indexes;
use super::schema::{PLAIN_NAME, is_plain_name};

/// Checks a table config against the table's schema, as far as that is known.
pub(crate) fn table_config(
    json: &TableConfigJson,
    schema: Option<&TableSchema>,
    errors: &mut Vec<String>,
) {
    name_and_type(json, errors);
    if let Some(source) = &json.source
        && source.path.as_deref().is_none_or(str::is_empty)
    {
        errors.push("Requires a file, folder or glob in 'source.path'".to_owned());
    }
    sorted_columns(json, errors);
    let mut names = BTreeSet::new();
    for config in &json.field_config_list {
        let Some(name) = config.name.as_deref().filter(|name| !name.is_empty()) else {
            errors.push("An entry of fieldConfigList has no name".to_owned());
            continue;
        };
        if !names.insert(name) {
            errors.push(format!(
                "Column '{name}' is in fieldConfigList more than once"
            ));
        }
        let field = schema.map(|schema| schema.field(name));
        if field == Some(None) {
            errors.push(format!(
                "Column '{name}' in fieldConfigList is not a column of the schema"
            ));
        }
        let data_type = field.flatten().map(|field| field.column_type.data_type);
        raw_encoding(name, config, errors);
        indexes::column(name, config, data_type, errors);
    }
}

fn name_and_type(json: &TableConfigJson, errors: &mut Vec<String>) {
    let name = json.raw_name();
    if name.is_empty() {
        errors.push("Table config has no tableName".to_owned());
    } else if name.contains("__") {
        errors.push(format!("tableName '{name}' must not contain '__'"));
    } else if !is_plain_name(name) {
        errors.push(format!("tableName '{name}' {PLAIN_NAME}"));
    }
    match json.table_type.as_deref() {
        None | Some("OFFLINE") => {}
        Some(other) => errors.push(format!("Requires tableType OFFLINE. Table has {other}")),
    }
}

/// Sort order that is asked for table-wide.
fn sorted_columns(json: &TableConfigJson, errors: &mut Vec<String>) {
    let settings = json
        .extra
        .get("tableIndexConfig")
        .and_then(|config| config.get("sortedColumn"));
    for column in settings
        .and_then(|columns| columns.as_array())
        .into_iter()
        .flatten()
    {
        if let Some(column) = column.as_str() {
            errors.push(format!(
                "Does not support 'sorted' index. Column '{column}' has 'sorted' configured in \
                 tableIndexConfig.sortedColumn"
            ));
        }
    }
}

fn raw_encoding(name: &str, config: &FieldConfigJson, errors: &mut Vec<String>) {
    let found = match config.encoding_type.as_deref() {
        Some("RAW") => return forward_encoding(name, config, errors),
        Some(other) => other.to_owned(),
        None => "DICTIONARY (default)".to_owned(),
    };
    errors.push(format!(
        "Requires RAW encoding for all columns. Column '{name}' has {found} encoding"
    ));
}

fn forward_encoding(name: &str, config: &FieldConfigJson, errors: &mut Vec<String>) {
    let forward = config
        .indexes
        .as_ref()
        .and_then(|indexes| indexes.get("forward"));
    let encoding = forward.and_then(|forward| forward.get("encodingType"));
    if let Some(encoding) = encoding.and_then(|encoding| encoding.as_str())
        && encoding != "RAW"
    {
        errors.push(format!(
            "Requires RAW encoding for all columns. Column '{name}' has {encoding} encoding in \
             its 'forward' index"
        ));
    }
}
