//! A schema as it is served, with what the source says of its columns.

use std::collections::BTreeMap;

use growler_base::FieldId;
use growler_catalog::{SchemaId, SnapshotId};
use growler_schema::{Field, TableSchema, Value};

/// The columns that queries see, and those they saw once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServedSchema {
    /// Name of the table, without `_OFFLINE`.
    pub name: String,
    /// What it was last made of; none for one that a user declared.
    pub source: Option<SourceVersion>,
    /// Columns, in no order that matters.
    pub columns: Vec<ServedColumn>,
}

/// A state of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceVersion {
    /// Snapshot; none before the first.
    pub snapshot_id: Option<SnapshotId>,
    /// Schema.
    pub schema_id: SchemaId,
}

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub struct ServedColumn {
    /// The column as the engine has it; its aliases are the names it has had since.
    pub field: Field,
    /// Its type at the source, as Iceberg spells it; none while it is not known.
    pub source_type: Option<String>,
    /// What rows of files hold that were written before the column existed; null if there is none.
    pub initial_default: Option<Value>,
    /// Whether the source has dropped it: a tombstone, which queries do not see.
    pub dropped: bool,
    /// Names of the fields inside of it, by id, where a nested rename was followed.
    pub nested: BTreeMap<FieldId, NestedName>,
}

/// Name of a field inside of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NestedName {
    /// The first it had.
    pub name: String,
    /// Those it has had since.
    pub aliases: Vec<String>,
}

impl ServedSchema {
    /// Returns the columns that queries see.
    pub fn table_schema(&self) -> TableSchema {
        let live = self.columns.iter().filter(|column| !column.dropped);
        TableSchema::new(
            &self.name,
            live.map(|column| column.field.clone()).collect(),
        )
    }

    /// Returns the tombstones: what queries find that ask for dropped columns.
    pub fn dropped(&self) -> Vec<Field> {
        let dropped = self.columns.iter().filter(|column| column.dropped);
        dropped.map(|column| column.field.clone()).collect()
    }

    /// Returns what files hold that lack a column.
    pub fn initial_defaults(&self) -> BTreeMap<FieldId, Value> {
        let default =
            |column: &ServedColumn| Some((column.field.field_id?, column.initial_default.clone()?));
        self.columns.iter().filter_map(default).collect()
    }

    /// Returns the columns that queries see as they are to be found in another table: by their names.
    pub fn unbound(&self) -> Self {
        let live = self.columns.iter().filter(|column| !column.dropped);
        let columns = live.map(|column| {
            let mut field = column.field.clone();
            field.field_id = None;
            ServedColumn::of(field)
        });
        Self {
            name: self.name.clone(),
            source: None,
            columns: columns.collect(),
        }
    }

    /// Finds a column by its name in queries.
    pub fn column(&self, name: &str) -> Option<&ServedColumn> {
        self.columns.iter().find(|column| column.field.name == name)
    }
}

impl ServedColumn {
    /// Makes a column of a field, of which the source has said nothing yet.
    pub fn of(field: Field) -> Self {
        Self {
            field,
            source_type: None,
            initial_default: None,
            dropped: false,
            nested: BTreeMap::new(),
        }
    }

    /// Returns the name in queries.
    pub fn name(&self) -> &str {
        &self.field.name
    }

    /// Tells whether the column has a name, or had it.
    pub fn is_called(&self, name: &str) -> bool {
        self.field.name == name || self.field.aliases.iter().any(|alias| alias == name)
    }
}
