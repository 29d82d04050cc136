//! What one read of a row group needs: the leaves of its sources, and how their arrays are made.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch, StructArray, new_null_array};
use growler_base::{LeafIdx, RowGroupIdx, RowId, RowRanges};
use growler_schema::ColumnType;
use growler_variant::shred::{DocumentReader, KeyReader, LeafFacts};

use super::facts::{is_all_dictionary, is_all_null};
use crate::binding::{Bound, BoundKey};
use crate::column::{self, Refused};
use crate::schema::{Column, Shape};
use crate::segment::Inner;
use crate::{Error, Source};

/// A read of some leaves, and a part for each source.
pub(crate) struct Plan {
    /// Leaves to read, ascending.
    pub(crate) leaves: Vec<LeafIdx>,
    /// Columns that they belong to, ascending.
    pub(crate) columns: Vec<Arc<Column>>,
    parts: Vec<Part>,
}

/// How the arrays of one source are made.
struct Part {
    source: Source,
    kind: PartKind,
    leaves: Vec<LeafIdx>,
}

enum PartKind {
    RowId,
    /// Null in every row; no page is read to know that.
    Null(ColumnType),
    Column,
    Key { reader: KeyReader, facts: LeafFacts, forced: bool },
    Document(DocumentReader),
}

/// Rows of a batch, and where they lie.
pub(crate) struct Rows<'a> {
    pub(crate) ranges: &'a RowRanges,
    pub(crate) first_row: RowId,
}

/// Why a batch was not made.
pub(crate) enum Stop {
    /// Residuals are needed; the plan now asks for them, so reading the rows again will do.
    Again,
    /// For good.
    Failed(Error),
}

impl Plan {
    pub(crate) fn new(segment: &Inner, group: RowGroupIdx, sources: &[Source]) -> Self {
        let parts = sources.iter().map(|source| part(segment, group, source)).collect();
        let mut plan = Self { leaves: Vec::new(), columns: Vec::new(), parts };
        plan.gather();
        plan
    }

    /// Collects leaves and columns over all parts.
    fn gather(&mut self) {
        let leaves = self.parts.iter().flat_map(|part| part.leaves.iter().copied());
        self.leaves = leaves.collect();
        self.leaves.sort_unstable();
        self.leaves.dedup();
        let read = self.parts.iter().filter(|part| !part.leaves.is_empty());
        self.columns = read.filter_map(|part| part.source.column().cloned()).collect();
        self.columns.sort_unstable_by_key(|column| column.idx);
        self.columns.dedup_by_key(|column| column.idx);
    }

    /// Makes the arrays of all sources out of a batch of the reader.
    pub(crate) fn arrays(
        &mut self,
        segment: &Inner,
        group: RowGroupIdx,
        batch: Option<&RecordBatch>,
        rows: &Rows<'_>,
    ) -> Result<Vec<ArrayRef>, Stop> {
        let mut arrays = Vec::with_capacity(self.parts.len());
        let mut again = false;
        for part in &mut self.parts {
            let place = part.source.column().map(|column| column.idx);
            let position =
                place.and_then(|idx| self.columns.iter().position(|column| column.idx == idx));
            let read = position.and_then(|position| batch?.columns().get(position));
            match part.array(segment, group, read, rows) {
                Ok(array) => arrays.push(array),
                Err(Stop::Again) => again = true,
                Err(Stop::Failed(error)) => return Err(Stop::Failed(error)),
            }
        }
        if again {
            self.gather();
            return Err(Stop::Again);
        }
        Ok(arrays)
    }
}

fn part(segment: &Inner, group: RowGroupIdx, source: &Source) -> Part {
    let (kind, leaves) = match source.0.as_ref() {
        Bound::RowId => (PartKind::RowId, Vec::new()),
        Bound::Absent(column_type) => (PartKind::Null(*column_type), Vec::new()),
        Bound::Column { column, column_type } => match null_leaf(segment, group, column) {
            true => (PartKind::Null(*column_type), Vec::new()),
            false => (PartKind::Column, column.leaves.clone()),
        },
        Bound::Key(key) => {
            let facts = key.facts(segment, group);
            let leaves = key.plan.leaves(&facts, key.output);
            let reader = KeyReader::new(key.plan.clone(), key.output, key.roots);
            (PartKind::Key { reader, facts, forced: false }, leaves)
        }
        Bound::Document { layout, roots, .. } => {
            let reader = DocumentReader::new(layout.clone(), *roots);
            let leaves = reader.leaves(&segment.leaf_facts(group));
            (PartKind::Document(reader), leaves)
        }
    };
    Part { source: source.clone(), kind, leaves }
}

/// Tells whether a primitive column provably has no value in a row group.
fn null_leaf(segment: &Inner, group: RowGroupIdx, column: &Column) -> bool {
    match (&column.shape, column.leaves.as_slice()) {
        (Ok(Shape::Leaf(_)), [leaf]) => {
            let rows = segment.row_group(group).row_count;
            segment.chunk(group, *leaf).is_some_and(|chunk| is_all_null(chunk, rows))
        }
        _ => false,
    }
}

/// Tells whether a leaf is worth reading as a dictionary: its data pages are, and the dictionary is
/// small beside them. A predicate over a dictionary nearly as long as the column saves nothing.
pub(crate) fn reads_as_dictionary(segment: &Inner, group: RowGroupIdx, leaf: LeafIdx) -> bool {
    const SMALL: i64 = 64 << 10;
    let Some(chunk) = segment.chunk(group, leaf) else { return false };
    let Some(start) = chunk.dictionary_page_offset() else { return false };
    let dictionary = chunk.data_page_offset().saturating_sub(start);
    is_all_dictionary(chunk)
        && (dictionary <= SMALL || dictionary <= chunk.compressed_size().saturating_div(2))
}

impl Part {
    fn array(
        &mut self,
        segment: &Inner,
        group: RowGroupIdx,
        read: Option<&ArrayRef>,
        rows: &Rows<'_>,
    ) -> Result<ArrayRef, Stop> {
        let row_count = rows.ranges.row_count();
        let bound = self.source.0.as_ref();
        match (&mut self.kind, bound) {
            (PartKind::RowId, _) => Ok(row_ids(rows)),
            (PartKind::Null(column_type), _) => {
                Ok(new_null_array(&column_type.arrow_type(), row_count))
            }
            (PartKind::Column, Bound::Column { column, column_type }) => {
                let (Some(array), Ok(shape)) = (read, &column.shape) else {
                    return Err(Stop::Failed(internal(segment, group, "column was not read")));
                };
                let converted = column::convert(shape, array, *column_type);
                let (array, malformed) = converted
                    .map_err(|refused| Stop::Failed(failure(segment, group, column, refused, rows)))?;
                segment.count_malformed(&column.name, malformed);
                Ok(array)
            }
            (PartKind::Key { reader, facts, forced }, Bound::Key(key)) => {
                let column = variant(segment, group, read, &key.column, row_count)?;
                match reader.read(&column, facts) {
                    Ok(found) => {
                        segment.count_malformed(&key.column.name, found.malformed_rows);
                        Ok(found.array)
                    }
                    Err(growler_variant::Error::NeedsResidual { .. }) if !*forced => {
                        *forced = true;
                        self.leaves = force(key, facts);
                        Err(Stop::Again)
                    }
                    Err(error) => {
                        let refused = Refused::Variant(error);
                        Err(Stop::Failed(failure(segment, group, &key.column, refused, rows)))
                    }
                }
            }
            (PartKind::Document(reader), Bound::Document { column, .. }) => {
                let group_array = variant(segment, group, read, column, row_count)?;
                let found = reader.read(&group_array).map_err(|error| {
                    let refused = Refused::Variant(error);
                    Stop::Failed(failure(segment, group, column, refused, rows))
                })?;
                segment.count_malformed(&column.name, found.malformed_rows);
                Ok(found.array)
            }
            _ => Err(Stop::Failed(internal(segment, group, "part and source differ"))),
        }
    }
}

/// Asks for the residuals of every group on a key's way.
fn force(key: &BoundKey, facts: &mut LeafFacts) -> Vec<LeafIdx> {
    *facts = facts.clone().with_residuals();
    key.plan.leaves(facts, key.output)
}

fn variant(
    segment: &Inner,
    group: RowGroupIdx,
    read: Option<&ArrayRef>,
    column: &Column,
    row_count: usize,
) -> Result<StructArray, Stop> {
    let found = read.and_then(|array| array.as_any().downcast_ref::<StructArray>());
    match found {
        Some(array) => Ok(array.clone()),
        // No leaf is worth reading: a group without children, present in every row.
        None if read.is_none() => Ok(StructArray::new_empty_fields(row_count, None)),
        None => {
            let cause = format!("variant column {} was not read as a group", column.name);
            Err(Stop::Failed(internal(segment, group, &cause)))
        }
    }
}

fn row_ids(rows: &Rows<'_>) -> ArrayRef {
    let first = rows.first_row.index();
    let ids = rows.ranges.iter().flatten();
    // Doc ids are checked to be INT when the file is opened.
    let ids = ids.map(|row| i32::try_from(first.saturating_add(row)).unwrap_or(i32::MAX));
    Arc::new(Int32Array::from_iter_values(ids))
}

fn internal(segment: &Inner, group: RowGroupIdx, cause: &str) -> Error {
    Error::Internal { place: Box::new(segment.place(Some(group), None)), cause: cause.into() }
}

/// Returns the row of the segment that a row of a batch is.
fn row_id(rows: &Rows<'_>, row: usize) -> RowId {
    let local = rows.ranges.iter().flatten().nth(row).unwrap_or(0);
    let id = rows.first_row.index().saturating_add(local);
    RowId(u32::try_from(id).unwrap_or(u32::MAX))
}

fn failure(
    segment: &Inner,
    group: RowGroupIdx,
    column: &Column,
    refused: Refused,
    rows: &Rows<'_>,
) -> Error {
    use growler_base::ErrorKind;
    use growler_variant::Error as Variant;
    let place = Box::new(segment.place(Some(group), Some(column.name.clone())));
    let (kind, cause) = match refused {
        Refused::Variant(Variant::NonObjectRoot { row, found }) => {
            return Error::NonObjectRoot {
                column: column.name.clone(),
                row: row_id(rows, row),
                found,
                segment: segment.id.clone(),
            };
        }
        Refused::Variant(Variant::Contradiction { row }) => {
            return Error::Contradiction { row: row_id(rows, row), segment: segment.id.clone() };
        }
        // All residuals were asked for, so the footer must have hidden one.
        Refused::Variant(Variant::NeedsResidual { .. }) => (
            ErrorKind::Corrupt,
            "a variant column holds values that its statistics deny".to_owned(),
        ),
        Refused::Variant(error) => (error.kind(), error.to_string()),
        Refused::Value(cause) => (ErrorKind::Corrupt, cause),
        Refused::Limit(cause) => (ErrorKind::LimitExceeded, cause),
        Refused::Internal(cause) => (ErrorKind::Internal, cause),
    };
    let cause = cause.into();
    match kind {
        ErrorKind::Unsupported => Error::Unsupported { place, cause },
        ErrorKind::LimitExceeded => Error::Limit { place, cause },
        ErrorKind::Corrupt => Error::Corrupt { place, cause },
        _ => Error::Internal { place, cause },
    }
}
