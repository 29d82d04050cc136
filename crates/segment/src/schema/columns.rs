//! The top-level columns of a file, by position, id and name.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use growler_base::{FieldId, LeafIdx};
use growler_schema::Field;
use parquet::schema::types::{SchemaDescriptor, Type};

use super::shape::LeafCounter;
use super::{Refusal, Shape};

/// Position of a column among the top-level fields of a file's schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ColumnIdx(pub(crate) usize);

/// A column that a query named: its place, its leaves and its shape.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) idx: ColumnIdx,
    pub(crate) name: Arc<str>,
    pub(crate) leaves: Vec<LeafIdx>,
    pub(crate) shape: Result<Shape, Refusal>,
}

/// Columns worked out so far; those that no query names cost nothing.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    known: Mutex<HashMap<ColumnIdx, Arc<Column>>>,
}

impl Columns {
    /// Returns a column, working it out on first use.
    pub(crate) fn get(&self, schema: &SchemaDescriptor, idx: ColumnIdx) -> Option<Arc<Column>> {
        let field = schema.root_schema().get_fields().get(idx.0)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let column = known
            .entry(idx)
            .or_insert_with(|| Arc::new(column(schema, field, idx)));
        Some(column.clone())
    }
}

fn column(schema: &SchemaDescriptor, field: &Type, idx: ColumnIdx) -> Column {
    let leaves = leaves(schema, idx);
    let first = leaves.first().copied().unwrap_or(LeafIdx(0));
    let shape = Shape::of(field, &mut LeafCounter::new(first));
    Column {
        idx,
        name: field.name().into(),
        leaves,
        shape,
    }
}

/// Returns the leaves of a column; they lie side by side.
fn leaves(schema: &SchemaDescriptor, idx: ColumnIdx) -> Vec<LeafIdx> {
    let first = first_leaf(schema, idx);
    let past = first_leaf(schema, ColumnIdx(idx.0.saturating_add(1)));
    (first..past)
        .filter_map(|leaf| u32::try_from(leaf).ok())
        .map(LeafIdx)
        .collect()
}

/// Finds the first leaf of a column by bisection.
fn first_leaf(schema: &SchemaDescriptor, idx: ColumnIdx) -> usize {
    let (mut low, mut high) = (0, schema.num_columns());
    while low < high {
        let middle = low.midpoint(high);
        if schema.get_column_root_idx(middle) < idx.0 {
            low = middle.saturating_add(1);
        } else {
            high = middle;
        }
    }
    low
}

/// Finds a table's column in a file: by field id; else by name and then by its earlier names, among
/// the columns that carry no id. A field that has no id itself binds by name alone.
pub(crate) fn find(schema: &SchemaDescriptor, field: &Field) -> Option<ColumnIdx> {
    let columns = schema.root_schema().get_fields();
    if let Some(FieldId(id)) = field.field_id {
        let found = columns
            .iter()
            .position(|column| field_id(column) == Some(id));
        if found.is_some() {
            return found.map(ColumnIdx);
        }
    }
    let by_name = |name: &str| {
        let open = |column: &Type| field.field_id.is_none() || field_id(column).is_none();
        columns
            .iter()
            .position(|column| column.name() == name && open(column))
            .map(ColumnIdx)
    };
    by_name(&field.name).or_else(|| field.aliases.iter().find_map(|alias| by_name(alias)))
}

/// Returns the id that a field carries in the file.
pub(crate) fn field_id(field: &Type) -> Option<i32> {
    let info = field.get_basic_info();
    info.has_id().then(|| info.id())
}
