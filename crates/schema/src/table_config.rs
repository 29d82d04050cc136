//! What a table config says, as the engine uses it.

use std::collections::BTreeMap;

use crate::TableSchema;

/// Ending of table names in Pinot; names work with and without it.
pub const OFFLINE_SUFFIX: &str = "_OFFLINE";

/// A checked table config.
#[derive(Debug, Clone, PartialEq)]
pub struct TableConfig {
    /// Name without `_OFFLINE`.
    pub name: String,
    /// File, folder or glob of the table's Parquet files.
    pub source_path: Option<String>,
    /// Declared columns; without them the table has those of its files.
    pub schema: Option<TableSchema>,
    /// Indexes wanted, by column.
    pub fields: BTreeMap<String, FieldConfig>,
}

/// Indexes wanted on one column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FieldConfig {
    /// On the column's values.
    pub indexes: IndexConfigs,
    /// On the keys of a VARIANT column.
    pub keys: BTreeMap<String, IndexConfigs>,
    /// On keys that have no entry of their own.
    pub default_key: Option<IndexConfigs>,
    /// On what is not shredded; an older flag for a JSON index is turned into one.
    pub remainder: IndexConfigs,
}

/// Settings by the name of the index (`inverted`, `range`, `json` ...); the forward index, which
/// is the Parquet file, is left out.
pub type IndexConfigs = BTreeMap<String, serde_json::Value>;

/// Returns a table's name without `_OFFLINE`.
pub fn raw_table_name(name: &str) -> &str {
    name.strip_suffix(OFFLINE_SUFFIX).unwrap_or(name)
}
