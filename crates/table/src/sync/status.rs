//! What is shown of a table's sync.

use serde::Serialize;
use serde_json::Value;

use super::engine::{Engine, checkpoint};
use super::failure::{Code, Failure};
use super::record::{
    BatchesRecord, DetachedRecord, FilesRecord, RejectionRecord, RunRecord, SkippedRecord,
    TargetRecord,
};
use crate::config::SyncMode;
use crate::store::RunState;

/// `GET /tables/{tableNameWithType}/externalTable/status`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusJson {
    /// Name with `_OFFLINE`.
    pub table_name: String,
    /// Of the table: `IDLE`, `RUNNING`, `PAUSED` or `DETACHED`.
    pub state: &'static str,
    /// Of the last run: `NEVER_RUN`, `RUNNING`, `COMPLETED`, `FAILED` or `ABORTED`.
    pub status: &'static str,
    /// The last run.
    pub run_id: Option<i64>,
    /// The request that caused it.
    pub request_id: Option<String>,
    /// What caused it.
    pub trigger: Option<String>,
    /// What it does, or did last.
    pub phase: Option<&'static str>,
    /// Where it failed.
    pub failure_phase: Option<&'static str>,
    /// Why.
    pub failure_code: Option<Code>,
    /// Why, in words.
    pub failure_message: Option<String>,
    /// When it started, in milliseconds since 1970.
    pub started_at_ms: Option<i64>,
    /// When it ended.
    pub ended_at_ms: Option<i64>,
    /// What it is to serve.
    pub target: Option<TargetRecord>,
    /// Its files.
    pub files: FilesRecord,
    /// Its batches.
    pub batches: BatchesRecord,
    /// What of the schema it followed.
    pub schema_changes: Vec<String>,
    /// The schema that is served.
    pub served_schema_version: Option<i64>,
    /// The view that is served.
    pub view_version: i64,
    /// The last change of the schema that is not followed.
    pub last_schema_rejection: Option<RejectionRecord>,
    /// Files that the view lacks because they cannot be read.
    pub skipped_files: Option<SkippedRecord>,
    /// Why the table follows its source no more.
    pub detached: Option<DetachedRecord>,
    /// The reload after a widening.
    pub reload: Option<Value>,
    /// When the next run is due, in milliseconds since 1970.
    pub next_run_at_ms: Option<i64>,
}

/// `GET /tables/{tableNameWithType}/externalTable/checkpoint`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointJson {
    /// Name with `_OFFLINE`.
    pub table_name: String,
    /// What the view was made of; none before the first.
    #[serde(flatten)]
    pub target: Option<TargetRecord>,
    /// Since when it is served, in milliseconds since 1970.
    pub published_at_ms: Option<i64>,
    /// Which view it is.
    pub view_version: i64,
    /// The schema that it shows.
    pub served_schema_version: Option<i64>,
    /// How many files it has.
    pub files: u64,
}

impl Engine {
    /// Returns what is known of a table's sync; none for one that follows no source.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn status(&self, table: &str) -> Result<Option<StatusJson>, Failure> {
        let followed = self.tables.followed(table).ok().flatten();
        let (state, run) = self
            .store
            .read(|reader| Ok::<_, Failure>((reader.state(table)?, reader.last_run(table)?)))?;
        if followed.is_none() && state.is_none() {
            return Ok(None);
        }
        let state = state.unwrap_or_default();
        let mode = followed.as_ref().map(|followed| followed.config.mode);
        let record: Option<RunRecord> = run
            .as_ref()
            .and_then(|run| serde_json::from_str(&run.body).ok());
        let run_state = run.as_ref().map(|run| run.state);
        let started_ms = run.as_ref().map(|run| run.started_ms);
        let next_run_at_ms = followed
            .filter(|followed| followed.config.mode != SyncMode::Paused)
            .and_then(|followed| followed.config.schedule.next_after_ms(started_ms?));
        Ok(Some(StatusJson {
            table_name: with_type(table),
            state: table_state(run_state, mode, state.detached.is_some()),
            status: status_name(run_state),
            run_id: run.as_ref().map(|run| run.id.0),
            request_id: record.as_ref().map(|record| record.request_id.clone()),
            trigger: record.as_ref().map(|record| record.trigger.clone()),
            phase: record.as_ref().map(|record| record.phase.name()),
            failure_phase: record
                .as_ref()
                .and_then(|record| Some(record.failure_phase?.name())),
            failure_code: record.as_ref().and_then(|record| record.failure_code),
            failure_message: record
                .as_ref()
                .and_then(|record| record.failure_message.clone()),
            started_at_ms: started_ms,
            ended_at_ms: record.as_ref().and_then(|record| record.ended_at_ms),
            files: record
                .as_ref()
                .map(|record| record.files)
                .unwrap_or_default(),
            batches: record
                .as_ref()
                .map(|record| record.batches)
                .unwrap_or_default(),
            schema_changes: record
                .as_ref()
                .map(|record| record.schema_changes.clone())
                .unwrap_or_default(),
            target: record.and_then(|record| record.target),
            served_schema_version: state.schema_version.map(|version| version.0),
            view_version: state.view_version.0,
            last_schema_rejection: parsed(state.rejection.as_deref()),
            skipped_files: parsed(state.skipped.as_deref()),
            detached: parsed(state.detached.as_deref()),
            reload: self.publisher.reload_progress(table).map(|reload| {
                serde_json::json!({
                    "total": reload.total, "done": reload.done, "failed": reload.failed,
                })
            }),
            next_run_at_ms,
        }))
    }

    /// Describes the state that is served, as [`crate::iceberg::describe`] does; none where nothing is.
    /// Of plain files there is no more than the files.
    pub fn contents(&self, table: &str) -> Option<Value> {
        let content = self.content(table)?;
        if let Some(iceberg) = &content.table {
            return Some(crate::iceberg::describe(iceberg, &content.plan));
        }
        Some(crate::iceberg::describe::plain(&content.plan.files))
    }

    /// Returns what is served of a table; none for one that follows no source.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn checkpoint(&self, table: &str) -> Result<Option<CheckpointJson>, Failure> {
        let found = self.store.read(|reader| {
            let state = reader.state(table)?;
            let files = reader.count_members(table, crate::store::MemberState::Active)?;
            Ok::<_, Failure>(state.map(|state| (state, files)))
        })?;
        Ok(found.map(|(state, files)| {
            let checkpoint = checkpoint(&state);
            CheckpointJson {
                table_name: with_type(table),
                published_at_ms: checkpoint.as_ref().map(|c| c.published_at_ms),
                target: checkpoint.map(|checkpoint| checkpoint.target),
                view_version: state.view_version.0,
                served_schema_version: state.schema_version.map(|version| version.0),
                files,
            }
        }))
    }
}

fn parsed<T: serde::de::DeserializeOwned>(json: Option<&str>) -> Option<T> {
    serde_json::from_str(json?).ok()
}

fn with_type(table: &str) -> String {
    format!("{table}{}", growler_schema::table_config::OFFLINE_SUFFIX)
}

fn table_state(run: Option<RunState>, mode: Option<SyncMode>, detached: bool) -> &'static str {
    match (run, mode, detached) {
        (Some(RunState::Running), ..) => "RUNNING",
        (_, Some(SyncMode::Paused), _) => "PAUSED",
        (_, _, true) => "DETACHED",
        _ => "IDLE",
    }
}

fn status_name(run: Option<RunState>) -> &'static str {
    match run {
        None => "NEVER_RUN",
        Some(RunState::Running) => "RUNNING",
        Some(RunState::Completed) => "COMPLETED",
        Some(RunState::Failed) => "FAILED",
        Some(RunState::Aborted) => "ABORTED",
    }
}
