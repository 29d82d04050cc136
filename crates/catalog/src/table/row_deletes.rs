//! The rows of data files that are gone, whatever kind of deletes say so.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use growler_base::FieldId;
use roaring::RoaringBitmap;

use super::deletion_vector;
use super::equality::EqualityDeletes;
use super::plan::{DataFile, DeleteFile, DeleteKind, Plan};
use super::positions::PositionDeletes;
use super::reader::DeleteReader;
use crate::files::Files;
use crate::metadata::TableMetadata;
use crate::{Error, IcebergTable, SpecId};

/// The deletes of one plan; each delete file is read once, when a data file first needs it.
pub struct RowDeletes {
    files: Arc<dyn Files>,
    metadata: Arc<TableMetadata>,
    reader: Arc<dyn DeleteReader>,
    positions: HashMap<String, Slot<PositionDeletes>>,
    equality: HashMap<Group, EqualityGroup>,
}

/// Something that is read when it is first asked for.
type Slot<T> = Mutex<Option<Arc<T>>>;

/// Equality deletes over the same columns that apply to the same files, later commits aside.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Group {
    ids: Vec<FieldId>,
    /// The partition they are limited to; none for global ones.
    scope: Option<(SpecId, Box<[u8]>)>,
}

#[derive(Default)]
struct EqualityGroup {
    files: HashMap<String, Arc<DeleteFile>>,
    deletes: Slot<EqualityDeletes>,
}

impl RowDeletes {
    /// Makes the deletes of a plan; nothing is read yet.
    pub fn new(table: &IcebergTable, plan: &Plan, reader: Arc<dyn DeleteReader>) -> Self {
        let mut deletes = Self {
            files: Arc::clone(&table.files),
            metadata: Arc::clone(&table.metadata),
            reader,
            positions: HashMap::new(),
            equality: HashMap::new(),
        };
        for delete in plan.files.iter().flat_map(|file| &file.deletes) {
            match &delete.kind {
                DeleteKind::Vector { .. } => {}
                DeleteKind::Positions { .. } => {
                    deletes.positions.entry(delete.path.clone()).or_default();
                }
                DeleteKind::Equality { ids } => {
                    let group = deletes.equality.entry(Group::of(delete, ids)).or_default();
                    group.files.insert(delete.path.clone(), Arc::clone(delete));
                }
            }
        }
        deletes
    }

    /// Returns the rows of a data file of the plan that are gone.
    ///
    /// # Errors
    /// What reading the deletes, or the columns they compare, does.
    pub fn of(&self, file: &DataFile) -> Result<RoaringBitmap, Error> {
        let mut rows = RoaringBitmap::new();
        let mut applied: Vec<Group> = Vec::new();
        for delete in &file.deletes {
            match &delete.kind {
                DeleteKind::Vector { .. } => {
                    rows |= deletion_vector::read(self.files.as_ref(), delete)?;
                }
                DeleteKind::Positions { .. } => {
                    if let Some(deleted) = self.positions(&delete.path)?.of(&file.recorded_path) {
                        rows |= deleted;
                    }
                }
                DeleteKind::Equality { ids } => {
                    let group = Group::of(delete, ids);
                    if applied.contains(&group) {
                        continue;
                    }
                    self.equality(&group)?
                        .apply(self.reader.as_ref(), file, &mut rows)?;
                    applied.push(group);
                }
            }
        }
        Ok(rows)
    }

    fn positions(&self, path: &str) -> Result<Arc<PositionDeletes>, Error> {
        let read = || PositionDeletes::read(self.reader.as_ref(), path);
        match self.positions.get(path) {
            Some(slot) => fill(slot, read),
            // A file of another plan.
            None => read().map(Arc::new),
        }
    }

    fn equality(&self, group: &Group) -> Result<Arc<EqualityDeletes>, Error> {
        let Some(known) = self.equality.get(group) else {
            return Ok(Arc::default());
        };
        fill(&known.deletes, || {
            let files = known.files.values().map(AsRef::as_ref);
            EqualityDeletes::read(self.reader.as_ref(), &self.metadata, &group.ids, files)
        })
    }
}

impl Group {
    fn of(delete: &DeleteFile, ids: &[FieldId]) -> Self {
        let scope = || (delete.spec_id, delete.partition.key());
        Self {
            ids: ids.to_vec(),
            scope: (!delete.is_global).then(scope),
        }
    }
}

/// Reads what a slot is for, once; whoever asks meanwhile waits.
fn fill<T>(slot: &Slot<T>, read: impl FnOnce() -> Result<T, Error>) -> Result<Arc<T>, Error> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = slot.as_ref() {
        return Ok(Arc::clone(known));
    }
    let read = Arc::new(read()?);
    *slot = Some(Arc::clone(&read));
    Ok(read)
}
