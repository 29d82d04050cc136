//! A Pinot schema.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Error;

/// JSON of a schema.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SchemaJson {
    /// Name; Pinot gives it the table's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_name: Option<String>,
    /// Whether each column's `notNull` decides about its nulls; written when true.
    #[serde(default, skip_serializing_if = "is_false", deserialize_with = "flag")]
    pub enable_column_based_null_handling: bool,
    /// Dimensions.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "list_or_null"
    )]
    pub dimension_field_specs: Vec<FieldSpecJson>,
    /// Metrics.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "list_or_null"
    )]
    pub metric_field_specs: Vec<FieldSpecJson>,
    /// Dates and times.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "list_or_null"
    )]
    pub date_time_field_specs: Vec<FieldSpecJson>,
    /// OPEN_STRUCT and MAP columns.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "list_or_null"
    )]
    pub complex_field_specs: Vec<FieldSpecJson>,
    /// Columns whose values identify a row.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "list_or_null"
    )]
    pub primary_key_columns: Vec<String>,
    /// Members that growler does not look at, such as `description` and `tags`.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// JSON of one column.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldSpecJson {
    /// Name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of the data type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_type: Option<String>,
    /// `DIMENSION`, `METRIC`, `DATE_TIME` or `COMPLEX`; growler writes it for the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_type: Option<String>,
    /// Whether a row has one value; written when it has several.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "some_flag"
    )]
    pub single_value_field: Option<bool>,
    /// Whether nulls are refused.
    #[serde(default, skip_serializing_if = "is_false", deserialize_with = "flag")]
    pub not_null: bool,
    /// Value for null; written when it is not the one of the type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_null_value: Option<Value>,
    /// Format of a date-time column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Granularity of a date-time column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granularity: Option<String>,
    /// Declared keys of a complex column; present, though empty, on every complex column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child_field_specs: Option<ChildFieldSpecs>,
    /// Identity in Iceberg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_id: Option<i32>,
    /// Earlier names.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "list_or_null"
    )]
    pub aliases: Vec<String>,
    /// Members that growler does not look at, such as `maxLength`.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Child specs by key.
pub type ChildFieldSpecs = std::collections::BTreeMap<String, FieldSpecJson>;

impl SchemaJson {
    /// Parses a schema. Its rules are not checked; see [`crate::validate`].
    ///
    /// # Errors
    /// `InvalidInput` where the text is not JSON or a member has another type than it should.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        super::table_config::parse(text)
    }

    /// Writes the schema as Pinot would show it.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }

    /// Iterates over all columns in the order of the lists.
    pub fn field_specs(&self) -> impl Iterator<Item = &FieldSpecJson> {
        self.dimension_field_specs
            .iter()
            .chain(&self.metric_field_specs)
            .chain(&self.date_time_field_specs)
            .chain(&self.complex_field_specs)
    }
}

pub(super) fn is_false(value: &bool) -> bool {
    !*value
}

pub(super) fn list_or_null<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::<Vec<T>>::deserialize(deserializer)?.unwrap_or_default())
}

/// Reads a flag as Pinot does: text is taken for what it says.
pub(super) fn flag<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(some_flag(deserializer)?.unwrap_or(false))
}

fn some_flag<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    let value = Option::<Value>::deserialize(deserializer)?;
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(flag)),
        Some(Value::String(text)) if text.eq_ignore_ascii_case("true") => Ok(Some(true)),
        Some(Value::String(text)) if text.eq_ignore_ascii_case("false") => Ok(Some(false)),
        Some(other) => Err(serde::de::Error::custom(format!(
            "expected true or false, found {other}"
        ))),
    }
}
