//! The way in: what is due, runs, what is known of them.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use growler_base::limits;
use growler_catalog::{
    Files, IcebergTable, LocalFiles, ManifestCache, Plan, SnapshotId, TableMetadata,
};
use growler_exec::View;

use super::failure::{Code, Failure};
use super::layouts::{KnownLayouts, StoredMember, variants};
use super::plan::empty_plan;
use super::publish::{Published, Publisher};
use super::record::{CheckpointRecord, Phase, RunRecord, SkippedRecord};
use super::run::{Run, RunReport};
use super::schema::{Served, document, read_schema};
use super::tables::{Followed, Tables};
use super::views::{Content, Opened};
use super::{Backoff, Clock, NoMetrics, SyncMetrics, SystemClock};
use crate::config::SyncMode;
use crate::evolve::{ServedSchema, wire};
use crate::store::{self, DocumentKind, MemberState, RunState, StateRow, Store, ViewVersion};

/// How long a lease runs when nobody renews it.
const LEASE_MS: i64 = 600_000;
/// Runs remembered of each table.
const RUNS_KEPT: u32 = 50;
/// Most threads that read footers; they mostly wait.
const THREADS: usize = 16;
const OWNER: &str = "growler";

/// Keeps tables in step with their sources.
pub struct Engine {
    pub(super) store: Arc<Store>,
    pub(super) tables: Arc<dyn Tables>,
    pub(super) publisher: Arc<dyn Publisher>,
    pub(super) metrics: Arc<dyn SyncMetrics>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) backoff: Backoff,
    pub(super) pool: rayon::ThreadPool,
    pub(super) cancelled: AtomicBool,
    owner: String,
    /// Manifests that runs have read, for the next ones.
    pub(super) manifests: Arc<ManifestCache>,
    /// What is served of each table.
    served: Mutex<HashMap<String, Kept>>,
    /// Tables that a run is on for.
    running: Mutex<HashSet<String>>,
    /// Tables that somebody wants to be run.
    triggered: Mutex<HashMap<String, RunRequest>>,
}

struct Kept {
    version: ViewVersion,
    content: Arc<Content>,
    /// Its files, if they are plain ones: they stay open for the next view.
    opened: Opened,
}

/// A wish for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRequest {
    /// Identity, which log lines begin with; made up where there is none.
    pub request_id: Option<String>,
    /// What caused it.
    pub trigger: Trigger,
}

/// What caused a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trigger {
    /// The schedule.
    #[default]
    Schedule,
    /// Somebody asked.
    Request,
}

impl Default for RunRequest {
    fn default() -> Self {
        Self {
            request_id: None,
            trigger: Trigger::Schedule,
        }
    }
}

impl Trigger {
    fn name(self) -> &'static str {
        match self {
            Self::Schedule => "SCHEDULE",
            Self::Request => "REQUEST",
        }
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Makes an engine. Nothing is served until [`Self::recover`] is called, after
    /// [`Self::give_up_runs`].
    ///
    /// # Errors
    /// The threads that read footers cannot be started.
    pub fn new(
        store: Arc<Store>,
        tables: Arc<dyn Tables>,
        publisher: Arc<dyn Publisher>,
    ) -> Result<Self, Failure> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.saturating_mul(2).clamp(2, THREADS);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|idx| format!("growler-sync-{idx}"))
            .build()
            .map_err(|error| Failure::new(Code::StoreFailed, error.to_string()))?;
        Ok(Self {
            store,
            tables,
            publisher,
            metrics: Arc::new(NoMetrics),
            clock: Arc::new(SystemClock),
            backoff: Backoff::default(),
            pool,
            cancelled: AtomicBool::new(false),
            owner: format!("{OWNER}-{}", std::process::id()),
            manifests: Arc::new(ManifestCache::new(limits::MANIFESTS_KEPT_LEN_BYTES)),
            served: Mutex::default(),
            running: Mutex::default(),
            triggered: Mutex::default(),
        })
    }

    /// Returns the engine with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Returns the engine with metrics.
    #[must_use]
    pub fn with_metrics(mut self, metrics: Arc<dyn SyncMetrics>) -> Self {
        self.metrics = metrics;
        self
    }

    /// Returns the engine with another way of trying again.
    #[must_use]
    pub fn with_backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// Puts in order what a process before left. What was served comes back by [`Self::recover`].
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn give_up_runs(&self) -> Result<(), Failure> {
        let now_ms = self.clock.now_ms();
        let running = self.store.read(|reader| reader.running())?;
        self.store.write("recover", |writer| {
            for (table, run) in &running {
                tracing::warn!(%table, "a run was cut short and is given up");
                let body = ended(&run.body, now_ms);
                writer.put_run(run.id, RunState::Aborted, &body)?;
            }
            writer.end_all_leases()
        })?;
        Ok(())
    }

    /// Publishes what was served of a table before a restart, without asking its source.
    ///
    /// # Errors
    /// The view cannot be made, a run is on, or the store failed.
    pub fn recover(&self, table: &str) -> Result<(), Failure> {
        if !locked(&self.running).insert(table.to_owned()) {
            return Err(busy(table));
        }
        let _alone = Alone {
            running: &self.running,
            table,
        };
        let Some(followed) = self.followed(table)? else {
            return Ok(());
        };
        let state = self
            .store
            .read(|reader| reader.state(table))?
            .unwrap_or_default();
        let served = self.last_served(table)?;
        let is_behind = self.kept_version(table) != state.view_version;
        if let Some(served) = served.filter(|_| is_behind) {
            self.restore(table, &followed, &state, &served)?;
        }
        Ok(())
    }

    /// Makes the view that the store promises, and publishes it.
    fn restore(
        &self,
        table: &str,
        followed: &Followed,
        state: &StateRow,
        served: &Served,
    ) -> Result<(), Failure> {
        let content = self.stored_content(table, state, &served.schema)?;
        let view = followed.views.view(&content, &Opened::new());
        let view = view.map_err(|error| Failure::new(Code::ViewFailed, error.text))?;
        // That took a while: the table may be gone, and another may have its name.
        let now = self.followed(table)?;
        let source = |followed: &Followed| Arc::as_ptr(&followed.source);
        if !now.is_some_and(|now| std::ptr::addr_eq(source(&now), source(followed))) {
            let text = format!("the table was changed meanwhile: table={table}");
            return Err(Failure::new(Code::LeaseLost, text));
        }
        self.keep(table, content, &view, state.view_version);
        self.publisher.publish(Published {
            table: table.to_owned(),
            view,
            view_version: state.view_version,
            schema: Arc::clone(&served.schema),
            schema_version: served.version,
        });
        Ok(())
    }

    fn stored_content(
        &self,
        table: &str,
        state: &StateRow,
        schema: &Arc<ServedSchema>,
    ) -> Result<Content, Failure> {
        let broken = |cause: String| {
            let table = table.to_owned();
            Failure::from(store::Error::Row { table, cause })
        };
        let checkpoint = checkpoint(state);
        let mut layouts = KnownLayouts::new();
        let (document, files) = self.store.read(|reader| {
            let mut files = Vec::new();
            let wanted = variants(schema);
            reader.each_member(table, MemberState::Active, |row| {
                let stored = StoredMember::parse(table, &row.body)?;
                stored.note(&wanted, &mut layouts);
                files.push(stored.member.file);
                Ok::<_, store::Error>(())
            })?;
            Ok::<_, store::Error>((reader.source_metadata(table)?, files))
        })?;
        let target = checkpoint
            .map(|checkpoint| checkpoint.target)
            .unwrap_or_default();
        let location = target.metadata_location.as_deref().unwrap_or(table);
        let metadata = document
            .map(|text| TableMetadata::parse(&text, location))
            .transpose();
        let metadata = metadata.map_err(|error| broken(error.to_string()))?;
        let snapshot_id = target.snapshot_id.map(SnapshotId);
        let (table_of, plan) = match metadata {
            Some(metadata) => {
                let written = snapshot_id.and_then(|id| metadata.snapshot(id)?.schema_id);
                let written = written.and_then(|id| metadata.schema(id).cloned());
                let state = written.unwrap_or_else(|| Arc::clone(metadata.current_schema()));
                let read_with = Arc::new(read_schema(&metadata, &state, schema));
                let access: Arc<dyn Files> = self.files_of(table)?;
                let plan = Plan {
                    snapshot_id,
                    files,
                    ..empty_plan(&read_with)
                };
                (Some(IcebergTable::of_catalog(access, metadata)), plan)
            }
            None => {
                let none = Arc::new(growler_catalog::Schema {
                    id: growler_catalog::SchemaId(0),
                    fields: Vec::new(),
                    identifier_field_ids: Vec::new(),
                });
                let plan = Plan {
                    files,
                    ..empty_plan(&none)
                };
                (None, plan)
            }
        };
        Ok(Content {
            name: table.to_owned(),
            schema: Arc::clone(schema),
            table: table_of,
            plan: Arc::new(plan),
            layouts: Arc::new(layouts),
        })
    }

    /// Returns the access to a table's own files, for the deletes that its view applies.
    fn files_of(&self, table: &str) -> Result<Arc<dyn Files>, Failure> {
        let followed = self.followed(table)?;
        let files = followed.and_then(|followed| followed.source.files());
        Ok(files.unwrap_or_else(|| Arc::new(LocalFiles)))
    }

    /// Returns the tables whose runs are due, those that were asked for first.
    pub fn due(&self, now_ms: i64) -> Vec<String> {
        let mut due: Vec<String> = locked(&self.triggered).keys().cloned().collect();
        due.sort();
        for table in self.tables.names() {
            if !due.contains(&table) && self.is_due(&table, now_ms) {
                due.push(table);
            }
        }
        let running = locked(&self.running);
        due.retain(|table| !running.contains(table));
        due
    }

    fn is_due(&self, table: &str, now_ms: i64) -> bool {
        let Ok(Some(followed)) = self.tables.followed(table) else {
            return false;
        };
        if followed.config.mode == SyncMode::Paused {
            return false;
        }
        match self.store.read(|reader| reader.last_run(table)) {
            Ok(Some(run)) => {
                let next_ms = followed.config.schedule.next_after_ms(run.started_ms);
                next_ms.is_some_and(|next_ms| next_ms <= now_ms)
            }
            Ok(None) => true,
            Err(error) => {
                tracing::error!(%table, %error, "cannot tell when a table was run last");
                false
            }
        }
    }

    /// Asks for a run at the next chance. It is also done when the table is paused.
    pub fn trigger(&self, table: &str, request_id: Option<String>) {
        let request = RunRequest {
            request_id,
            trigger: Trigger::Request,
        };
        locked(&self.triggered).insert(table.to_owned(), request);
    }

    /// Runs a table that [`Self::due`] named.
    ///
    /// # Errors
    /// As [`Self::run_with`].
    pub fn run(&self, table: &str) -> Result<RunReport, Failure> {
        let request = locked(&self.triggered).remove(table);
        self.run_with(table, request.unwrap_or_default())
    }

    /// Runs a table now. What fails in it is in the report, and in the status. The caller's interrupt
    /// ends the run at once, whatever it waits for.
    ///
    /// # Errors
    /// No run could be started: there is no such table, one is on already, or the store failed.
    pub fn run_with(&self, table: &str, request: RunRequest) -> Result<RunReport, Failure> {
        let followed = self.followed(table)?.ok_or_else(|| {
            Failure::new(
                Code::ConfigInvalid,
                format!("no such external table: table={table}"),
            )
        })?;
        if !locked(&self.running).insert(table.to_owned()) {
            return Err(busy(table));
        }
        let _alone = Alone {
            running: &self.running,
            table,
        };
        self.run_alone(table, followed, request)
    }

    fn run_alone(
        &self,
        table: &str,
        followed: Followed,
        request: RunRequest,
    ) -> Result<RunReport, Failure> {
        let started_ms = self.clock.now_ms();
        let mut run = self.start(table, followed, request, started_ms)?;
        // What failed because the run was told to end is no failure of its source.
        let result = run
            .steps()
            .map_err(|failure| run.stop_if_cancelled().err().unwrap_or(failure));
        let state = match &result {
            Ok(()) => RunState::Completed,
            Err(failure) if failure.code == Code::Cancelled => RunState::Aborted,
            Err(_) => RunState::Failed,
        };
        if let Err(failure) = result {
            tracing::error!(
                table, code = ?failure.code, phase = run.record.phase.name(),
                "[{}] sync failed: {failure}", run.record.request_id
            );
            run.record.failure_phase = Some(failure.phase.unwrap_or(run.record.phase));
            run.record.failure_code = Some(failure.code);
            run.record.failure_message = Some(failure.message);
        }
        let ended_ms = self.clock.now_ms();
        run.record.ended_at_ms = Some(ended_ms);
        let body = serde_json::to_string(&run.record).unwrap_or_default();
        self.store.write("end", |writer| {
            writer.put_run(run.id, state, &body)?;
            writer.forget_runs(table, RUNS_KEPT)?;
            writer.end_lease(&run.lease)
        })?;
        let took_ms = ended_ms.saturating_sub(started_ms);
        self.metrics
            .run_ended(table, state, run.record.failure_phase, took_ms);
        let record = run.record;
        Ok(RunReport { state, record })
    }

    fn start<'e>(
        &'e self,
        table: &str,
        followed: Followed,
        request: RunRequest,
        now_ms: i64,
    ) -> Result<Run<'e>, Failure> {
        let request_id = request
            .request_id
            .unwrap_or_else(|| format!("Task_ExternalTableSyncTask_{now_ms}"));
        let record = new_record(request_id, request.trigger);
        let body = serde_json::to_string(&record).unwrap_or_default();
        let until_ms = self.lease_until_ms();
        let (lease, id) = self.store.write("start", |writer| {
            writer.follow(table)?;
            let lease = writer
                .take_lease(table, &self.owner, now_ms, until_ms)?
                .ok_or_else(|| busy(table))?;
            // A run that panicked, or whose end could not be kept, has not said that it is over.
            for (_, run) in writer.running()?.iter().filter(|(of, _)| of == table) {
                writer.put_run(run.id, RunState::Aborted, &ended(&run.body, now_ms))?;
            }
            Ok::<_, Failure>((lease, writer.start_run(table, now_ms, &body)?))
        })?;
        let state = self
            .store
            .read(|reader| reader.state(table))?
            .unwrap_or_default();
        let served = self.last_served(table)?;
        if state.view_version == ViewVersion(0) {
            // What is left is of a table that was dropped while a run of it went on.
            locked(&self.served).remove(table);
        }
        // What is served may be less than the store promises: a run failed right behind a commit.
        if self.kept_version(table) != state.view_version
            && let Some(served) = served.as_ref()
            && let Err(error) = self.restore(table, &followed, &state, served)
        {
            tracing::error!(%table, %error, "table cannot be served as it was");
        }
        Ok(Run {
            engine: self,
            table: table.to_owned(),
            table_with_type: format!("{table}{}", growler_schema::table_config::OFFLINE_SUFFIX),
            followed,
            lease,
            id,
            record,
            checkpoint: checkpoint(&state),
            state,
            served,
            target: None,
            opened: Opened::new(),
            replaced: HashSet::new(),
            skipped: SkippedRecord::default(),
        })
    }

    /// Makes a table follow whatever its source has now: the next run reads all of it anew. What is
    /// served stays until then.
    ///
    /// # Errors
    /// A run is on, or the store failed.
    pub fn reattach(&self, table: &str) -> Result<(), Failure> {
        if locked(&self.running).contains(table) {
            return Err(busy(table));
        }
        let anew = self
            .last_served(table)?
            .map(|served| served.schema.unbound());
        let now_ms = self.clock.now_ms();
        self.store.write("reattach", |writer| {
            let Some(mut state) = writer.state(table)? else {
                return Ok(());
            };
            state.detached = None;
            if let Some(anew) = &anew {
                let json = wire::to_json(anew);
                state.schema_version = Some(writer.add_served_schema(table, &json, now_ms)?);
                let before = writer.document(DocumentKind::Schema, table)?;
                let shown = document(anew, before.as_deref());
                writer.put_document(DocumentKind::Schema, table, &shown)?;
            }
            if let Some(mut checkpoint) = checkpoint(&state) {
                checkpoint.target = super::record::TargetRecord::default();
                state.checkpoint = serde_json::to_string(&checkpoint).ok();
            }
            writer.put_state(table, &state)
        })?;
        Ok(())
    }

    /// Forgets all about a table that was dropped.
    ///
    /// # Errors
    /// A run is on, or the store failed.
    pub fn forget(&self, table: &str) -> Result<(), Failure> {
        // Even while a run goes on: another table of that name begins with nothing.
        locked(&self.triggered).remove(table);
        locked(&self.served).remove(table);
        self.manifests.forget(table);
        if locked(&self.running).contains(table) {
            return Err(busy(table));
        }
        self.store
            .write("forget", |writer| writer.unfollow(table))?;
        Ok(())
    }

    /// Ends runs at the next step of theirs: the server is going down.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    pub(super) fn followed(&self, table: &str) -> Result<Option<Followed>, Failure> {
        let followed = self.tables.followed(table);
        followed.map_err(|text| Failure::new(Code::ConfigInvalid, text))
    }

    fn last_served(&self, table: &str) -> Result<Option<Served>, Failure> {
        let row = self.store.read(|reader| reader.last_served_schema(table))?;
        let Some(row) = row else {
            return Ok(None);
        };
        let schema = wire::from_json(&row.json).map_err(|cause| {
            let table = table.to_owned();
            store::Error::Row { table, cause }
        })?;
        Ok(Some(Served {
            version: row.version,
            schema: Arc::new(schema),
        }))
    }

    pub(super) fn lease_until_ms(&self) -> i64 {
        self.clock.now_ms().saturating_add(LEASE_MS)
    }

    pub(super) fn keep(&self, table: &str, content: Content, view: &View, version: ViewVersion) {
        // Files of Iceberg tables are opened by queries, and closed again.
        let is_plain = content.table.is_none();
        let files = content.plan.files.iter().zip(view.segments());
        let files = files.filter(|_| is_plain);
        let kept = Kept {
            version,
            opened: files
                .map(|(file, segment)| (file.path.clone(), segment.clone()))
                .collect(),
            content: Arc::new(content),
        };
        locked(&self.served).insert(table.to_owned(), kept);
    }

    /// The view that is served; 0 for none.
    pub(super) fn kept_version(&self, table: &str) -> ViewVersion {
        let served = locked(&self.served);
        served
            .get(table)
            .map(|kept| kept.version)
            .unwrap_or_default()
    }

    pub(super) fn content(&self, table: &str) -> Option<Arc<Content>> {
        let served = locked(&self.served);
        served.get(table).map(|kept| Arc::clone(&kept.content))
    }

    /// Returns the segments of the view that is served, by the locations of their files.
    pub(super) fn opened(&self, table: &str) -> Opened {
        let served = locked(&self.served);
        served
            .get(table)
            .map(|kept| kept.opened.clone())
            .unwrap_or_default()
    }
}

/// Lets others run a table once its run is over, however it ends.
struct Alone<'e> {
    running: &'e Mutex<HashSet<String>>,
    table: &'e str,
}

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        locked(self.running).remove(self.table);
    }
}

pub(super) fn checkpoint(state: &StateRow) -> Option<CheckpointRecord> {
    serde_json::from_str(state.checkpoint.as_deref()?).ok()
}

fn new_record(request_id: String, trigger: Trigger) -> RunRecord {
    RunRecord {
        request_id,
        trigger: trigger.name().to_owned(),
        phase: Phase::LoadingMetadata,
        failure_phase: None,
        failure_code: None,
        failure_message: None,
        ended_at_ms: None,
        target: None,
        files: super::record::FilesRecord::default(),
        batches: super::record::BatchesRecord::default(),
        schema_changes: Vec::new(),
    }
}

/// The record of a run that was cut short.
fn ended(body: &str, now_ms: i64) -> String {
    let parsed: Result<RunRecord, _> = serde_json::from_str(body);
    match parsed {
        Ok(mut record) => {
            record.ended_at_ms = Some(now_ms);
            serde_json::to_string(&record).unwrap_or_default()
        }
        Err(_) => body.to_owned(),
    }
}

fn busy(table: &str) -> Failure {
    Failure::new(
        Code::LeaseLost,
        format!("a run is on already: table={table}"),
    )
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
