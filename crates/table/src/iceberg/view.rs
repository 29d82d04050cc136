//! The files of a snapshot as a view.

use std::sync::Arc;

use growler_catalog::table::DataFile;
use growler_catalog::{IcebergTable, Plan};
use growler_exec::View;
use growler_exec::table::Member as ViewMember;
use growler_schema::TableSchema;
use growler_segment::TableFile;
use growler_segment::table::{Fill, TableColumns};

use super::columns::columns;
use super::deletes::{DeletedRows, deleted_rows};
use super::pruner::SnapshotPruner;
use super::{Error, Member, SegmentAccess};

/// Makes the members of a plan.
pub fn members(plan: &Plan) -> Vec<Member> {
    plan.files.iter().cloned().map(Member::new).collect()
}

/// Makes the view of some files of a table under a served schema.
///
/// `plan` lists the files, and the table's schema that they are read with; `schema` is what queries
/// see, its fields bound by their identities. Rows that deletes took away are found now; the view
/// never shows them.
///
/// # Errors
/// A file, or what deletes from it, cannot be read; see [`Error`].
pub fn view(
    name: &str,
    schema: TableSchema,
    table: &IcebergTable,
    plan: Arc<Plan>,
    access: &Arc<dyn SegmentAccess>,
) -> Result<View, Error> {
    let deleted = deleted_rows(table, &plan, access)?;
    let columns = Arc::new(columns(table.metadata(), &plan.schema)?);
    let members = open_all(&plan, &columns, deleted, access)?;
    let pruner = SnapshotPruner::new(table.clone(), plan);
    Ok(View::of_members(
        name,
        schema,
        members,
        Some(Arc::new(pruner)),
    ))
}

fn open_all(
    plan: &Plan,
    columns: &Arc<TableColumns>,
    deleted: DeletedRows,
    access: &Arc<dyn SegmentAccess>,
) -> Result<Vec<ViewMember>, Error> {
    let opened = super::parallel::map(&plan.files, |file| {
        if u32::try_from(file.row_count).is_err() {
            return Err(Error::Rows {
                path: file.path.clone(),
                row_count: file.row_count,
            });
        }
        let segment = access.open(&file.path).map_err(|source| Error::Segment {
            path: file.path.clone(),
            source,
        })?;
        let table_file = TableFile::new(Arc::clone(columns), constants(file));
        Ok(ViewMember::new(segment.in_table(Arc::new(table_file))))
    })?;
    let members = opened.into_iter().zip(deleted);
    let members = members.map(|(member, deleted)| match deleted {
        Some(rows) => member.without_rows(rows),
        None => member,
    });
    Ok(members.collect())
}

/// Returns what a file has of columns that it lacks, by its partition.
fn constants(file: &DataFile) -> Vec<(growler_base::FieldId, Fill)> {
    let constants = file.constants.iter().map(|(id, value)| {
        let value = value.as_ref().and_then(growler_catalog::Datum::to_value);
        (*id, value.map_or(Fill::Null, Fill::Value))
    });
    constants.collect()
}
