//! What one read of a row group needs: the leaves of its sources, and how their arrays are made.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StructArray, new_null_array};
use growler_base::{LeafIdx, RowGroupIdx};
use growler_schema::ColumnType;
use growler_variant::shred::{DocumentReader, KeyColumn, KeyReader, LeafFacts};

use super::batch_rows::BatchRows;
use super::facts::{has_untyped_rows, is_all_dictionary, is_all_null, level_above};
use crate::binding::{Bound, BoundKey, metadata_leaf};
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
    /// The same value in every row.
    Filled,
    Column,
    Key {
        reader: KeyReader,
        facts: LeafFacts,
    },
    Document(DocumentReader),
}

/// The leaves that tell all of a source.
pub(crate) struct Telling {
    pub(crate) leaf: LeafIdx,
    /// The residual beside it, if that holds anything.
    pub(crate) residual: Option<LeafIdx>,
    /// Levels of the leaf in rows of which neither tells all.
    pub(crate) untold: Vec<u32>,
}

/// Why a batch was not made.
pub(crate) enum Stop {
    /// Residuals are needed; the plan now asks for them, so reading the rows again will do.
    Again,
    /// For good.
    Failed(Error),
}

impl Plan {
    /// Plans the read of some rows of a row group, or of all if `whole`.
    pub(crate) fn new(
        segment: &Inner,
        group: RowGroupIdx,
        sources: &[Source],
        whole: bool,
    ) -> Self {
        let parts = sources
            .iter()
            .map(|source| part(segment, group, source, whole))
            .collect();
        let mut plan = Self {
            leaves: Vec::new(),
            columns: Vec::new(),
            parts,
        };
        plan.gather();
        plan
    }

    /// Collects leaves and columns over all parts.
    fn gather(&mut self) {
        let leaves = self
            .parts
            .iter()
            .flat_map(|part| part.leaves.iter().copied());
        self.leaves = leaves.collect();
        self.leaves.sort_unstable();
        self.leaves.dedup();
        let read = self.parts.iter().filter(|part| !part.leaves.is_empty());
        self.columns = read
            .filter_map(|part| part.source.column().cloned())
            .collect();
        self.columns.sort_unstable_by_key(|column| column.idx);
        self.columns.dedup_by_key(|column| column.idx);
    }

    /// Makes the arrays of all sources out of a batch of the reader.
    pub(crate) fn arrays(
        &mut self,
        batch: Option<&RecordBatch>,
        rows: &BatchRows<'_>,
    ) -> Result<Vec<ArrayRef>, Stop> {
        let mut arrays = Vec::with_capacity(self.parts.len());
        let mut malformed = Vec::new();
        let mut again = false;
        for part in &mut self.parts {
            let read =
                position(&self.columns, &part.source).and_then(|at| batch?.columns().get(at));
            match part.array(read, rows) {
                Ok(made) => {
                    let column = part.source.column().filter(|_| made.malformed_rows > 0);
                    malformed.extend(column.map(|column| (column.clone(), made.malformed_rows)));
                    arrays.push(made.array);
                }
                Err(Stop::Again) => again = true,
                Err(Stop::Failed(error)) => return Err(Stop::Failed(error)),
            }
        }
        if again {
            self.gather();
            return Err(Stop::Again);
        }
        for (column, count) in malformed {
            rows.segment.count_malformed(&column.name, count);
        }
        Ok(arrays)
    }
}

impl Plan {
    /// Returns the residuals below roots that were asked for, and held nothing in rows read so far that
    /// lack the typed part.
    pub(crate) fn untyped_empty(&self) -> impl Iterator<Item = LeafIdx> + '_ {
        self.parts.iter().flat_map(|part| {
            let (reader, facts, key) = match (&part.kind, part.source.0.as_ref()) {
                (PartKind::Key { reader, facts }, Bound::Key(key)) => (reader, facts, key),
                _ => return Vec::new(),
            };
            let below_root = key.plan.residuals_on_the_way().skip(1);
            below_root
                .map(|(value, _)| value)
                .filter(|value| facts.residuals().contains(value))
                .filter(|value| !reader.held_untyped().contains(value))
                .collect()
        })
    }

    /// Returns the leaf that tells all of the plan's one source, or the typed leaf of a key and the
    /// residual beside it that do so together, with the definition levels of rows of which the first
    /// does not: their values may lie in a residual that is not read. None when the source takes more
    /// leaves, or which rows those are is not to be told.
    pub(crate) fn told_by_leaves(&self, segment: &Inner, group: RowGroupIdx) -> Option<Telling> {
        let [part] = self.parts.as_slice() else {
            return None;
        };
        match (&part.kind, part.source.0.as_ref(), self.leaves.as_slice()) {
            (PartKind::Column, Bound::Column { column, .. }, [leaf]) => {
                let is_leaf = matches!(&column.shape, Ok(Shape::Leaf(_)));
                is_leaf.then(|| Telling {
                    leaf: *leaf,
                    residual: None,
                    untold: Vec::new(),
                })
            }
            (PartKind::Key { facts, .. }, Bound::Key(key), leaves) if key.inside.is_none() => {
                let (leaf, residual) = match (leaves, key.plan.scalar_and_residual()) {
                    ([leaf], _) => (*leaf, None),
                    ([_, _], Some((leaf, Some(residual))))
                        if leaves.contains(&leaf) && leaves.contains(&residual) =>
                    {
                        (leaf, Some(residual))
                    }
                    _ => return None,
                };
                let mut untold = Vec::new();
                for (value, below) in key.plan.residuals_on_the_way() {
                    let is_told = facts.is_all_null(value)
                        || has_untyped_rows(segment, group, value, below) == Some(false);
                    if !is_told {
                        let level = level_above(segment, value, leaf);
                        let level = level.filter(|_| below.contains(&leaf))?;
                        untold.push(u32::try_from(level).ok()?);
                    }
                }
                let typed =
                    key.plan.key_type().is_some() && Some(leaf) != metadata_leaf(&key.column);
                typed.then_some(Telling {
                    leaf,
                    residual,
                    untold,
                })
            }
            _ => None,
        }
    }

    /// Makes the array of the plan's one source out of a batch; none when that takes more than the
    /// batch has, or values do not convert.
    pub(crate) fn converted(
        &mut self,
        batch: &RecordBatch,
        rows: &BatchRows<'_>,
    ) -> Option<ArrayRef> {
        let [part] = self.parts.as_mut_slice() else {
            return None;
        };
        let read = position(&self.columns, &part.source);
        let read = read.and_then(|at| batch.columns().get(at));
        let made = part.array(read, rows).ok()?;
        (made.malformed_rows == 0).then_some(made.array)
    }
}

/// Returns where a source's column stands among those that are read.
fn position(columns: &[Arc<Column>], source: &Source) -> Option<usize> {
    let idx = source.column()?.idx;
    columns.iter().position(|column| column.idx == idx)
}

fn part(segment: &Inner, group: RowGroupIdx, source: &Source, whole: bool) -> Part {
    let (kind, leaves) = match source.0.as_ref() {
        Bound::RowId => (PartKind::RowId, Vec::new()),
        Bound::Absent(column_type) => (PartKind::Null(*column_type), Vec::new()),
        Bound::Filled { .. } => (PartKind::Filled, Vec::new()),
        Bound::Column {
            column,
            column_type,
            ..
        } => match null_leaf(segment, group, column) {
            true => (PartKind::Null(*column_type), Vec::new()),
            false => (PartKind::Column, column.leaves.clone()),
        },
        Bound::Key(key) => {
            let mut facts = key.facts(segment, group);
            // A few rows may do without.
            let known = key.residuals(segment, group, &facts, true);
            if whole && !known.is_empty() {
                facts = facts.with_residuals(&known);
            }
            let inside = key.inside.as_ref();
            let leaves = key.plan.leaves_inside(&facts, key.output, inside);
            let reader = KeyReader::new(key.plan.clone(), key.output, key.roots);
            let reader = reader.inside(inside.cloned());
            (PartKind::Key { reader, facts }, leaves)
        }
        Bound::Document { layout, roots, .. } => {
            let reader = DocumentReader::new(layout.clone(), *roots);
            let leaves = reader.leaves(&segment.leaf_facts(group));
            (PartKind::Document(reader), leaves)
        }
    };
    Part {
        source: source.clone(),
        kind,
        leaves,
    }
}

/// Tells whether a primitive column provably has no value in a row group.
fn null_leaf(segment: &Inner, group: RowGroupIdx, column: &Column) -> bool {
    match (&column.shape, column.leaves.as_slice()) {
        (Ok(Shape::Leaf(_)), [leaf]) => {
            let rows = segment.row_group(group).row_count;
            segment
                .chunk(group, *leaf)
                .is_some_and(|chunk| is_all_null(chunk, rows))
        }
        _ => false,
    }
}

/// Tells whether a leaf is worth reading as a dictionary: its data pages are, and the dictionary is
/// small beside them. A predicate over a dictionary nearly as long as the column saves nothing.
pub(crate) fn reads_as_dictionary(segment: &Inner, group: RowGroupIdx, leaf: LeafIdx) -> bool {
    const SMALL: i64 = 64 << 10;
    let Some(chunk) = segment.chunk(group, leaf) else {
        return false;
    };
    let Some(start) = chunk.dictionary_page_offset() else {
        return false;
    };
    let dictionary = chunk.data_page_offset().saturating_sub(start);
    is_all_dictionary(chunk)
        && (dictionary <= SMALL || dictionary <= chunk.compressed_size().saturating_div(2))
}

impl Part {
    fn array(&mut self, read: Option<&ArrayRef>, rows: &BatchRows<'_>) -> Result<KeyColumn, Stop> {
        let made = |array| KeyColumn {
            array,
            malformed_rows: 0,
        };
        match (&mut self.kind, self.source.0.as_ref()) {
            (PartKind::RowId, _) => Ok(made(rows.ids())),
            (PartKind::Null(column_type), _) => Ok(made(new_null_array(
                &column_type.arrow_type(),
                rows.row_count(),
            ))),
            (PartKind::Filled, Bound::Filled { filled, .. }) => {
                let array = filled.rows(rows.row_count());
                let failed = |_| Stop::Failed(rows.internal("a filled-in value was not repeated"));
                Ok(made(array.map_err(failed)?))
            }
            (
                PartKind::Column,
                Bound::Column {
                    column,
                    column_type,
                    table,
                },
            ) => {
                let (Some(array), Ok(shape)) = (read, &column.shape) else {
                    return Err(Stop::Failed(rows.internal("column was not read")));
                };
                let converted = column::convert(shape, array, *column_type, table.target());
                let failed = |refused| Stop::Failed(rows.failure(column, refused));
                let (array, malformed_rows) = converted.map_err(failed)?;
                Ok(KeyColumn {
                    array,
                    malformed_rows,
                })
            }
            (PartKind::Key { reader, facts }, Bound::Key(key)) => {
                let found = reader.read(&variant(read, &key.column, rows)?, facts);
                if let Err(growler_variant::Error::NeedsResidual { residuals, .. }) = &found
                    && let Some(leaves) = more_leaves(key, facts, residuals, &self.leaves)
                {
                    self.leaves = leaves;
                    return Err(Stop::Again);
                }
                found.map_err(|error| {
                    Stop::Failed(rows.failure(&key.column, Refused::Variant(error)))
                })
            }
            (PartKind::Document(reader), Bound::Document { column, .. }) => {
                let found = reader.read(&variant(read, column, rows)?);
                let failed = |error| Stop::Failed(rows.failure(column, Refused::Variant(error)));
                found.map_err(failed)
            }
            _ => Err(Stop::Failed(rows.internal("part and source differ"))),
        }
    }
}

/// Asks for the residuals that a key was found to need; none if those are read already.
fn more_leaves(
    key: &BoundKey,
    facts: &mut LeafFacts,
    residuals: &[LeafIdx],
    read: &[LeafIdx],
) -> Option<Vec<LeafIdx>> {
    *facts = facts.clone().with_residuals(residuals);
    let inside = key.inside.as_ref();
    let leaves = key.plan.leaves_inside(facts, key.output, inside);
    (leaves != read).then_some(leaves)
}

fn variant(
    read: Option<&ArrayRef>,
    column: &Column,
    rows: &BatchRows<'_>,
) -> Result<StructArray, Stop> {
    // No leaf is worth reading: a group without children, present in every row.
    let Some(array) = read else {
        return Ok(StructArray::new_empty_fields(rows.row_count(), None));
    };
    let found = array.as_any().downcast_ref::<StructArray>().cloned();
    found.ok_or_else(|| {
        let cause = format!("variant column {} was not read as a group", column.name);
        Stop::Failed(rows.internal(&cause))
    })
}
