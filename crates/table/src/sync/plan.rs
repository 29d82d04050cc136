//! PLANNING: the files of a state against those that are served.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use growler_base::ErrorKind;
use growler_catalog::metadata::Schema;
use growler_catalog::objects::FileInfo;
use growler_catalog::table::DataFile;
use growler_catalog::{Plan, ScanOptions, SchemaId, SequenceNumber, SnapshotSelector, SpecId};

use super::failure::{Code, Failure};
use super::run::Run;
use super::snapshot::{IcebergTarget, version};
use crate::config::Deletes;
use crate::store::{MemberId, MemberKey, MemberState};

/// Most files that a message names.
const NAMED: usize = 5;

/// What is to be done so that a state is served.
#[derive(Debug)]
pub(super) struct Work {
    /// All files of the state, in the order of its rows.
    pub(super) plan: Plan,
    /// One a file.
    pub(super) keys: Vec<MemberKey>,
    /// Positions of files to stage.
    pub(super) stage: Vec<Stage>,
    /// Members that are staged already, or were served once.
    pub(super) adopt: Vec<MemberId>,
    /// Members that are served and will not be.
    pub(super) remove: Vec<MemberId>,
}

/// A file to stage.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage {
    /// Its position among the files.
    pub(super) idx: usize,
    /// Whether its footer is to be read: nobody has seen the file yet.
    pub(super) is_new: bool,
}

impl Run<'_> {
    pub(super) fn plan_iceberg(&mut self, target: &IcebergTarget) -> Result<Work, Failure> {
        let mut plan = match &target.snapshot {
            None => empty_plan(target.metadata().current_schema()),
            Some(snapshot) => {
                let options = ScanOptions {
                    snapshot: SnapshotSelector::Id(snapshot.id),
                    predicate: None,
                };
                let known = &self.engine.manifests;
                let table = target.table.clone().with_manifests(known, &self.table);
                let planned = self.retry(
                    || table.scan_plan(&options),
                    |error| error.kind() == ErrorKind::Unavailable,
                );
                planned.map_err(|error| Failure::new(Code::PlanFailed, error.to_string()))?
            }
        };
        if self.followed.config.deletes == Deletes::Refuse {
            refuse_deletes(&plan)?;
        }
        let uuid = target.uuid();
        let mut seen = HashSet::new();
        // A path that is listed twice is one file.
        plan.files
            .retain(|file| seen.insert(file.recorded_path.clone()));
        let key = |file: &DataFile| MemberKey {
            table_uuid: uuid.clone(),
            path: file.recorded_path.clone(),
            len_bytes: file.len_bytes,
            digest: digest(file),
        };
        let keys = plan.files.iter().map(key).collect();
        self.compare(plan, keys, true)
    }

    pub(super) fn plan_files(&mut self, files: &[FileInfo]) -> Result<Work, Failure> {
        let no_columns = Arc::new(Schema {
            id: SchemaId(0),
            fields: Vec::new(),
            identifier_field_ids: Vec::new(),
        });
        let mut plan = empty_plan(&no_columns);
        plan.files = files.iter().map(data_file).collect();
        let key = |file: &FileInfo| MemberKey {
            table_uuid: String::new(),
            path: file.location.clone(),
            len_bytes: file.len_bytes,
            digest: version(file),
        };
        let keys = files.iter().map(key).collect();
        self.compare(plan, keys, false)
    }

    /// Compares files with members. Files that never change are known by path and length: what
    /// deletes from them may differ, their footers do not.
    fn compare(
        &mut self,
        plan: Plan,
        keys: Vec<MemberKey>,
        never_change: bool,
    ) -> Result<Work, Failure> {
        let members = self
            .engine
            .store
            .read(|reader| reader.member_keys(&self.table))?;
        let by_key: HashMap<&MemberKey, (MemberId, MemberState)> = members
            .iter()
            .map(|(id, key, state)| (key, (*id, *state)))
            .collect();
        let known: HashSet<(&str, &str, u64)> = members
            .iter()
            .filter(|_| never_change)
            .map(|(_, key, _)| (key.table_uuid.as_str(), key.path.as_str(), key.len_bytes))
            .collect();
        let mut work = Work {
            plan,
            keys: Vec::new(),
            stage: Vec::new(),
            adopt: Vec::new(),
            remove: Vec::new(),
        };
        for (idx, key) in keys.iter().enumerate() {
            match by_key.get(key) {
                Some((_, MemberState::Active)) => {}
                Some((id, MemberState::Staged | MemberState::Retired)) => work.adopt.push(*id),
                None => {
                    let of_file = (key.table_uuid.as_str(), key.path.as_str(), key.len_bytes);
                    let is_new = !known.contains(&of_file);
                    work.stage.push(Stage { idx, is_new });
                }
            }
        }
        let wanted: HashSet<&MemberKey> = keys.iter().collect();
        for (id, key, state) in &members {
            if *state == MemberState::Active && !wanted.contains(key) {
                work.remove.push(*id);
            }
        }
        if !never_change {
            let is_served =
                |key: &MemberKey| matches!(by_key.get(key), Some((_, MemberState::Active)));
            let others = keys.iter().filter(|key| !is_served(key));
            self.replaced = others.map(|key| key.path.clone()).collect();
        }
        work.keys = keys;
        let count = |len: usize| u64::try_from(len).unwrap_or(u64::MAX);
        self.record.files.planned = count(work.stage.len().saturating_add(work.adopt.len()));
        self.record.files.removed = count(work.remove.len());
        Ok(work)
    }
}

pub(super) fn empty_plan(schema: &Arc<Schema>) -> Plan {
    Plan {
        snapshot_id: None,
        schema: Arc::clone(schema),
        files: Vec::new(),
        stats: growler_catalog::table::PlanStats::default(),
    }
}

fn refuse_deletes(plan: &Plan) -> Result<(), Failure> {
    let with_deletes = plan.files.iter().filter(|file| !file.deletes.is_empty());
    let named: Vec<&str> = with_deletes
        .clone()
        .take(NAMED)
        .map(|file| file.path.as_str())
        .collect();
    match named.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(
            Code::DeletesRefused,
            format!(
                "snapshot has deletes, which sync.deletes=refuse refuses: files={} first={}",
                with_deletes.count(),
                named.join(",")
            ),
        )),
    }
}

/// Tells apart what else a table says of a file: its partition, rank, row ids and deletes. Bounds and
/// constants are the file's for ever.
fn digest(file: &DataFile) -> String {
    let of = (
        file.spec_id,
        &file.partition,
        file.sequence_number,
        file.first_row_id,
        file.row_count,
        file.deletes.iter().map(AsRef::as_ref).collect::<Vec<_>>(),
    );
    let text = serde_json::to_vec(&of).unwrap_or_default();
    format!("{:016x}", twox_hash::XxHash3_64::oneshot(&text))
}

fn data_file(file: &FileInfo) -> DataFile {
    DataFile {
        path: file.location.clone(),
        recorded_path: file.location.clone(),
        row_count: 0,
        len_bytes: file.len_bytes,
        spec_id: SpecId(0),
        partition: growler_catalog::manifest::PartitionTuple::default(),
        constants: Vec::new(),
        columns: growler_catalog::manifest::Columns::default(),
        sequence_number: SequenceNumber(0),
        first_row_id: None,
        sort_order_id: None,
        deletes: Vec::new(),
    }
}
