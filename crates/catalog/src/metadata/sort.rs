//! Sort orders: how rows lie inside of files, where a writer kept to it.

use growler_base::FieldId;
use serde_json::Value;

use super::json;
use super::partition::source_ids;
use super::transform::Transform;
use crate::error::Fault;

/// One order of a table's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortOrder {
    /// Which order of the table it is; 0 is none.
    pub id: i32,
    /// Keys, the first one first.
    pub fields: Vec<SortField>,
}

/// One key of a sort order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortField {
    /// The columns that the key is made of.
    pub source_ids: Vec<FieldId>,
    /// How the key is made.
    pub transform: Transform,
    /// Whether larger keys come first.
    pub descending: bool,
    /// Whether nulls come first.
    pub nulls_first: bool,
}

impl SortOrder {
    pub(crate) fn parse(value: &Value) -> Result<Self, Fault> {
        let object = json::object(value, "sort order")?;
        let mut fields = Vec::new();
        for item in json::array(object, "fields")? {
            let field = json::object(item, "sort field")?;
            let transform = json::required(json::text(field, "transform")?, "transform")?;
            fields.push(SortField {
                source_ids: source_ids(field)?,
                transform: Transform::parse(transform),
                descending: json::text(field, "direction")? == Some("desc"),
                nulls_first: json::text(field, "null-order")? == Some("nulls-first"),
            });
        }
        Ok(Self {
            id: json::required(json::int(object, "order-id")?, "order-id")?,
            fields,
        })
    }
}
