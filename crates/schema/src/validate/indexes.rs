//! Which indexes a column, a key and the remainder of a VARIANT column may ask for.
//!
//! Texts are those that operators know from Pinot.

use std::collections::BTreeSet;

use crate::DataType;
use crate::wire::{FieldConfigJson, OpenStructJson};

use super::settings;

/// Indexes that need files written in their order, or a dictionary of cells.
const REFUSED: [&str; 2] = ["sorted", "h3"];
/// Settings that choose which keys are columns; the writer's shredding decides that.
const KEY_CHOICE: [&str; 4] = [
    "maxDenseKeys",
    "denseKeys",
    "denseKeyMinFillRate",
    "maxNestedKeyDepth",
];
const KEY_INDEXES: [&str; 5] = ["forward", "dictionary", "inverted", "range", "bloom"];
const REMAINDER_INDEXES: [&str; 3] = ["forward", "json", "compositeJson"];
const JSON_INDEXES: [&str; 2] = ["json", "compositeJson"];
const COLUMN_INDEXES: [&str; 7] = [
    "forward",
    "dictionary",
    "inverted",
    "range",
    "bloom",
    "json",
    "compositeJson",
];
const VARIANT_INDEXES: [&str; 2] = ["forward", "open_struct"];
/// Members of an entry that growler knows or that Pinot has for other purposes.
const ENTRY_MEMBERS: [&str; 4] = [
    "compressionCodec",
    "properties",
    "timestampConfig",
    "tierOverwrites",
];

/// Checks the indexes of one column; `data_type` is none where the schema is not known.
pub(super) fn column(
    name: &str,
    config: &FieldConfigJson,
    data_type: Option<DataType>,
    errors: &mut Vec<String>,
) {
    refused(name, config, "", errors);
    json_index(name, config, data_type, errors);
    let what = format!("Column '{name}'");
    members(config, &what, errors);
    if is_variant(config, data_type) {
        // A JSON index there is refused above, with a text of its own.
        only_or(config, &VARIANT_INDEXES, &JSON_INDEXES, &what, errors);
    } else {
        only_or(config, &COLUMN_INDEXES, &["open_struct"], &what, errors);
        settings::all(config, &what, errors);
    }
    match config.open_struct() {
        Ok(None) => {}
        Ok(Some(open_struct)) => {
            if data_type.is_some_and(|data_type| data_type != DataType::OpenStruct) {
                errors.push(format!(
                    "Column '{name}' has 'open_struct' configured but is not of type OPEN_STRUCT"
                ));
            }
            keys(name, &open_struct, errors);
        }
        Err(error) => errors.push(format!(
            "Column '{name}' has a wrong 'open_struct': {error}"
        )),
    }
}

/// Refuses what no column can have; `place` is the path below `indexes`, with its preposition.
fn refused(name: &str, config: &FieldConfigJson, place: &str, errors: &mut Vec<String>) {
    let mut asked: Vec<(String, &str)> = config
        .enabled_indexes()
        .map(|(index, _)| (index.to_owned(), "the indexes map"))
        .collect();
    asked.extend(config.old_index_types().map(|index| (index, "indexTypes")));
    for (index, map) in asked {
        if REFUSED.contains(&index.as_str()) {
            errors.push(format!(
                "Does not support '{index}' index. Column '{name}' has '{index}' configured in \
                 {map}{place}"
            ));
        }
    }
}

fn json_index(
    name: &str,
    config: &FieldConfigJson,
    data_type: Option<DataType>,
    errors: &mut Vec<String>,
) {
    let asked = config
        .enabled_indexes()
        .any(|(index, _)| JSON_INDEXES.contains(&index))
        || config.old_index_types().any(|index| index == "json");
    let fits = match data_type {
        Some(data_type) => {
            matches!(data_type, DataType::String | DataType::Json | DataType::Map)
        }
        None => !is_variant(config, data_type),
    };
    if asked && !fits {
        errors.push(format!(
            "Cannot create JSON index on column: {name} of stored type other than STRING or MAP"
        ));
    }
}

/// Tells whether a column is a VARIANT, as far as its type or its config shows.
fn is_variant(config: &FieldConfigJson, data_type: Option<DataType>) -> bool {
    let mut indexes = config.indexes.iter();
    data_type.map_or_else(
        || indexes.any(|indexes| indexes.contains_key("open_struct")),
        |data_type| data_type == DataType::OpenStruct,
    )
}

/// Refuses what no entry of a config has: most likely a name with a typing error.
fn members(config: &FieldConfigJson, what: &str, errors: &mut Vec<String>) {
    let known = |name: &&String| ENTRY_MEMBERS.contains(&name.as_str());
    for member in config.extra.keys().filter(|name| !known(name)) {
        errors.push(format!("{what} has unknown setting '{member}'"));
    }
}

fn keys(name: &str, config: &OpenStructJson, errors: &mut Vec<String>) {
    for setting in KEY_CHOICE {
        if config.extra.contains_key(setting) {
            errors.push(format!(
                "Does not support '{setting}' for an external table. Column '{name}' has \
                 '{setting}' configured under 'open_struct'."
            ));
        }
    }
    let known =
        |setting: &str| KEY_CHOICE.contains(&setting) || matches!(setting, "disabled" | "enabled");
    for setting in config.extra.keys().filter(|setting| !known(setting)) {
        errors.push(format!(
            "Column '{name}' has unsupported setting '{setting}' under 'open_struct'; supported \
             settings are [valueFieldConfigs, defaultValueFieldConfig, sparseFieldConfig, \
             sparseJsonIndex]"
        ));
    }
    let mut names = BTreeSet::new();
    for key_config in &config.value_field_configs {
        let Some(key) = key_config.name.as_deref().filter(|key| !key.is_empty()) else {
            errors.push(format!(
                "Column '{name}' has an entry without name under 'open_struct.valueFieldConfigs'"
            ));
            continue;
        };
        if !names.insert(key) {
            errors.push(format!(
                "Column '{name}' has key '{key}' more than once under \
                 'open_struct.valueFieldConfigs'"
            ));
        }
        let place = format!("open_struct.valueFieldConfigs['{key}']");
        nested(name, key_config, &place, errors);
        entry(
            key_config,
            &KEY_INDEXES,
            &format!("OPEN_STRUCT key '{key}'"),
            errors,
        );
    }
    if let Some(key_config) = &config.default_value_field_config {
        nested(
            name,
            key_config,
            "open_struct.defaultValueFieldConfig",
            errors,
        );
        entry(key_config, &KEY_INDEXES, "OPEN_STRUCT default key", errors);
    }
    if let Some(remainder) = &config.sparse_field_config {
        nested(name, remainder, "open_struct.sparseFieldConfig", errors);
        let what = format!("OPEN_STRUCT remainder '{name}$__sparse__'");
        entry(remainder, &REMAINDER_INDEXES, &what, errors);
    }
}

/// Rules of every entry under `open_struct`. Their encoding is RAW, said or not.
fn nested(name: &str, config: &FieldConfigJson, place: &str, errors: &mut Vec<String>) {
    refused(name, config, &format!(" under '{place}'"), errors);
    if let Some(encoding) = config.encoding_type.as_deref()
        && encoding != "RAW"
    {
        errors.push(format!(
            "Requires RAW encoding for all columns. Column '{name}' has {encoding} encoding under \
             '{place}'"
        ));
    }
}

/// Rules of what an entry under `open_struct` asks for.
fn entry(config: &FieldConfigJson, supported: &[&str], what: &str, errors: &mut Vec<String>) {
    members(config, what, errors);
    only_or(config, supported, &[], what, errors);
    settings::all(config, what, errors);
}

/// Refuses indexes that are neither supported nor refused elsewhere.
fn only_or(
    config: &FieldConfigJson,
    supported: &[&str],
    elsewhere: &[&str],
    what: &str,
    errors: &mut Vec<String>,
) {
    let named = config.enabled_indexes().map(|(index, _)| index.to_owned());
    for index in named.chain(config.old_index_types()) {
        let name = index.as_str();
        let is_known = [supported, elsewhere, &REFUSED]
            .iter()
            .any(|names| names.contains(&name));
        if !is_known && index != "none" {
            errors.push(format!(
                "{what} declares unsupported index '{index}'; supported indexes are [{}]",
                supported.join(", ")
            ));
        }
    }
}
