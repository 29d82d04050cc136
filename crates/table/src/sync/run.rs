//! One run: its steps in their order, and what goes with each.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use growler_base::Interrupt;
use growler_schema::{TableSchema, infer};

use super::engine::Engine;
use super::failure::{Code, Failure};
use super::plan::Work;
use super::record::{CheckpointRecord, Phase, RunRecord, SkippedRecord};
use super::schema::Served;
use super::snapshot::Target;
use super::tables::Followed;
use super::views::{Content, Opened};
use crate::evolve::{Level, Line, ServedColumn, ServedSchema};
use crate::store::{self, Lease, RunId, RunState, StateRow, Writer};

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunReport {
    /// How it ended.
    pub state: RunState,
    /// What it did.
    pub record: RunRecord,
}

/// A run that is on.
pub(super) struct Run<'e> {
    pub(super) engine: &'e Engine,
    /// Without `_OFFLINE`.
    pub(super) table: String,
    pub(super) table_with_type: String,
    pub(super) followed: Followed,
    pub(super) lease: Lease,
    pub(super) id: RunId,
    pub(super) record: RunRecord,
    pub(super) state: StateRow,
    pub(super) checkpoint: Option<CheckpointRecord>,
    pub(super) served: Option<Served>,
    pub(super) target: Option<Target>,
    /// Files that were opened by this run.
    pub(super) opened: Opened,
    /// Plain files that are another version than the one of that name which is served.
    pub(super) replaced: HashSet<String>,
    pub(super) skipped: SkippedRecord,
}

impl Run<'_> {
    /// Goes through all steps.
    pub(super) fn steps(&mut self) -> Result<(), Failure> {
        let loaded = self.load()?;
        self.enter(Phase::ResolvingSnapshot)?;
        let target = self.resolve(loaded)?;
        self.target = Some(target.clone());
        self.enter(Phase::UpdatingSchema)?;
        match &target {
            Target::Iceberg(target) => self.update_schema(target)?,
            Target::Files(_) => {
                if let Some(served) = self.served.clone() {
                    self.adopt_declared(&served.schema)?;
                }
                self.note_no_history();
            }
        }
        if self.is_served_already() {
            return Ok(());
        }
        self.enter(Phase::Planning)?;
        let mut work = match &target {
            Target::Iceberg(target) => self.plan_iceberg(target)?,
            Target::Files(files) => self.plan_files(files)?,
        };
        self.enter(Phase::Ingesting)?;
        self.ingest(&mut work)?;
        if self.served.is_none() {
            if work.plan.files.is_empty() {
                // Nothing says yet which columns there are.
                return Ok(());
            }
            self.onboard_files(&work)?;
        }
        self.enter(Phase::Publishing)?;
        self.publish(&target, work)
    }

    /// The state is served, and no file of it is missing.
    fn is_served_already(&self) -> bool {
        let served = self
            .checkpoint
            .as_ref()
            .map(|checkpoint| &checkpoint.target);
        let wanted = self.record.target.as_ref();
        let same = served.zip(wanted).is_some_and(|(served, wanted)| {
            served.snapshot_id == wanted.snapshot_id
                && served.table_uuid == wanted.table_uuid
                && served.listing == wanted.listing
        });
        let is_out = self.engine.kept_version(&self.table) == self.state.view_version;
        same && is_out && self.state.skipped.is_none()
    }

    fn note_no_history(&self) {
        if self.followed.config.evolution.enabled {
            tracing::info!(
                table = %self.table,
                "[{}] source has no schema history: the schema is not followed",
                self.record.request_id
            );
        }
    }

    /// The first schema of plain files: all columns that any of them has, or those declared.
    fn onboard_files(&mut self, work: &Work) -> Result<(), Failure> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::new(Code::FileUnreadable, error.to_string()).of(Phase::UpdatingSchema)
        };
        let mut columns = Vec::new();
        for file in &work.plan.files {
            // A run that was cut short has staged files which this one has not opened.
            let segment = match self.opened.get(&file.path) {
                Some(segment) => segment.clone(),
                None => self
                    .followed
                    .views
                    .open(file)
                    .map_err(|error| failed(&error))?,
            };
            let fields = segment.fields().map_err(|error| failed(&error))?;
            columns.push((file.path.clone(), fields));
            self.opened.insert(file.path.clone(), segment);
        }
        let files = columns
            .iter()
            .map(|(file, fields)| infer::FileFields { file, fields });
        let inferred = infer::merge_fields(files).map_err(|error| failed(&error))?;
        let schema = match &self.followed.declared {
            Some(declared) => infer::complete(declared, &inferred),
            None => TableSchema::new(&self.table, inferred),
        };
        let columns = schema.fields().iter().cloned().map(ServedColumn::of);
        let served = ServedSchema {
            name: self.table.clone(),
            source: None,
            columns: columns.collect(),
        };
        self.serve_schema(served, false)
    }

    /// Goes on to a phase, and keeps that.
    pub(super) fn enter(&mut self, phase: Phase) -> Result<(), Failure> {
        self.stop_if_cancelled()?;
        self.record.phase = phase;
        self.save()
    }

    /// Keeps how far the run is.
    pub(super) fn save(&self) -> Result<(), Failure> {
        self.write("progress", |_| Ok(()))
    }

    pub(super) fn save_state(&self, point: &'static str) -> Result<(), Failure> {
        self.write(point, |writer| writer.put_state(&self.table, &self.state))
    }

    /// Makes a change under the lease, and keeps with it how far the run is.
    pub(super) fn write<T>(
        &self,
        point: &'static str,
        change: impl FnOnce(&Writer<'_>) -> Result<T, store::Error>,
    ) -> Result<T, Failure> {
        let body = serde_json::to_string(&self.record).unwrap_or_default();
        let until_ms = self.engine.lease_until_ms();
        let made = self.engine.store.write(point, |writer| {
            writer.hold_lease(&self.lease, until_ms)?;
            let made = change(writer)?;
            writer.put_run(self.id, RunState::Running, &body)?;
            Ok::<_, store::Error>(made)
        })?;
        Ok(made)
    }

    /// Does what may pass when it is tried again.
    pub(super) fn retry<T, E>(
        &self,
        work: impl FnMut() -> Result<T, E>,
        again: impl Fn(&E) -> bool,
    ) -> Result<T, E> {
        let engine = self.engine;
        let is_on = || self.stop_if_cancelled().is_ok();
        engine.backoff.retry(
            work,
            |error| is_on() && again(error),
            |wait| {
                engine.metrics.retried(&self.table);
                engine.clock.sleep(wait);
            },
        )
    }

    /// Ends the run where the server goes down, or the caller's interrupt tells this run to.
    pub(super) fn stop_if_cancelled(&self) -> Result<(), Failure> {
        if self.engine.cancelled.load(Ordering::Relaxed) {
            return Err(Failure::new(Code::Cancelled, "server is going down"));
        }
        match Interrupt::current().map(|interrupt| interrupt.check()) {
            Some(Err(_)) => Err(Failure::new(Code::Cancelled, "run was told to end")),
            Some(Ok(())) | None => Ok(()),
        }
    }

    /// Logs a line, after the request it belongs to.
    pub(super) fn log(&self, line: &Line) {
        let (request, code, text) = (&self.record.request_id, line.code, &line.text);
        match line.level {
            Level::Info => tracing::info!(table = %self.table, code, "[{request}] {text}"),
            Level::Warn => tracing::warn!(table = %self.table, code, "[{request}] {text}"),
        }
    }

    /// Returns what is served.
    pub(super) fn content(&self) -> Option<Arc<Content>> {
        self.engine.content(&self.table)
    }

    pub(super) fn has_content(&self) -> bool {
        self.content().is_some()
    }
}
