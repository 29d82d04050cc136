//! Name mapping: identities for the columns of files that carry none.
//!
//! Section "Column Projection" of the spec. A name with a dot is a name, not a path; the child of a
//! list is `element`, those of a map are `key` and `value`.

use growler_base::FieldId;
use serde_json::Value;

use super::json;
use crate::error::Fault;

/// Names of a table's columns, current and earlier ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NameMapping {
    /// The columns.
    pub fields: Vec<MappedField>,
}

/// Names of one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedField {
    /// Names that files may have it under.
    pub names: Vec<String>,
    /// Its identity; a group may go without.
    pub field_id: Option<FieldId>,
    /// Names of its children.
    pub fields: Vec<MappedField>,
}

impl NameMapping {
    /// Parses the text of table property `schema.name-mapping.default`.
    pub(crate) fn parse(text: &str) -> Result<Self, Fault> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| Fault::quoting(format!("name mapping is no JSON: {error}")))?;
        let Value::Array(items) = &value else {
            return Err(Fault::corrupt("name mapping is no array"));
        };
        Ok(Self {
            fields: parse_fields(items)?,
        })
    }

    /// Returns the names of a column.
    pub fn names(&self, id: FieldId) -> &[String] {
        self.fields
            .iter()
            .find(|field| field.field_id == Some(id))
            .map_or(&[], |field| &field.names)
    }

    /// Returns the identity of the column that a file has under a name.
    pub fn id(&self, name: &str) -> Option<FieldId> {
        self.fields
            .iter()
            .find(|field| field.names.iter().any(|known| known == name))?
            .field_id
    }
}

fn parse_fields(items: &[Value]) -> Result<Vec<MappedField>, Fault> {
    let mut fields = Vec::with_capacity(items.len().min(1024));
    for item in items {
        let object = json::object(item, "mapped field")?;
        let mut names = Vec::new();
        for name in json::array(object, "names")? {
            let name = name.as_str();
            names.push(
                name.ok_or_else(|| Fault::corrupt("names holds no text"))?
                    .to_owned(),
            );
        }
        fields.push(MappedField {
            names,
            field_id: json::int(object, "field-id")?.map(FieldId),
            fields: parse_fields(json::array(object, "fields")?)?,
        });
    }
    Ok(fields)
}
