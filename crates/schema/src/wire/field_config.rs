//! One entry of `fieldConfigList`: the encoding and the indexes of a column.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Error;

use super::schema::list_or_null;

/// JSON of one column's configuration; also of one VARIANT key's.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldConfigJson {
    /// Column, or key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `RAW` or `DICTIONARY`; absent means the latter, as in Pinot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding_type: Option<String>,
    /// Old way to ask for one index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_type: Option<String>,
    /// Old way to ask for several.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "list_or_null"
    )]
    pub index_types: Vec<String>,
    /// Settings by index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indexes: Option<Map<String, Value>>,
    /// Members that growler does not look at.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// JSON of the `open_struct` member of `indexes`: which indexes the keys of a VARIANT column and
/// the remainder have.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenStructJson {
    /// One entry for each shredded key that has an index.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "list_or_null"
    )]
    pub value_field_configs: Vec<FieldConfigJson>,
    /// Entry for keys without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_value_field_config: Option<FieldConfigJson>,
    /// Entry for everything that is not shredded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparse_field_config: Option<FieldConfigJson>,
    /// Older spelling of a `json` index in `sparseFieldConfig`.
    #[serde(default, skip_serializing_if = "super::schema::is_false")]
    #[serde(deserialize_with = "super::schema::flag")]
    pub sparse_json_index: bool,
    /// Other members; some of them are refused.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl FieldConfigJson {
    /// Makes the entry that an onboarded table has for each of its columns.
    pub fn raw(name: impl Into<String>) -> Self {
        let mut forward = Map::new();
        forward.insert("encodingType".to_owned(), Value::from("RAW"));
        let mut indexes = Map::new();
        indexes.insert("forward".to_owned(), Value::Object(forward));
        Self {
            name: Some(name.into()),
            encoding_type: Some("RAW".to_owned()),
            indexes: Some(indexes),
            ..Self::default()
        }
    }

    /// Iterates over the indexes asked for in `indexes` and their settings; entries that say
    /// `"disabled": true` or null are left out.
    pub fn enabled_indexes(&self) -> impl Iterator<Item = (&str, &Value)> {
        let all = self.indexes.iter().flatten();
        all.filter(|(_, settings)| !is_off(settings))
            .map(|(name, settings)| (name.as_str(), settings))
    }

    /// Iterates over the names of `indexType` and `indexTypes`, in lower case.
    pub fn old_index_types(&self) -> impl Iterator<Item = String> {
        self.index_type
            .iter()
            .chain(&self.index_types)
            .map(|name| name.to_ascii_lowercase())
    }

    /// Reads the `open_struct` member.
    ///
    /// # Errors
    /// `InvalidInput` when it has another shape than it should.
    pub fn open_struct(&self) -> Result<Option<OpenStructJson>, Error> {
        let settings = self
            .indexes
            .as_ref()
            .and_then(|indexes| indexes.get("open_struct"));
        match settings {
            Some(settings) if !is_off(settings) => OpenStructJson::deserialize(settings)
                .map(Some)
                .map_err(|error| Error::Json(error.to_string().into())),
            _ => Ok(None),
        }
    }
}

fn is_off(settings: &Value) -> bool {
    let flag = |name| {
        settings.get(name).and_then(|value: &Value| match value {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) => text.parse().ok(),
            _ => None,
        })
    };
    settings.is_null() || flag("disabled") == Some(true) || flag("enabled") == Some(false)
}
