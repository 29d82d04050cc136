//! Which deletes apply to which data file: rules of section "Scan Planning".
//!
//! | deletes | the data file is of the same or an older commit | and |
//! | - | - | - |
//! | deletion vector | same or older | it is the file named, of the same spec and partition |
//! | positions | same or older | same spec and partition, the file named if one is; no vector applies |
//! | equality | older | same spec and partition, or the deletes are under a spec without fields |

use std::collections::HashMap;
use std::sync::Arc;

use growler_base::limits;

use super::plan::{DataFile, DeleteFile, DeleteKind};
use crate::error::{Error, FileKind};
use crate::{SequenceNumber, SpecId};

type Scope = (SpecId, Box<[u8]>);
type Deletes = Vec<Arc<DeleteFile>>;

/// The deletes of one snapshot, by what they may apply to; each list in the order of commits.
#[derive(Debug, Default)]
pub(crate) struct DeleteIndex {
    vectors: HashMap<String, Deletes>,
    positions_by_file: HashMap<String, Deletes>,
    positions: HashMap<Scope, Deletes>,
    equality: HashMap<Scope, Deletes>,
    global_equality: Deletes,
    is_empty: bool,
    count: usize,
}

impl DeleteIndex {
    /// Adds a delete file.
    pub(crate) fn add(&mut self, file: DeleteFile) -> Result<(), Error> {
        self.count = self.count.saturating_add(1);
        if self.count > limits::SNAPSHOT_FILES {
            return Err(too_many(&file.path));
        }
        let file = Arc::new(file);
        let scope = || (file.spec_id, file.partition.key());
        let deletes = match &file.kind {
            DeleteKind::Vector { data_file, .. } => {
                self.vectors.entry(data_file.clone()).or_default()
            }
            DeleteKind::Positions {
                data_file: Some(path),
            } => self.positions_by_file.entry(path.clone()).or_default(),
            DeleteKind::Positions { data_file: None } => self.positions.entry(scope()).or_default(),
            DeleteKind::Equality { .. } if file.is_global => &mut self.global_equality,
            DeleteKind::Equality { .. } => self.equality.entry(scope()).or_default(),
        };
        deletes.push(Arc::clone(&file));
        Ok(())
    }

    /// Puts the deletes in order, once all are there.
    pub(crate) fn finish(&mut self) {
        self.is_empty = self.count == 0;
        let by_file = self
            .vectors
            .values_mut()
            .chain(self.positions_by_file.values_mut());
        let by_scope = self
            .positions
            .values_mut()
            .chain(self.equality.values_mut());
        for deletes in by_file.chain(by_scope).chain([&mut self.global_equality]) {
            deletes.sort_by(|a, b| (a.sequence_number, &a.path).cmp(&(b.sequence_number, &b.path)));
        }
    }

    /// Gives each data file the deletes that apply to it.
    pub(crate) fn assign(&self, files: &mut [DataFile]) -> Result<(), Error> {
        if self.is_empty {
            return Ok(());
        }
        let mut count = 0_usize;
        for file in files {
            let key = file.partition.key();
            file.deletes = self.of(file, &key)?;
            count = count.saturating_add(file.deletes.len());
            if count > limits::SNAPSHOT_FILES {
                return Err(too_many(&file.path));
            }
        }
        Ok(())
    }

    fn of(&self, file: &DataFile, partition: &[u8]) -> Result<Deletes, Error> {
        let scope = (file.spec_id, Box::from(partition));
        let in_scope = |delete: &&Arc<DeleteFile>| {
            delete.spec_id == file.spec_id && *delete.partition.key() == *partition
        };
        let written = file.sequence_number;
        let mut deletes = Vec::new();
        let vectors = from(self.vectors.get(&file.recorded_path), written);
        let vectors: Deletes = vectors.iter().filter(in_scope).cloned().collect();
        match vectors.as_slice() {
            [] => {
                let named = from(self.positions_by_file.get(&file.recorded_path), written);
                deletes.extend(named.iter().filter(in_scope).cloned());
                deletes.extend_from_slice(from(self.positions.get(&scope), written));
            }
            [_] => deletes.extend(vectors),
            _ => {
                return Err(Error::Corrupt {
                    file: FileKind::Manifest,
                    path: file.path.as_str().into(),
                    cause: "data file has several deletion vectors".into(),
                });
            }
        }
        let later = SequenceNumber(written.0.saturating_add(1));
        deletes.extend_from_slice(from(self.equality.get(&scope), later));
        deletes.extend_from_slice(from(Some(&self.global_equality), later));
        Ok(deletes)
    }
}

/// The deletes of a commit and of those after it.
fn from(deletes: Option<&Deletes>, first: SequenceNumber) -> &[Arc<DeleteFile>] {
    let deletes = deletes.map_or(&[][..], Vec::as_slice);
    let start = deletes.partition_point(|delete| delete.sequence_number < first);
    deletes.get(start..).unwrap_or_default()
}

fn too_many(path: &str) -> Error {
    Error::Limit {
        file: FileKind::Manifest,
        path: path.into(),
        cause: format!("too many deletes limit={}", limits::SNAPSHOT_FILES).into(),
    }
}
