//! The rows that are gone: Parquet delete files, and the columns that equality deletes compare.

use std::collections::BTreeMap;
use std::sync::Arc;

use growler_base::{ErrorKind, FieldId, RowRanges};
use growler_catalog::convert::source_type;
use growler_catalog::metadata::{MappedField, NameMapping, PrimitiveType, Type};
use growler_catalog::table::reader::{DELETE_PATH_ID, DELETE_POSITION_ID};
use growler_catalog::table::{DeleteReader, KeyColumn, Missing, Plan, VisitPosition, VisitRow};
use growler_catalog::{DatumRef, Error as CatalogError, IcebergTable, RowDeletes};
use growler_schema::Field;
use growler_segment::table::{Fill, Node, NodeKind, TableColumns};
use growler_segment::{Batch, ReadOptions, Segment, Source, TableFile};
use roaring::RoaringBitmap;

use super::cells::Cells;
use super::{Error, SegmentAccess, parallel};

/// Rows that are gone, one set a data file; none for files with all of their rows.
pub type DeletedRows = Vec<Option<Arc<RoaringBitmap>>>;

/// Finds the rows of all files of a plan that are gone. Every delete file is read once, and closed
/// again; what stays is one compressed set for each file that has lost rows.
///
/// # Errors
/// A delete file, a deletion vector or a compared column cannot be read.
pub fn deleted_rows(
    table: &IcebergTable,
    plan: &Plan,
    access: &Arc<dyn SegmentAccess>,
) -> Result<DeletedRows, Error> {
    let mapping = table.metadata().name_mapping()?;
    let reader = SegmentDeletes::new(Arc::clone(access), mapping);
    let deletes = RowDeletes::new(table, plan, Arc::new(reader));
    parallel::map(&plan.files, |file| {
        if file.deletes.is_empty() {
            return Ok(None);
        }
        let mut rows = deletes.of(file)?;
        // Rows behind the end are nobody's, whatever a writer says.
        let end = u32::try_from(file.row_count).unwrap_or(u32::MAX);
        rows.remove_range(end..);
        rows.optimize();
        Ok((!rows.is_empty()).then(|| Arc::new(rows)))
    })
}

/// Reads delete files, and the compared columns of data files, as segments.
#[derive(Debug, Clone)]
pub struct SegmentDeletes {
    access: Arc<dyn SegmentAccess>,
    mapping: Option<NameMapping>,
}

impl SegmentDeletes {
    /// Makes a reader of files that `access` opens; data files without identities have the columns
    /// under the names of `mapping`, as scans of them do.
    pub fn new(access: Arc<dyn SegmentAccess>, mapping: Option<NameMapping>) -> Self {
        Self { access, mapping }
    }

    /// Reads columns of a file, batch by batch.
    fn read(
        &self,
        path: &str,
        columns: &[KeyColumn],
        visit: &mut dyn FnMut(&Batch) -> Result<(), CatalogError>,
    ) -> Result<(), CatalogError> {
        let failed = |error: growler_segment::Error| failure(path, error.kind(), &error);
        let segment = self.access.open(path).map_err(failed)?;
        // Only delete files must have what they compare.
        let is_data = columns.iter().any(|c| c.missing != Missing::Refuse);
        let mut sources: Vec<Source> = Vec::with_capacity(columns.len());
        for column in columns {
            let field = field(column).ok_or_else(|| {
                let cause = format!("compared column has a type without values: {}", column.name);
                failure(path, ErrorKind::Unsupported, &cause)
            })?;
            // Two fields of one struct are two columns of two tables here.
            let own = self.in_table(segment.clone(), column, is_data);
            sources.push(own.bind_column(&field).map_err(failed)?);
        }
        for (group, rows) in segment.row_groups() {
            let rows = RowRanges::all(rows.row_count);
            let batches = segment.read(group, &sources, &rows, &ReadOptions::default());
            for batch in batches.map_err(failed)? {
                visit(&batch.map_err(failed)?)?;
            }
        }
        Ok(())
    }

    /// Makes a file one of a table that has just a compared column.
    fn in_table(&self, segment: Segment, column: &KeyColumn, is_data: bool) -> Segment {
        let columns = TableColumns::new(
            self.node(column, is_data),
            !is_data || self.mapping.is_some(),
        );
        segment.in_table(Arc::new(TableFile::new(Arc::new(columns), BTreeMap::new())))
    }

    /// The column, and where it is inside of structs these.
    fn node(&self, column: &KeyColumn, is_data: bool) -> Option<Node> {
        let names = |id: FieldId, name: &str| match is_data {
            true => self.mapped(id),
            false => vec![name.to_owned()],
        };
        let missing = match &column.missing {
            Missing::Refuse | Missing::Null => Fill::Null,
            Missing::Value(value) => Fill::Value(value.to_value()?),
        };
        let leaf = Node {
            id: column.id,
            name: column.name.clone(),
            names: names(column.id, &column.name),
            required: column.missing == Missing::Refuse,
            missing,
            kind: NodeKind::Leaf(source_type(&Type::Primitive(column.primitive.clone()))?),
        };
        let within = column.within.iter().rev();
        Some(within.fold(leaf, |inner, (id, name)| Node {
            id: *id,
            name: name.clone(),
            names: names(*id, name),
            required: inner.required,
            missing: Fill::Null,
            kind: NodeKind::Within(Box::new(inner)),
        }))
    }

    /// The names of a column or field, wherever it is.
    fn mapped(&self, id: FieldId) -> Vec<String> {
        let fields = self.mapping.as_ref().map_or(&[][..], |m| &m.fields);
        mapped(fields, id).map_or_else(Vec::new, |own| own.names.clone())
    }
}

fn mapped(fields: &[MappedField], id: FieldId) -> Option<&MappedField> {
    let found = |own: &MappedField| own.field_id == Some(id);
    let below = || fields.iter().find_map(|own| mapped(&own.fields, id));
    fields.iter().find(|own| found(own)).or_else(below)
}

impl DeleteReader for SegmentDeletes {
    fn positions(&self, path: &str, visit: &mut VisitPosition<'_>) -> Result<(), CatalogError> {
        let columns = [
            reserved(DELETE_PATH_ID, "file_path", PrimitiveType::String),
            reserved(DELETE_POSITION_ID, "pos", PrimitiveType::Long),
        ];
        self.read(path, &columns, &mut |batch| {
            let cells = cells(path, &columns, batch)?;
            for row in 0..batch.row_count {
                let mut values = cells.iter().map(|cells| cells.value(row));
                let (data_file, position) = (values.next().flatten(), values.next().flatten());
                let (Some(DatumRef::String(data_file)), Some(DatumRef::Long(position))) =
                    (data_file, position)
                else {
                    let cause = "a position delete has no path or no position";
                    return Err(failure(path, ErrorKind::Corrupt, &cause));
                };
                visit(data_file, position)?;
            }
            Ok(())
        })
    }

    fn rows(
        &self,
        path: &str,
        columns: &[KeyColumn],
        visit: &mut VisitRow<'_>,
    ) -> Result<(), CatalogError> {
        self.read(path, columns, &mut |batch| {
            let cells = cells(path, columns, batch)?;
            let mut values = Vec::with_capacity(cells.len());
            for row in 0..batch.row_count {
                values.clear();
                values.extend(cells.iter().map(|cells| cells.value(row)));
                visit(&values)?;
            }
            Ok(())
        })
    }
}

fn cells(path: &str, columns: &[KeyColumn], batch: &Batch) -> Result<Vec<Cells>, CatalogError> {
    let arrays = columns.iter().zip(&batch.columns);
    let cells = arrays.map(|(column, array)| {
        Cells::try_new(array, &column.primitive)
            .map_err(|cause| failure(path, ErrorKind::Corrupt, &cause))
    });
    cells.collect()
}

fn reserved(id: FieldId, name: &str, primitive: PrimitiveType) -> KeyColumn {
    KeyColumn {
        id,
        within: Vec::new(),
        name: name.to_owned(),
        primitive,
        missing: Missing::Refuse,
    }
}

fn field(column: &KeyColumn) -> Option<Field> {
    let source = source_type(&Type::Primitive(column.primitive.clone()))?;
    let mut field = source.field(&column.name).ok()?;
    let outermost = column.within.first();
    field.field_id = Some(outermost.map_or(column.id, |(id, _)| *id));
    Some(field)
}

fn failure(path: &str, kind: ErrorKind, cause: &dyn std::fmt::Display) -> CatalogError {
    CatalogError::Reader {
        kind,
        cause: cause.to_string().into(),
        path: path.into(),
    }
}
