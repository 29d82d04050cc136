//! The files of a snapshot as a view.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use growler_base::FieldId;
use growler_catalog::table::DataFile;
use growler_catalog::{Datum, IcebergTable, Plan};
use growler_exec::View;
use growler_exec::table::Member as ViewMember;
use growler_schema::{DataType, Field, TableSchema};
use growler_segment::table::{Fill, TableColumns};
use growler_segment::{Closed, Layouts, Segment, TableFile};

use super::columns::columns;
use super::deletes::deleted_rows;
use super::pruner::SnapshotPruner;
use super::{Error, Member, SegmentAccess, parallel};

/// The columns that queries see.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Columns {
    /// Those of the table, bound by their identities.
    pub schema: TableSchema,
    /// Those that it had once, which have to be asked for.
    pub dropped: Vec<Field>,
}

impl Columns {
    /// Makes the columns of a table that has dropped none.
    pub fn of(schema: TableSchema) -> Self {
        Self {
            schema,
            dropped: Vec::new(),
        }
    }

    /// Returns the names that queries may use, with the identities of their columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = (String, FieldId)> {
        let names = self.all();
        names.filter_map(|field| Some((field.name.clone(), field.field_id?)))
    }

    fn all(&self) -> impl Iterator<Item = &Field> {
        self.schema.fields().iter().chain(&self.dropped)
    }
}

/// Makes the members of a plan, none of them opened yet.
pub fn members(plan: &Plan) -> Vec<Member> {
    plan.files.iter().cloned().map(Member::new).collect()
}

/// Opens the files of members whose layouts are not known yet, some at a time, and keeps what
/// queries have to know of them before they are planned. Files are closed again.
///
/// # Errors
/// See [`Error::Segment`].
pub fn survey(
    members: &mut [Member],
    served: &Columns,
    table_columns: &Arc<TableColumns>,
    access: &Arc<dyn SegmentAccess>,
) -> Result<(), Error> {
    let variants: Vec<&Field> = variants(served).collect();
    if variants.is_empty() {
        return Ok(());
    }
    let shared = Mutex::new(Vec::<Arc<Layouts>>::new());
    let found = parallel::map(members, |member| -> Result<_, Error> {
        if member.layouts.is_some() {
            return Ok(None);
        }
        let failed = |source| Error::Segment {
            path: member.file.path.clone(),
            source,
        };
        let segment = access.open(&member.file.path).map_err(failed)?;
        let segment = in_table(segment, table_columns, &member.file);
        let layouts = Layouts::of(&segment, variants.iter().copied()).map_err(failed)?;
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let known = shared
            .iter()
            .rev()
            .find(|known| ***known == layouts)
            .cloned();
        Ok(Some(known.unwrap_or_else(|| {
            let layouts = Arc::new(layouts);
            shared.push(Arc::clone(&layouts));
            layouts
        })))
    })?;
    for (member, layouts) in members.iter_mut().zip(found) {
        member.layouts = layouts.or_else(|| member.layouts.take());
    }
    Ok(())
}

/// Makes the view of members of a table under a served schema.
///
/// `plan` says which schema of the table they are read with; its own files are not looked at. Rows that deletes took away are found
/// now, and the view never shows them. Files are opened when a query needs them.
///
/// # Errors
/// Deletes cannot be read, or a file that had to be looked into; see [`Error`].
pub fn view(
    name: &str,
    served: Columns,
    table: &IcebergTable,
    plan: &Plan,
    mut members: Vec<Member>,
    access: &Arc<dyn SegmentAccess>,
) -> Result<View, Error> {
    let columns = columns(table.metadata(), &plan.schema)?.with_served(served.names());
    let columns = Arc::new(columns);
    survey(&mut members, &served, &columns, access)?;
    let layouts = share(&mut members);
    let files = members.into_iter().map(|member| member.file).collect();
    let plan = Arc::new(Plan {
        files,
        ..plan.clone()
    });
    let deleted = deleted_rows(table, &plan, access)?;
    let mut view_members = Vec::with_capacity(plan.files.len());
    for ((file, layouts), deleted) in plan.files.iter().zip(layouts).zip(deleted) {
        let segment = in_table(closed(file, layouts, access)?, &columns, file);
        let member = ViewMember::new(segment);
        view_members.push(match deleted {
            Some(rows) => member.without_rows(rows),
            None => member,
        });
    }
    let pruner = Arc::new(SnapshotPruner::new(table.clone(), plan));
    let Columns { schema, dropped } = served;
    let view = View::of_members(name, schema, view_members, Some(pruner));
    Ok(view.with_dropped(dropped))
}

fn variants(served: &Columns) -> impl Iterator<Item = &Field> {
    served
        .all()
        .filter(|field| field.column_type.data_type == DataType::OpenStruct)
}

/// Takes the layouts of members; equal ones become one, as they are when they come from a store.
fn share(members: &mut [Member]) -> Vec<Arc<Layouts>> {
    let mut shared: Vec<Arc<Layouts>> = Vec::new();
    let mut known: HashMap<usize, usize> = HashMap::new();
    let nothing = Arc::new(Layouts::default());
    let mut taken = Vec::with_capacity(members.len());
    for member in members {
        let layouts = member
            .layouts
            .take()
            .unwrap_or_else(|| Arc::clone(&nothing));
        let address = Arc::as_ptr(&layouts).addr();
        let at = *known.entry(address).or_insert_with(|| {
            let same = shared.iter().position(|other| *other == layouts);
            same.unwrap_or_else(|| {
                shared.push(Arc::clone(&layouts));
                shared.len().saturating_sub(1)
            })
        });
        taken.push(shared.get(at).map_or(layouts, Arc::clone));
    }
    taken
}

fn closed(
    file: &DataFile,
    layouts: Arc<Layouts>,
    access: &Arc<dyn SegmentAccess>,
) -> Result<Segment, Error> {
    let too_many = || Error::Rows {
        path: file.path.clone(),
        row_count: file.row_count,
    };
    let row_count = i32::try_from(file.row_count).map_err(|_| too_many())?;
    let row_count = usize::try_from(row_count).map_err(|_| too_many())?;
    let (access, path) = (Arc::clone(access), file.path.clone());
    let is_remote = file.path.contains("://");
    let opener = move || access.open(&path);
    let closed = Closed::new(Path::new(&file.path), row_count, file.len_bytes, opener);
    let closed = closed.with_layouts(layouts);
    Ok(Segment::closed(match is_remote {
        true => closed.remote(),
        false => closed,
    }))
}

fn in_table(segment: Segment, columns: &Arc<TableColumns>, file: &DataFile) -> Segment {
    let file = TableFile::new(Arc::clone(columns), constants(file));
    segment.in_table(Arc::new(file))
}

/// Returns what a file has of columns that it lacks, by its partition.
fn constants(file: &DataFile) -> Vec<(FieldId, Fill)> {
    let constants = file.constants.iter().map(|(id, value)| {
        let value = value.as_ref().and_then(Datum::to_value);
        (*id, value.map_or(Fill::Null, Fill::Value))
    });
    constants.collect()
}
