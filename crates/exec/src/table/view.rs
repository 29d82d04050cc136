//! The segments and the schema that a query is pinned to.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use growler_index::SegmentIndexes;
use growler_schema::{
    DataType, Field, KeyType, TableSchema, TimeUnit,
    infer::{FileFields, complete, merge_fields, unreadable},
};
use growler_segment::{FooterCache, KeyPath, Layouts, Segment};
use roaring::RoaringBitmap;

use super::{FilePruner, Member, OpenError, discover::discover};
use crate::{error::Error, expr::call::COMPUTED_SCALE};

/// Most keys whose types and presence are remembered; more are worked out again.
const KEYS_REMEMBERED: usize = 10_000;

/// A table at one moment: its segments in the order of their paths, and one schema over them.
#[derive(Debug)]
pub struct View {
    name: String,
    schema: TableSchema,
    /// Columns that the table had once.
    dropped: Arc<[Field]>,
    segments: Vec<Segment>,
    /// One a segment.
    indexes: Vec<Option<SegmentIndexes>>,
    /// Rows that are gone, one a segment; shared by the views of the same segments.
    deleted: Arc<[Option<Arc<RoaringBitmap>>]>,
    pruner: Option<Arc<dyn FilePruner>>,
    row_count: u64,
    is_remote: bool,
    /// Shared by the views of the same segments: indexes say nothing new of a key.
    keys: Arc<Mutex<HashMap<(String, String), KnownKey>>>,
}

/// What was found out about a key over all segments.
#[derive(Debug, Clone, Copy)]
struct KnownKey {
    key_type: KeyType,
    /// Whether some row has a value for it, as indexes tell and as the scan does: one never vouches
    /// for the other. None where nobody looked.
    has_values: [Option<bool>; 2],
}

impl View {
    /// Opens all Parquet files of a path, folder or glob as one table.
    ///
    /// Without a schema the table has every column that any file has. A declared schema stands as it
    /// is, completed with what only files know.
    ///
    /// # Errors
    /// [`OpenError`], naming the file that cannot be read or does not fit.
    pub fn open(
        name: impl Into<String>,
        location: &str,
        schema: Option<&TableSchema>,
        cache: &FooterCache,
    ) -> Result<Self, OpenError> {
        let name = name.into();
        let mut segments = Vec::new();
        let mut columns = Vec::new();
        for path in discover(location)? {
            let failed = |source| OpenError::Segment {
                path: path.clone(),
                source,
            };
            let segment = Segment::open(&path, cache).map_err(failed)?;
            if u32::try_from(segment.row_count()).is_err() {
                return Err(OpenError::Rows(path));
            }
            columns.push((
                path.display().to_string(),
                segment.fields().map_err(failed)?,
            ));
            segments.push(segment);
        }
        let files = columns
            .iter()
            .map(|(file, fields)| FileFields { file, fields });
        let inferred = merge_fields(files)?;
        let schema = match schema {
            None => TableSchema::new(&name, inferred),
            Some(declared) => {
                let errors = unreadable(declared, &inferred);
                if !errors.is_empty() {
                    return Err(OpenError::Declared(errors));
                }
                complete(declared, &inferred)
            }
        };
        Ok(Self::of(name, schema, segments))
    }

    /// Makes a view of opened segments.
    pub fn of(name: impl Into<String>, schema: TableSchema, segments: Vec<Segment>) -> Self {
        let members = segments.into_iter().map(Member::new);
        Self::of_members(name, schema, members.collect(), None)
    }

    /// Makes a view of the files of a table, in the order of its rows.
    ///
    /// A pruner numbers the files as they are here.
    pub fn of_members(
        name: impl Into<String>,
        schema: TableSchema,
        members: Vec<Member>,
        pruner: Option<Arc<dyn FilePruner>>,
    ) -> Self {
        let row_count = members.iter().map(Member::live_row_count).sum();
        let (segments, deleted): (Vec<_>, Vec<_>) = members
            .into_iter()
            .map(|member| (member.segment, member.deleted_rows))
            .unzip();
        Self {
            is_remote: segments.iter().any(Segment::is_remote),
            name: name.into(),
            schema,
            dropped: Arc::default(),
            indexes: vec![None; segments.len()],
            segments,
            deleted: deleted.into(),
            pruner,
            row_count,
            keys: Arc::default(),
        }
    }

    /// Says which columns the table had once: queries that ask for them find them by name.
    #[must_use]
    pub fn with_dropped(mut self, dropped: Vec<Field>) -> Self {
        self.dropped = dropped.into();
        self
    }

    /// Gives the view the indexes of its segments, in their order; segments beyond have none.
    #[must_use]
    pub fn with_indexes(mut self, indexes: Vec<Option<SegmentIndexes>>) -> Self {
        self.indexes = indexes;
        self.indexes.resize(self.segments.len(), None);
        self
    }

    /// Returns the same view with other indexes of one segment; queries on this one go on as they are.
    #[must_use]
    pub fn with_segment_indexes(&self, idx: usize, indexes: Option<SegmentIndexes>) -> Self {
        let mut all = self.indexes.clone();
        if let Some(slot) = all.get_mut(idx) {
            *slot = indexes;
        }
        Self {
            name: self.name.clone(),
            schema: self.schema.clone(),
            dropped: Arc::clone(&self.dropped),
            segments: self.segments.clone(),
            indexes: all,
            deleted: Arc::clone(&self.deleted),
            pruner: self.pruner.clone(),
            row_count: self.row_count,
            is_remote: self.is_remote,
            keys: Arc::clone(&self.keys),
        }
    }

    /// Returns the indexes of one segment.
    pub fn indexes(&self, idx: usize) -> Option<&SegmentIndexes> {
        self.indexes.get(idx)?.as_ref()
    }

    /// Returns the table's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the schema.
    pub fn schema(&self) -> &TableSchema {
        &self.schema
    }

    /// Returns the columns that the table had once.
    pub fn dropped(&self) -> &[Field] {
        &self.dropped
    }

    /// Finds a column by its name, and where `include_dropped` says so one that the table had once.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], or [`Error::DroppedColumn`] for one that is not to be included.
    pub fn column(&self, name: &str, include_dropped: bool) -> Result<&Field, Error> {
        if let Some(field) = self.schema.field(name) {
            return Ok(field);
        }
        let dropped = self.dropped.iter().find(|field| field.name == name);
        match dropped {
            Some(field) if include_dropped => Ok(field),
            Some(_) => Err(Error::DroppedColumn(name.to_owned())),
            None => Err(Error::UnknownColumn(name.to_owned())),
        }
    }

    /// Returns the segments in the order of their paths.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns the rows of one segment that are gone; none when all are there.
    pub fn deleted_rows(&self, idx: usize) -> Option<&Arc<RoaringBitmap>> {
        self.deleted.get(idx)?.as_ref()
    }

    /// Returns what knows which files to leave closed.
    pub fn pruner(&self) -> Option<&dyn FilePruner> {
        self.pruner.as_deref()
    }

    /// Returns how many rows all segments have, without those that are gone.
    pub fn row_count(&self) -> u64 {
        self.row_count
    }

    /// Tells whether the bytes of some segment are fetched.
    pub fn is_remote(&self) -> bool {
        self.is_remote
    }

    /// Returns the one type a key has in queries: the declared one, or that of the typed leaves of
    /// all files. Worked out once for a view.
    ///
    /// # Errors
    /// [`Error::Execution`] when a file's layout is malformed.
    pub fn key_type(&self, field: &Field, path: &KeyPath) -> Result<KeyType, Error> {
        let declared = field
            .children
            .get(path.text())
            .map(|child| child.column_type.data_type);
        if let Some(data_type) = declared.filter(|declared| !takes_digits(*declared)) {
            return Ok(KeyType {
                data_type,
                typed: true,
            });
        }
        if let Some(known) = self.known(field, path) {
            return Ok(known.key_type);
        }
        let mut leaves = Vec::new();
        // Files that are written alike share their layouts, and need not be open.
        let mut seen = HashSet::new();
        for segment in &self.segments {
            let is_new = |layouts: &Arc<Layouts>| seen.insert(Arc::as_ptr(layouts).addr());
            if segment.layouts().is_none_or(is_new) {
                leaves.extend(segment.key_type(field, path)?);
            }
        }
        let key_type = match declared {
            Some(declared) => KeyType {
                data_type: with_digits(declared, &leaves),
                typed: true,
            },
            None => KeyType::unify(leaves),
        };
        self.remember(
            field,
            path,
            KnownKey {
                key_type,
                has_values: [None; 2],
            },
        );
        Ok(key_type)
    }

    /// Returns whether some row has a value for a key; `look` finds out the first time, with indexes
    /// or by the scan alone.
    ///
    /// # Errors
    /// Those of `look`, and as [`Self::key_type`].
    pub fn has_values(
        &self,
        field: &Field,
        path: &KeyPath,
        by_scan: bool,
        look: impl FnOnce() -> Result<bool, Error>,
    ) -> Result<bool, Error> {
        let [of_indexes, of_scan] = self
            .known(field, path)
            .map_or([None; 2], |known| known.has_values);
        let known = if by_scan { of_scan } else { of_indexes };
        if let Some(has_values) = known {
            return Ok(has_values);
        }
        let (key_type, found) = (self.key_type(field, path)?, look()?);
        let has_values = match by_scan {
            true => [of_indexes, Some(found)],
            false => [Some(found), of_scan],
        };
        let known = KnownKey {
            key_type,
            has_values,
        };
        self.remember(field, path, known);
        Ok(found)
    }

    fn known(&self, field: &Field, path: &KeyPath) -> Option<KnownKey> {
        let keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.get(&(field.name.clone(), path.text().to_owned()))
            .copied()
    }

    fn remember(&self, field: &Field, path: &KeyPath, known: KnownKey) {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (field.name.clone(), path.text().to_owned());
        if keys.len() < KEYS_REMEMBERED || keys.contains_key(&key) {
            keys.insert(key, known);
        }
    }
}

/// Tells whether a declared type leaves open how many digits values have behind the point.
fn takes_digits(declared: DataType) -> bool {
    matches!(
        declared,
        DataType::BigDecimal { .. } | DataType::Timestamp { .. }
    )
}

/// Gives a declared type the scale or unit of the typed leaves. Where no leaf says it, decimals get
/// [`COMPUTED_SCALE`] digits; times have microseconds at least, as VARIANT values do.
fn with_digits(declared: DataType, leaves: &[DataType]) -> DataType {
    match declared {
        DataType::BigDecimal { scale } => {
            let of_leaf = |leaf: &DataType| match leaf {
                DataType::BigDecimal { scale } => Some(*scale),
                _ => None,
            };
            let written = (scale > 0).then_some(scale);
            let known = leaves.iter().filter_map(of_leaf).max().max(written);
            DataType::BigDecimal {
                scale: known.unwrap_or(COMPUTED_SCALE),
            }
        }
        DataType::Timestamp { unit } => {
            let of_leaf = |leaf: &DataType| match leaf {
                DataType::Timestamp { unit } => Some(*unit),
                _ => None,
            };
            let finest = leaves.iter().filter_map(of_leaf).max();
            DataType::Timestamp {
                unit: finest
                    .unwrap_or(TimeUnit::Micros)
                    .max(unit)
                    .max(TimeUnit::Micros),
            }
        }
        other => other,
    }
}
