//! Partition specs: how files are grouped by values of columns.

use std::collections::HashSet;

use growler_base::FieldId;
use serde_json::Value;

use super::json::{self, Object};
use super::transform::Transform;
use crate::SpecId;
use crate::error::Fault;

/// First identity that a partition field of a v1 table has.
const FIRST_PARTITION_ID: i32 = 1000;

/// One way in which a table is, or was, partitioned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionSpec {
    /// Which spec of the table it is.
    pub id: SpecId,
    /// Parts of the partition tuple, in its order.
    pub fields: Vec<PartitionField>,
}

/// One part of a partition tuple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionField {
    /// Identity in the tuple; not that of a column.
    pub id: FieldId,
    /// Name in the tuple.
    pub name: String,
    /// The columns that the value is made of; more than one only under a transform that is not
    /// known here.
    pub source_ids: Vec<FieldId>,
    /// How the value is made.
    pub transform: Transform,
}

impl PartitionSpec {
    pub(crate) fn parse(value: &Value) -> Result<Self, Fault> {
        let object = json::object(value, "partition spec")?;
        let id = json::required(json::int(object, "spec-id")?, "spec-id")?;
        Ok(Self {
            id: SpecId(id),
            fields: Self::parse_fields(json::array(object, "fields")?)?,
        })
    }

    /// Parses the fields alone, as v1 tables have them.
    pub(crate) fn parse_fields(items: &[Value]) -> Result<Vec<PartitionField>, Fault> {
        let mut fields: Vec<PartitionField> = Vec::with_capacity(items.len().min(64));
        let mut seen = HashSet::new();
        for (position, item) in items.iter().enumerate() {
            let field = parse_field(json::object(item, "partition field")?, position)?;
            if !seen.insert(field.id) {
                let id = field.id;
                return Err(Fault::corrupt(format!(
                    "partition field id is used twice id={id}"
                )));
            }
            fields.push(field);
        }
        Ok(fields)
    }

    /// Tells whether files are not grouped at all: deletes under such a spec are global.
    pub fn is_unpartitioned(&self) -> bool {
        self.fields
            .iter()
            .all(|field| field.transform == Transform::Void)
    }

    /// Returns the part of the tuple with an identity.
    pub fn field(&self, id: FieldId) -> Option<&PartitionField> {
        self.fields.iter().find(|field| field.id == id)
    }
}

impl PartitionField {
    /// Returns the one column that the value is made of, under a transform known here.
    pub fn source(&self) -> Option<FieldId> {
        match self.source_ids.as_slice() {
            [source] => Some(*source),
            _ => None,
        }
    }
}

/// Source columns of a partition or sort field: `source-id`, or `source-ids` of several.
pub(crate) fn source_ids(object: &Object) -> Result<Vec<FieldId>, Fault> {
    if let Some(id) = json::int(object, "source-id")? {
        return Ok(vec![FieldId(id)]);
    }
    let mut ids = Vec::new();
    for item in json::array(object, "source-ids")? {
        let id = item.as_i64().and_then(|id| i32::try_from(id).ok());
        ids.push(FieldId(
            id.ok_or_else(|| Fault::corrupt("source-ids holds no field id"))?,
        ));
    }
    if ids.is_empty() {
        return Err(Fault::corrupt("missing member name=source-id"));
    }
    Ok(ids)
}

fn parse_field(object: &Object, position: usize) -> Result<PartitionField, Fault> {
    let id = match json::int(object, "field-id")? {
        Some(id) => id,
        None => i32::try_from(position)
            .ok()
            .and_then(|position| position.checked_add(FIRST_PARTITION_ID))
            .ok_or_else(|| Fault::corrupt("too many partition fields"))?,
    };
    let transform = json::required(json::text(object, "transform")?, "transform")?;
    Ok(PartitionField {
        id: FieldId(id),
        name: json::text(object, "name")?.unwrap_or_default().to_owned(),
        source_ids: source_ids(object)?,
        transform: Transform::parse(transform),
    })
}
