//! RESOLVING_SNAPSHOT: the state to serve, of the table that was served before.

use std::sync::Arc;

use growler_catalog::IcebergTable;
use growler_catalog::metadata::Snapshot;
use growler_catalog::objects::FileInfo;

use super::failure::{Code, Failure};
use super::record::{DetachedRecord, Phase, TargetRecord};
use super::run::Run;
use super::source::Loaded;
use crate::config::Source;

/// What a run is to serve.
#[derive(Debug, Clone)]
pub(super) enum Target {
    /// A state of an Iceberg table; none before its first.
    Iceberg(Box<IcebergTarget>),
    /// Plain files.
    Files(Vec<FileInfo>),
}

#[derive(Debug, Clone)]
pub(super) struct IcebergTarget {
    pub(super) table: IcebergTable,
    pub(super) snapshot: Option<Snapshot>,
}

const MAIN: &str = "main";

impl Run<'_> {
    /// Resolves what was loaded, and notes it in the record.
    pub(super) fn resolve(&mut self, loaded: Loaded) -> Result<Target, Failure> {
        let (table, metadata_location) = match loaded {
            Loaded::Files(files) => {
                self.record.target = Some(TargetRecord {
                    listing: Some(listing(&files)),
                    ..TargetRecord::default()
                });
                self.attach()?;
                return Ok(Target::Files(files));
            }
            Loaded::Iceberg {
                table,
                metadata_location,
            } => (table, metadata_location),
        };
        self.same_table(&table)?;
        let snapshot = self.snapshot(&table)?;
        let metadata = table.metadata();
        self.record.target = Some(TargetRecord {
            table_uuid: metadata.table_uuid.clone(),
            snapshot_id: snapshot.as_ref().map(|snapshot| snapshot.id.0),
            schema_id: snapshot
                .as_ref()
                .and_then(|snapshot| Some(snapshot.schema_id?.0)),
            metadata_location,
            last_updated_ms: Some(metadata.last_updated_ms),
            listing: None,
        });
        self.attach()?;
        let target = IcebergTarget { table, snapshot };
        Ok(Target::Iceberg(Box::new(target)))
    }

    /// A table that was made anew is another one, wherever its metadata lies.
    fn same_table(&mut self, table: &IcebergTable) -> Result<(), Failure> {
        let now = table.metadata().table_uuid.as_deref();
        let before = self
            .checkpoint
            .as_ref()
            .and_then(|c| c.target.table_uuid.as_deref());
        match (before, now) {
            (Some(before), Some(now)) if !before.eq_ignore_ascii_case(now) => {
                let message = format!(
                    "table was replaced by another one at the source: served={before} found={now}"
                );
                Err(self.detach(Code::TableReplaced, message))
            }
            _ => Ok(()),
        }
    }

    fn snapshot(&self, table: &IcebergTable) -> Result<Option<Snapshot>, Failure> {
        let metadata = table.metadata();
        let reference = match &self.followed.config.source {
            Source::IcebergRest { reference, .. } | Source::IcebergFolder { reference, .. } => {
                reference.as_deref().unwrap_or(MAIN)
            }
            Source::Parquet { .. } => MAIN,
        };
        let Some(found) = metadata.refs.get(reference) else {
            return match reference {
                MAIN => Ok(None),
                other => Err(Failure::new(
                    Code::RefNotFound,
                    format!(
                        "branch or tag not found: ref={other} table={}",
                        table.root()
                    ),
                )),
            };
        };
        let snapshot = metadata.snapshot(found.snapshot_id).cloned();
        let id = found.snapshot_id;
        snapshot.map(Some).ok_or_else(|| {
            Failure::new(
                Code::RefNotFound,
                format!("snapshot of a branch is not listed: ref={reference} snapshot={id}"),
            )
        })
    }

    /// Notes that the table follows its source no more, and returns why the run fails.
    pub(super) fn detach(&mut self, code: Code, message: String) -> Failure {
        let record = DetachedRecord {
            code,
            message: message.clone(),
            since_ms: self.engine.clock.now_ms(),
        };
        let failure = Failure::new(code, message).of(Phase::ResolvingSnapshot);
        // Nothing was served yet, so there is nothing to be detached from.
        if self.checkpoint.is_none() {
            return failure;
        }
        if self.state.detached.is_none() {
            self.state.detached = serde_json::to_string(&record).ok();
        }
        match self.save_state("detach") {
            Ok(()) => failure,
            Err(error) => error,
        }
    }

    fn attach(&mut self) -> Result<(), Failure> {
        match self.state.detached.take() {
            Some(_) => self.save_state("attach"),
            None => Ok(()),
        }
    }
}

impl IcebergTarget {
    /// Returns the identity under which members are kept.
    pub(super) fn uuid(&self) -> String {
        let uuid = self.table.metadata().table_uuid.as_deref();
        uuid.unwrap_or_default().to_ascii_lowercase()
    }

    pub(super) fn metadata(&self) -> &Arc<growler_catalog::TableMetadata> {
        self.table.metadata()
    }
}

/// Tells one set of files from others.
fn listing(files: &[FileInfo]) -> String {
    let mut text = String::new();
    for file in files {
        text.push_str(&format!(
            "{}\n{}\n{}\n",
            file.location,
            file.len_bytes,
            version(file)
        ));
    }
    format!("{:016x}", twox_hash::XxHash3_64::oneshot(text.as_bytes()))
}

/// Tells one version of a file from others.
pub(super) fn version(file: &FileInfo) -> String {
    file.version().unwrap_or_default()
}
