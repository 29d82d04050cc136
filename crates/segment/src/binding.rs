//! What a query reads from one segment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use growler_base::{FieldId, LeafIdx, RowGroupIdx, limits};
use growler_schema::{ColumnType, DataType, Field};
use growler_variant::shred::{KeyPlan, LeafFacts};

use crate::column::{self, Refused, Target};
use crate::read::facts::has_untyped_rows;
use crate::schema::columns::{ColumnIdx, find};
use crate::schema::{Column, Refusal, Shape};
use crate::segment::{Inner, OfTable};
use crate::table::file::Located;
use crate::table::fill::Filled;
use crate::table::{Fill, NodeKind, TableFile};
use crate::{Error, KeyOutput, KeyPath, Layout, NonObjectRoot};

/// A column, key, document or the row ids of one segment, bound and ready to be read.
///
/// It belongs to the segment that bound it and is cheap to clone.
#[derive(Debug, Clone)]
pub struct Source(pub(crate) Arc<Bound>);

#[derive(Debug)]
pub(crate) enum Bound {
    RowId,
    /// The file has no such column.
    Absent(ColumnType),
    /// The file has no such column, and the table knows its value.
    Filled {
        filled: Filled,
        column_type: ColumnType,
    },
    Column {
        column: Arc<Column>,
        column_type: ColumnType,
        table: InTable,
    },
    Key(BoundKey),
    Document {
        column: Arc<Column>,
        layout: Arc<Layout>,
        roots: NonObjectRoot,
    },
}

/// Paths compiled so far; a path costs a look-up from its second query on.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    known: Mutex<HashMap<(ColumnIdx, KeyPath), Arc<KeyPlan>>>,
}

impl Plans {
    fn get(&self, column: &Column, layout: &Layout, path: &KeyPath) -> Arc<KeyPlan> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= limits::KEY_PLANS {
            known.clear();
        }
        let compile = || Arc::new(KeyPlan::compile(layout, path));
        known
            .entry((column.idx, path.clone()))
            .or_insert_with(compile)
            .clone()
    }
}

/// The table that a column was bound for, if it was bound for one.
#[derive(Debug)]
pub(crate) struct InTable(Option<(Arc<TableFile>, FieldId)>);

impl InTable {
    fn of(file: &OfTable<'_>, field: &Field) -> Self {
        Self(file.table.cloned().zip(field.field_id))
    }

    /// Returns what documents are to look like.
    pub(crate) fn target(&self) -> Option<Target<'_>> {
        let (file, id) = self.0.as_ref()?;
        let node = file.columns().get(*id)?;
        Some(Target { file, node })
    }
}

#[derive(Debug)]
pub(crate) struct BoundKey {
    pub(crate) column: Arc<Column>,
    pub(crate) plan: Arc<KeyPlan>,
    pub(crate) output: KeyOutput,
    pub(crate) roots: NonObjectRoot,
}

impl Source {
    /// Returns the source of row ids (Pinot's doc ids): INT, never null.
    pub fn row_id() -> Self {
        Self(Arc::new(Bound::RowId))
    }

    /// Returns the type of its arrays.
    pub fn column_type(&self) -> ColumnType {
        match self.0.as_ref() {
            Bound::RowId => DataType::Int.single(),
            Bound::Absent(column_type)
            | Bound::Filled { column_type, .. }
            | Bound::Column { column_type, .. } => *column_type,
            Bound::Key(key) => key.output.data_type().single(),
            Bound::Document { .. } => DataType::Json.single(),
        }
    }

    pub(crate) fn column(&self) -> Option<&Arc<Column>> {
        match self.0.as_ref() {
            Bound::RowId | Bound::Absent(_) | Bound::Filled { .. } => None,
            Bound::Column { column, .. } | Bound::Document { column, .. } => Some(column),
            Bound::Key(key) => Some(&key.column),
        }
    }

    /// Tells whether the file has no such column, so that every row is null and nothing is read.
    pub fn is_absent(&self) -> bool {
        matches!(self.0.as_ref(), Bound::Absent(_))
    }

    /// Tells whether the source is a key that only the residuals of this file can hold: no shredded
    /// field has it.
    pub fn is_unshredded_key(&self) -> bool {
        match self.0.as_ref() {
            Bound::Key(key) => key.plan.is_unshredded(),
            _ => false,
        }
    }

    /// Tells whether the source is a key with a typed leaf of its own in this file.
    pub fn is_typed_key(&self) -> bool {
        match self.0.as_ref() {
            Bound::Key(key) => key.plan.scalar().is_some(),
            _ => false,
        }
    }
}

/// Binds a column, or the documents of a VARIANT column.
pub(crate) fn column(
    file: &OfTable<'_>,
    field: &Field,
    roots: NonObjectRoot,
) -> Result<Source, Error> {
    let segment = file.inner;
    let bound = match located(file, field)? {
        None => absent(file, field)?,
        Some(column) => match segment.shape(&column)? {
            Shape::Variant(layout) => {
                let layout = layout.clone();
                require_variant(segment, field, &column)?;
                Bound::Document {
                    column,
                    layout,
                    roots,
                }
            }
            shape => {
                let table = InTable::of(file, field);
                match table.target().filter(Target::is_within) {
                    Some(within) => column::inner::check(shape, within.node, field.column_type),
                    None => column::check(shape, field.column_type, file.table.is_some()),
                }
                .map_err(|cause| unsupported(segment, &column.name, cause))?;
                Bound::Column {
                    column,
                    column_type: field.column_type,
                    table,
                }
            }
        },
    };
    Ok(Source(Arc::new(bound)))
}

fn unsupported(segment: &Inner, column: &Arc<str>, cause: String) -> Error {
    Error::Unsupported {
        place: Box::new(segment.place(None, Some(column.clone()))),
        cause: cause.into(),
    }
}

/// Binds a column that the file lacks: to what its table knows of it.
fn absent(file: &OfTable<'_>, field: &Field) -> Result<Bound, Error> {
    let column_type = shown(field.column_type);
    let segment = file.inner;
    let place = || Box::new(segment.place(None, Some(field.name.as_str().into())));
    let node = file.table.zip(field.field_id);
    let Some((table, node)) = node.and_then(|(table, id)| Some((table, table.columns().get(id)?)))
    else {
        return Ok(Bound::Absent(column_type));
    };
    let is_null = node.kind == NodeKind::Unknown;
    if !is_null && node.required && *table.fill(node) == Fill::Null {
        return Err(Error::Corrupt {
            cause: format!(
                "required column is missing and has no default: fieldId={}",
                node.id
            )
            .into(),
            place: place(),
        });
    }
    let failed = |refused: Refused| Error::Corrupt {
        cause: refused.text().into(),
        place: place(),
    };
    let filled = Filled::of(node, table, column_type).map_err(failed)?;
    Ok(match filled.filter(|_| !is_null) {
        Some(filled) => Bound::Filled {
            filled,
            column_type,
        },
        None => Bound::Absent(column_type),
    })
}

/// Returns the type that a query sees: a whole document is JSON.
fn shown(column_type: ColumnType) -> ColumnType {
    match column_type.data_type {
        DataType::OpenStruct => DataType::Json.single(),
        _ => column_type,
    }
}

/// Binds a key.
pub(crate) fn key(
    file: &OfTable<'_>,
    field: &Field,
    path: &KeyPath,
    output: KeyOutput,
    roots: NonObjectRoot,
) -> Result<Source, Error> {
    let segment = file.inner;
    let bound = match variant(file, field)? {
        None => Bound::Absent(output.data_type().single()),
        Some((column, layout)) => {
            let plan = segment.plans.get(&column, &layout, path);
            Bound::Key(BoundKey {
                column,
                plan,
                output,
                roots,
            })
        }
    };
    Ok(Source(Arc::new(bound)))
}

/// Returns the type of a key's typed leaf.
pub(crate) fn key_type(
    file: &OfTable<'_>,
    field: &Field,
    path: &KeyPath,
) -> Result<Option<DataType>, Error> {
    let segment = file.inner;
    let found = variant(file, field)?;
    Ok(found.and_then(|(column, layout)| segment.plans.get(&column, &layout, path).key_type()))
}

/// Finds a column; none when the file has no values of it.
fn located(file: &OfTable<'_>, field: &Field) -> Result<Option<Arc<Column>>, Error> {
    let segment = file.inner;
    let Some(table) = file.table else {
        return Ok(find(segment.schema(), field).and_then(|idx| segment.column(idx)));
    };
    // A column of the served schema alone: no file has it.
    let Some(id) = field.field_id else {
        return Ok(None);
    };
    match table.locate(segment.schema(), id) {
        Ok(Located::At(idx)) => Ok(segment.column(idx)),
        Ok(Located::Null | Located::Missing) => Ok(None),
        Err(Refusal::Unsupported(cause)) => {
            Err(unsupported(segment, &field.name.as_str().into(), cause))
        }
        Err(Refusal::Malformed(cause)) => Err(Error::Corrupt {
            place: Box::new(segment.place(None, Some(field.name.as_str().into()))),
            cause: cause.into(),
        }),
    }
}

pub(crate) type Variant = (Arc<Column>, Arc<Layout>);

pub(crate) fn variant(file: &OfTable<'_>, field: &Field) -> Result<Option<Variant>, Error> {
    let segment = file.inner;
    let Some(column) = located(file, field)? else {
        return Ok(None);
    };
    match segment.shape(&column)? {
        Shape::Variant(layout) => {
            let layout = layout.clone();
            Ok(Some((column, layout)))
        }
        other => {
            let cause = format!(
                "keys of a column that is no VARIANT: type={}",
                other.source_type()
            );
            Err(unsupported(segment, &column.name, cause))
        }
    }
}

/// A VARIANT column reads as text; a table that declares it otherwise is wrong.
fn require_variant(segment: &Inner, field: &Field, column: &Column) -> Result<(), Error> {
    let column_type = field.column_type;
    if column_type.data_type.is_text() && !column_type.multi_value {
        return Ok(());
    }
    Err(Error::Unsupported {
        cause: format!("VARIANT does not convert: to={}", column_type.name()).into(),
        place: Box::new(segment.place(None, Some(column.name.clone()))),
    })
}

impl BoundKey {
    /// Returns what is known of the key's leaves in a row group, dotted names included.
    pub(crate) fn facts(&self, segment: &Inner, group: RowGroupIdx) -> LeafFacts {
        let facts = segment.leaf_facts(group);
        let typed = self.residuals(segment, group, &facts, false);
        let below_root = self.plan.residuals_on_the_way().skip(1);
        let empty = below_root
            .map(|(value, _)| value)
            .filter(|value| segment.facts.is_untyped_empty(segment, group, *value));
        let facts = facts.with_typed(&typed).with_untyped_empty(empty);
        let Some(metadata) = metadata_leaf(&self.column) else {
            return facts;
        };
        let names: Vec<&str> = self.plan.literal_names().collect();
        if names.is_empty() || segment.facts.mentions(segment, group, metadata, &names) {
            facts
        } else {
            facts.without_literals()
        }
    }

    /// Returns the residuals on the key's way beside which some row of a row group is known to lack
    /// the typed part, or beside which none is.
    pub(crate) fn residuals(
        &self,
        segment: &Inner,
        group: RowGroupIdx,
        facts: &LeafFacts,
        untyped: bool,
    ) -> Vec<LeafIdx> {
        let on_the_way = self.plan.residuals_on_the_way();
        let held = on_the_way
            .filter(|(value, _)| !facts.is_all_null(*value) && !facts.is_untyped_empty(*value));
        held.filter(|(value, below)| {
            has_untyped_rows(segment, group, *value, below) == Some(untyped)
        })
        .map(|(value, _)| value)
        .collect()
    }
}

pub(crate) fn metadata_leaf(column: &Column) -> Option<LeafIdx> {
    match &column.shape {
        Ok(Shape::Variant(layout)) => Some(layout.metadata),
        _ => None,
    }
}
