//! The columns of a table, at one version.

use crate::Field;

/// Columns of a table in the order of their names (what `SELECT *` shows).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableSchema {
    /// Name of the schema; Pinot gives it the table's.
    pub name: String,
    fields: Vec<Field>,
}

impl TableSchema {
    /// Makes a schema of its fields; they are sorted by name, bytewise.
    pub fn new(name: impl Into<String>, mut fields: Vec<Field>) -> Self {
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        Self {
            name: name.into(),
            fields,
        }
    }

    /// Returns the fields, sorted by name.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Finds a field by its name, case-sensitively.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let found = self
            .fields
            .binary_search_by(|field| field.name.as_str().cmp(name));
        found.ok().and_then(|idx| self.fields.get(idx))
    }
}
