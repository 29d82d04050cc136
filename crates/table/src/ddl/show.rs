//! A table back to text.

use growler_schema::TableSchema;
use growler_schema::validate::ValidationErrors;
use growler_schema::wire::{FieldConfigJson, TableConfigJson};
use serde_json::Value;

use super::error::Error;
use super::options;
use super::statement::TableName;
use crate::config::secret::HIDDEN;
use crate::config::{ExternalConfig, Key};

/// A `CREATE TABLE` statement, and what is to be known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The statement; run where the table is not, it makes the same table.
    pub ddl: String,
    /// What has to be put in by hand.
    pub warnings: Vec<String>,
}

/// Writes the statement that makes a table of a config again.
///
/// # Errors
/// [`Error::Lossy`] when the config says what no statement can, or is no External Table's.
pub fn show_create(json: &TableConfigJson) -> Result<Shown, Error> {
    let lossy = |reasons| Error::Lossy {
        table: json.raw_name().to_owned(),
        reasons,
    };
    let listed = |errors: ValidationErrors| lossy(errors.errors);
    let Some(config) = ExternalConfig::of_table(json).map_err(listed)? else {
        return Err(lossy(vec![
            "it is no External Table with a catalog".to_owned(),
        ]));
    };
    let reasons = losses(json);
    if !reasons.is_empty() {
        return Err(lossy(reasons));
    }
    let name = TableName {
        database: None,
        table: json.raw_name().to_owned(),
    };
    let options = options::of_config(&config);
    let lines: Vec<String> = options
        .iter()
        .map(|(key, value)| format!("  {key} = {value}"))
        .collect();
    let warnings = hidden(&config);
    Ok(Shown {
        ddl: format!(
            "CREATE EXTERNAL TABLE {name} WITH (\n{}\n);",
            lines.join(",\n")
        ),
        warnings,
    })
}

/// Says which secrets have to be put in by hand.
fn hidden(config: &ExternalConfig) -> Vec<String> {
    let settings = config.settings();
    let is_hidden = |key: Key| settings.shown(key).as_deref() == Some(HIDDEN);
    let hidden = settings.iter().filter(|(key, _)| is_hidden(*key));
    let hidden: Vec<String> = hidden.map(|(key, _)| key.sql_name()).collect();
    if hidden.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "Secrets are not shown. Give them in place of '{HIDDEN}': {}",
        hidden.join(", ")
    )]
}

/// Makes the table config of a new table of a config.
pub fn table_config(name: &str, config: &ExternalConfig, schema: &TableSchema) -> TableConfigJson {
    let mut json = growler_schema::convert::default_table_config(schema);
    json.table_name = Some(format!(
        "{name}{}",
        growler_schema::table_config::OFFLINE_SUFFIX
    ));
    config.put_into(&mut json);
    json
}

/// Lists what a table config says that no statement can.
fn losses(json: &TableConfigJson) -> Vec<String> {
    let mut losses = Vec::new();
    let is_plain = |field: &FieldConfigJson| {
        let mut asked = field
            .enabled_indexes()
            .filter(|(index, _)| *index != "forward");
        asked.next().is_none() && field.old_index_types().next().is_none() && field.extra.is_empty()
    };
    for field in json
        .field_config_list
        .iter()
        .filter(|field| !is_plain(field))
    {
        let name = field.name.as_deref().unwrap_or_default();
        losses.push(format!("column '{name}' has settings in fieldConfigList"));
    }
    for (name, is_there) in [
        ("schema", json.schema.is_some()),
        ("source", json.source.is_some()),
        (
            "segmentsConfig",
            json.segments_config.as_ref().is_some_and(says_something),
        ),
    ] {
        if is_there {
            losses.push(format!("it has '{name}'"));
        }
    }
    for (name, value) in &json.extra {
        let is_more = match name.as_str() {
            "task" => has_other_tasks(value),
            _ => says_something(value),
        };
        if is_more {
            losses.push(format!("it has '{name}'"));
        }
    }
    losses
}

fn has_other_tasks(task: &Value) -> bool {
    let only = |value: Option<&Value>| {
        value
            .and_then(Value::as_object)
            .is_none_or(|map| map.len() <= 1)
    };
    !only(Some(task)) || !only(task.get("taskTypeConfigsMap"))
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Object(map) => map.values().any(says_something),
        Value::Array(list) => !list.is_empty(),
        _ => true,
    }
}
