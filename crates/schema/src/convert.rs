//! From the JSON of schemas and table configs to the engine's types, and back.

use std::collections::BTreeMap;

use crate::field::DateTimeSpec;
use crate::table_config::IndexConfigs;
use crate::validate::{self, ValidationErrors};
use crate::wire::schema::ChildFieldSpecs;
use crate::wire::{FieldConfigJson, FieldSpecJson, OpenStructJson, SchemaJson, TableConfigJson};
use crate::{
    ColumnType, DataType, Error, Field, FieldRole, TableSchema, TimeUnit, Value, default_null,
    infer, table_config,
};

/// Checks a schema and makes the engine's of it.
///
/// # Errors
/// `InvalidInput` with every breach of the rules.
pub fn schema_from_json(json: &SchemaJson) -> Result<TableSchema, Error> {
    let mut errors = Vec::new();
    let schema = validate::schema(json, &mut errors);
    ValidationErrors::check(json.schema_name.clone().unwrap_or_default(), errors)?;
    Ok(schema)
}

/// Checks a table config, and the schema in it if there is one, and makes the engine's of it.
/// `schema` is the table's schema where it is known from elsewhere.
///
/// # Errors
/// `InvalidInput` with every breach of the rules.
pub fn table_config_from_json(
    json: &TableConfigJson,
    schema: Option<&TableSchema>,
) -> Result<table_config::TableConfig, Error> {
    let mut errors = Vec::new();
    let inline = json
        .schema
        .as_ref()
        .map(|schema| validate::schema(schema, &mut errors));
    validate::table_config(json, inline.as_ref().or(schema), &mut errors);
    ValidationErrors::check(json.raw_name(), errors)?;
    Ok(table_config::TableConfig {
        name: json.raw_name().to_owned(),
        source_path: json.source.as_ref().and_then(|source| source.path.clone()),
        schema: inline,
        fields: json
            .field_config_list
            .iter()
            .filter_map(field_config)
            .collect(),
    })
}

/// Checks a table over files: its config, its declared schema (the config's own before `declared`)
/// and what its files have. `inferred` are the merged columns of the files, or the text that says
/// why there are none.
///
/// The schema returned is the declared one, made exact by the files, or that of the files.
///
/// # Errors
/// `InvalidInput` with every breach of the rules.
pub fn external_table(
    json: &TableConfigJson,
    declared: Option<&SchemaJson>,
    inferred: Result<Vec<Field>, String>,
) -> Result<(table_config::TableConfig, TableSchema), Error> {
    let mut errors = Vec::new();
    let declared = json.schema.as_ref().or(declared);
    let declared = declared.map(|declared| validate::schema(declared, &mut errors));
    let schema = match (declared, inferred) {
        (Some(declared), Ok(inferred)) => {
            errors.extend(infer::unreadable(&declared, &inferred));
            Some(infer::complete(&declared, &inferred))
        }
        (None, Ok(inferred)) => Some(TableSchema::new(json.raw_name(), inferred)),
        (declared, Err(text)) => {
            errors.push(text);
            declared
        }
    };
    validate::table_config(json, schema.as_ref(), &mut errors);
    ValidationErrors::check(json.raw_name(), errors)?;
    let schema = schema.unwrap_or_default();
    let inline = json.schema.as_ref().map(|_| schema.clone());
    Ok((checked_config(json, inline), schema))
}

/// Writes a schema as Pinot shows it.
pub fn schema_to_json(schema: &TableSchema) -> SchemaJson {
    let mut json = SchemaJson {
        schema_name: Some(schema.name.clone()),
        ..SchemaJson::default()
    };
    for field in schema.fields() {
        let list = match field.role {
            FieldRole::Dimension => &mut json.dimension_field_specs,
            FieldRole::Metric => &mut json.metric_field_specs,
            FieldRole::DateTime => &mut json.date_time_field_specs,
            FieldRole::Complex => &mut json.complex_field_specs,
        };
        list.push(field_to_json(field));
    }
    json
}

/// Makes the config that an onboarded table starts with: every column RAW, no index.
pub fn default_table_config(schema: &TableSchema) -> TableConfigJson {
    TableConfigJson {
        table_name: Some(format!("{}{}", schema.name, table_config::OFFLINE_SUFFIX)),
        table_type: Some("OFFLINE".to_owned()),
        field_config_list: schema
            .fields()
            .iter()
            .map(|field| FieldConfigJson::raw(&field.name))
            .collect(),
        ..TableConfigJson::default()
    }
}

fn checked_config(
    json: &TableConfigJson,
    schema: Option<TableSchema>,
) -> table_config::TableConfig {
    table_config::TableConfig {
        name: json.raw_name().to_owned(),
        source_path: json.source.as_ref().and_then(|source| source.path.clone()),
        schema,
        fields: json
            .field_config_list
            .iter()
            .filter_map(field_config)
            .collect(),
    }
}

fn field_to_json(field: &Field) -> FieldSpecJson {
    let usual = field.role.default_null(field.column_type.data_type);
    let complex = field.role == FieldRole::Complex;
    let children: ChildFieldSpecs = field
        .children
        .iter()
        .map(|(key, child)| (key.clone(), field_to_json(child)))
        .collect();
    FieldSpecJson {
        name: Some(field.name.clone()),
        data_type: Some(field.column_type.data_type.name().to_owned()),
        field_type: complex.then(|| "COMPLEX".to_owned()),
        single_value_field: field.column_type.multi_value.then_some(false),
        not_null: field.not_null,
        default_null_value: (field.default_null != usual)
            .then(|| default_null::write(&field.default_null)),
        format: field.date_time.as_ref().map(|spec| spec.format.clone()),
        granularity: field
            .date_time
            .as_ref()
            .map(|spec| spec.granularity.clone()),
        child_field_specs: complex.then_some(children),
        field_id: field.field_id.map(|id| id.0),
        aliases: field.aliases.clone(),
        extra: serde_json::Map::new(),
    }
}

/// Makes a field of its JSON; `None`, with the reason among the errors, when it has no usable
/// name and type. A default null value that does not convert is reported and left aside.
pub(crate) fn field_from_json(
    json: &FieldSpecJson,
    role: FieldRole,
    errors: &mut Vec<String>,
) -> Option<Field> {
    let name = json.name.as_deref().filter(|name| !name.trim().is_empty());
    let Some(name) = name else {
        errors.push("A field has no name".to_owned());
        return None;
    };
    let Some(type_name) = json.data_type.as_deref() else {
        errors.push(format!("Column '{name}' has no data type"));
        return None;
    };
    let Some(data_type) = DataType::parse(type_name) else {
        errors.push(format!(
            "Column '{name}' has unknown data type '{type_name}'"
        ));
        return None;
    };
    let data_type = with_unit(data_type, json.format.as_deref());
    let multi_value = json.single_value_field == Some(false);
    let mut field = Field::new(
        name,
        role,
        ColumnType {
            data_type,
            multi_value,
        },
    );
    field.field_id = json.field_id.map(growler_base::FieldId);
    field.aliases.clone_from(&json.aliases);
    field.not_null = json.not_null;
    if let Some(default) = &json.default_null_value {
        match default_null::parse(default, data_type) {
            Some(value) => {
                field.default_null = value;
                align_scale(&mut field);
            }
            None => errors.push(format!(
                "Column '{name}' has a defaultNullValue that is not a value of its type. Cannot \
                 convert value: '{}' to type: {type_name}",
                default
                    .as_str()
                    .map_or_else(|| default.to_string(), str::to_owned)
            )),
        }
    }
    if let (Some(format), Some(granularity)) = (&json.format, &json.granularity) {
        let (format, granularity) = (format.clone(), granularity.clone());
        field.date_time = Some(DateTimeSpec {
            format,
            granularity,
        });
    }
    field.children = children(name, json, errors);
    Some(field)
}

/// The keys of a complex column; theirs are not looked at, since a path names any depth.
fn children(name: &str, json: &FieldSpecJson, errors: &mut Vec<String>) -> BTreeMap<String, Field> {
    let mut children = BTreeMap::new();
    for (key, child) in json.child_field_specs.iter().flatten() {
        let named = FieldSpecJson {
            name: Some(child.name.clone().unwrap_or_else(|| key.clone())),
            child_field_specs: None,
            ..child.clone()
        };
        let mut found = Vec::new();
        if let Some(field) = field_from_json(&named, FieldRole::Dimension, &mut found) {
            children.insert(key.clone(), field);
        }
        errors.extend(found.into_iter().map(|error| {
            format!("Column '{name}' has a wrong entry in childFieldSpecs['{key}']: {error}")
        }));
    }
    children
}

/// A TIMESTAMP whose format counts micro- or nanoseconds has that unit.
fn with_unit(data_type: DataType, format: Option<&str>) -> DataType {
    let units = [TimeUnit::Micros, TimeUnit::Nanos];
    let named = |unit: &TimeUnit| {
        let parts = format.unwrap_or_default().split([':', '|']);
        parts.into_iter().any(|part| part == unit.pinot_name())
    };
    match (data_type, units.into_iter().find(named)) {
        (DataType::Timestamp { .. }, Some(unit)) => DataType::Timestamp { unit },
        _ => data_type,
    }
}

fn field_config(json: &FieldConfigJson) -> Option<(String, table_config::FieldConfig)> {
    let open_struct = json.open_struct().ok()?.unwrap_or_default();
    let config = table_config::FieldConfig {
        indexes: indexes(json),
        keys: open_struct
            .value_field_configs
            .iter()
            .filter_map(|key| Some((key.name.clone()?, indexes(key))))
            .collect(),
        default_key: open_struct.default_value_field_config.as_ref().map(indexes),
        remainder: remainder(&open_struct),
    };
    Some((json.name.clone()?, config))
}

fn indexes(json: &FieldConfigJson) -> IndexConfigs {
    let old = json
        .old_index_types()
        .map(|name| (name, serde_json::Value::Object(<_>::default())));
    let named = json
        .enabled_indexes()
        .map(|(name, settings)| (name.to_owned(), settings.clone()));
    old.chain(named)
        .filter(|(name, _)| name != "forward" && name != "open_struct")
        .collect()
}

fn remainder(json: &OpenStructJson) -> IndexConfigs {
    let mut indexes = json
        .sparse_field_config
        .as_ref()
        .map(indexes)
        .unwrap_or_default();
    if json.sparse_json_index && !indexes.contains_key("json") {
        indexes.insert("json".to_owned(), serde_json::Value::Object(<_>::default()));
    }
    indexes
}

/// Gives a field another data type, and with it the default null value that the old one stood for
/// and the date-time format that names the unit.
pub(crate) fn retype(field: &mut Field, data_type: DataType) {
    let old = field.column_type.data_type;
    let usual = field.role.default_null(old);
    field.column_type.data_type = data_type;
    field.default_null = if field.default_null == usual {
        field.role.default_null(data_type)
    } else {
        let written = default_null::write(&field.default_null);
        default_null::parse(&written, data_type).unwrap_or(usual)
    };
    align_scale(field);
    if let (DataType::Timestamp { unit: old }, DataType::Timestamp { unit }) = (old, data_type)
        && let Some(spec) = &mut field.date_time
    {
        spec.format = spec.format.replace(old.pinot_name(), unit.pinot_name());
        spec.granularity = spec
            .granularity
            .replace(old.pinot_name(), unit.pinot_name());
    }
}

/// Gives a decimal column and its default null value one scale, the larger of theirs.
fn align_scale(field: &mut Field) {
    let DataType::BigDecimal {
        scale: column_scale,
    } = &mut field.column_type.data_type
    else {
        return;
    };
    let Value::BigDecimal(unscaled, scale) = &mut field.default_null else {
        return;
    };
    *column_scale = (*column_scale).max(*scale);
    let missing = u32::try_from(*column_scale - *scale).unwrap_or_default();
    if let Some(aligned) = 10_i128
        .checked_pow(missing)
        .and_then(|ten| unscaled.checked_mul(ten))
    {
        (*unscaled, *scale) = (aligned, *column_scale);
    }
}
