//! A Pinot table config, with growler's own members for tables over files.
//!
//! ```json
//! {
//!   "tableName": "events_variant_OFFLINE",
//!   "tableType": "OFFLINE",
//!   "source": { "path": "/data/events/*.parquet" },
//!   "schema": { "schemaName": "events_variant", "dimensionFieldSpecs": [] },
//!   "fieldConfigList": []
//! }
//! ```
//!
//! `source.path` is a Parquet file, a folder (searched downwards for `*.parquet`) or a glob; a
//! relative one counts from the folder of the file that holds the config. `schema` may be left
//! out: the columns are then those of the files.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Error;

use super::schema::list_or_null;
use super::{FieldConfigJson, SchemaJson};

/// JSON of a table config.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TableConfigJson {
    /// Name, with or without `_OFFLINE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_name: Option<String>,
    /// `OFFLINE`, also when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_type: Option<String>,
    /// Retention, replication and time column; kept as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments_config: Option<Value>,
    /// Where the Parquet files are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceJson>,
    /// Columns, where they are not to be read off the files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<SchemaJson>,
    /// Encoding and indexes of columns.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "list_or_null"
    )]
    pub field_config_list: Vec<FieldConfigJson>,
    /// Members that growler does not look at, such as `tenants`, `ingestionConfig` and `task`.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// JSON of the place of a table's files.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SourceJson {
    /// File, folder or glob.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Members that growler does not look at.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl TableConfigJson {
    /// Parses a table config. Its rules are not checked; see [`crate::validate`].
    ///
    /// # Errors
    /// `InvalidInput` where the text is not JSON or a member has another type than it should.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        parse(text)
    }

    /// Writes the config as Pinot would show it.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }

    /// Returns the table's name without `_OFFLINE`; empty when there is none.
    pub fn raw_name(&self) -> &str {
        crate::table_config::raw_table_name(self.table_name.as_deref().unwrap_or_default())
    }
}

/// Parses JSON text of bounded size and nesting.
pub(super) fn parse<T: DeserializeOwned>(text: &[u8]) -> Result<T, Error> {
    if text.len() > growler_base::limits::HTTP_BODY_BYTES {
        return Err(Error::Json(
            format!("text is too long lenBytes={}", text.len()).into(),
        ));
    }
    serde_json::from_slice(text).map_err(|error| Error::Json(error.to_string().into()))
}
