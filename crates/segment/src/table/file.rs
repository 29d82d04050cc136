//! What a table knows of one of its files, and where the file has its columns.

use std::collections::BTreeMap;
use std::sync::Arc;

use growler_base::FieldId;
use parquet::basic::LogicalType;
use parquet::schema::types::{SchemaDescriptor, Type};

use super::{Fill, Node, NodeKind, TableColumns};
use crate::schema::Refusal;
use crate::schema::columns::{ColumnIdx, field_id};

/// What a table knows of one of its files beyond what is in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableFile {
    columns: Arc<TableColumns>,
    /// Values of columns that are the same in all rows, where the file lacks them.
    constants: BTreeMap<FieldId, Fill>,
}

/// Where a file has a column of its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Located {
    At(ColumnIdx),
    /// It is there, and null in every row.
    Null,
    Missing,
}

impl TableFile {
    /// Makes what is known of a file with the constants of its partition.
    pub fn new(
        columns: Arc<TableColumns>,
        constants: impl IntoIterator<Item = (FieldId, Fill)>,
    ) -> Self {
        Self {
            columns,
            constants: constants.into_iter().collect(),
        }
    }

    /// Returns the columns of the table.
    pub fn columns(&self) -> &Arc<TableColumns> {
        &self.columns
    }

    /// Returns what rows have of a column or field that the file lacks.
    pub(crate) fn fill<'f>(&'f self, node: &'f Node) -> &'f Fill {
        self.constants.get(&node.id).unwrap_or(&node.missing)
    }

    /// Finds a column.
    ///
    /// One identity on any column of the file says that all that matters have theirs.
    pub(crate) fn locate(
        &self,
        schema: &SchemaDescriptor,
        id: FieldId,
    ) -> Result<Located, Refusal> {
        let node = self.columns.get(id);
        if node.is_some_and(|node| node.kind == NodeKind::Unknown) {
            return Ok(Located::Null);
        }
        let fields = schema.root_schema().get_fields();
        let has_ids = fields.iter().any(|field| field_id(field).is_some());
        let mut ids = fields.iter().filter_map(|field| field_id(field));
        if let Some(id) = ids.find(|id| !self.columns.gave(FieldId(*id))) {
            return Err(Refusal::Malformed(format!(
                "file has a column that its table never had: fieldId={id}"
            )));
        }
        let found = if has_ids {
            fields
                .iter()
                .position(|field| field_id(field) == Some(id.0))
        } else if self.columns.maps_names() || fields.is_empty() {
            node.and_then(|node| {
                let mapped = |field: &Type| node.names.iter().any(|name| name == field.name());
                fields.iter().position(|field| mapped(field))
            })
        } else {
            return Err(Refusal::Unsupported(
                "columns without field ids, in a table without a name mapping; set table property \
                 schema.name-mapping.default, or write the file anew"
                    .to_owned(),
            ));
        };
        let Some(idx) = found else {
            return Ok(Located::Missing);
        };
        let is_null = fields.get(idx).is_some_and(|field| is_of_nulls(field));
        Ok(match is_null {
            true => Located::Null,
            false => Located::At(ColumnIdx(idx)),
        })
    }
}

/// Tells whether a column can only hold nulls: it was written while its type was unknown.
fn is_of_nulls(field: &Type) -> bool {
    let logical = field.get_basic_info().logical_type_ref();
    field.is_primitive() && matches!(logical, Some(LogicalType::Unknown))
}
