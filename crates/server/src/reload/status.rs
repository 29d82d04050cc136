//! A reload as Pinot's JSON.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use growler_base::limits;
use growler_schema::table_config::OFFLINE_SUFFIX;
use serde_json::{Map, Value, json};

use super::Job;
use super::progress::{Progress, State, fraction};
use crate::metrics;

const SECONDS_A_MINUTE: f64 = 60.0;
/// What Pinot says as long as there is nothing to estimate from.
const UNKNOWN_TIME: f64 = -1.0;

/// Returns the answer of `segmentReloadStatus`.
pub fn of_job(job: &Job, server: &str) -> Value {
    let progress = job.progress();
    let elapsed = match progress.ended() {
        Some(ended) => ended.saturating_duration_since(job.since),
        None => job.since.elapsed(),
    };
    let row_counts = job.segments().iter().map(|target| target.row_count);
    let left = progress.time_left(row_counts);
    json!({
        "status": name(&progress),
        "timeElapsedInMinutes": minutes(elapsed),
        "estimatedTimeRemainingInMinutes": left.map_or(UNKNOWN_TIME, minutes),
        "totalSegmentCount": job.segments().len(),
        "successCount": progress.done_count(),
        "failureCount": progress.failed_count(),
        "totalServersQueried": 1,
        "totalServerCallsFailed": 0,
        "metadata": metadata(job),
        "segmentReloadFailures": failures(job, &progress, server),
        "segments": segments(job, &progress),
    })
}

/// Returns what was asked, as Pinot lists it: texts all.
pub fn metadata(job: &Job) -> Value {
    json!({
        "jobId": job.id,
        "tableName": format!("{}{OFFLINE_SUFFIX}", job.table),
        "jobType": "RELOAD_SEGMENT",
        "submissionTimeMs": time_ms(job.submitted).to_string(),
        "messageCount": "1",
        "segmentName": job.asked.segment,
        "instanceName": job.asked.instance,
        "instanceToSegmentsMap": job.asked.instance_to_segments,
    })
}

/// Logs and counts the end of a job.
pub fn log_end(job: &Arc<Job>) {
    let progress = job.progress();
    let status = name(&progress);
    metrics::reload_ended(status);
    tracing::info!(
        job = job.id,
        table = job.table,
        status,
        segments = job.segments().len(),
        failed = progress.failed_count(),
        seconds = job.since.elapsed().as_secs_f64(),
        "reload ended"
    );
}

fn name(progress: &Progress) -> &'static str {
    match (progress.is_over(), progress.failed_count()) {
        (false, _) => "IN_PROGRESS",
        (true, 0) => "COMPLETED",
        (true, _) => "COMPLETED_WITH_ERRORS",
    }
}

fn failures(job: &Job, progress: &Progress, server: &str) -> Vec<Value> {
    let states = job.segments().iter().zip(progress.states());
    let failed = states.filter_map(|(target, state)| match state {
        State::Failed(failed) => Some((target, failed)),
        _ => None,
    });
    failed
        .take(limits::RELOAD_SEGMENTS_LISTED)
        .map(|(target, failed)| {
            json!({
                "segmentName": target.name,
                "serverName": server,
                "error": {"errorMsg": failed.text, "stacktrace": null},
                "failedAtMs": time_ms(failed.at),
            })
        })
        .collect()
}

/// Lists the segments; where they are too many, those that a client wants to see first.
fn segments(job: &Job, progress: &Progress) -> Vec<Value> {
    let mut states: Vec<_> = job.segments().iter().zip(progress.states()).collect();
    if states.len() > limits::RELOAD_SEGMENTS_LISTED {
        states.sort_by_key(|(_, state)| match state {
            State::Failed(_) => 0,
            State::Running { .. } => 1,
            State::Waiting => 2,
            State::Done(_) => 3,
        });
        states.truncate(limits::RELOAD_SEGMENTS_LISTED);
    }
    let states = states.into_iter();
    states
        .map(|(target, state)| segment(&target.name, state))
        .collect()
}

fn segment(name: &str, state: &State) -> Value {
    let mut shown = Map::new();
    shown.insert("segmentName".to_owned(), name.into());
    let mut show = |member: &str, value: Value| shown.insert(member.to_owned(), value);
    match state {
        State::Waiting => {
            show("state", "WAITING".into());
        }
        State::Running { since, advance } => {
            show("state", "RUNNING".into());
            show("percentProgress", (fraction(*advance) * 100.0).into());
            show("seconds", since.elapsed().as_secs_f64().into());
        }
        State::Done(done) => {
            show("state", "COMPLETED".into());
            show("changed", done.changed.into());
            show("indexesBuilt", done.built_count.into());
            show("indexesKept", done.kept_count.into());
            show("indexesRemoved", done.removed_count.into());
            show("builtBytes", done.built_bytes.into());
            show("seconds", done.elapsed.as_secs_f64().into());
        }
        State::Failed(failed) => {
            let is_cancelled = failed.is_cancelled;
            let state = if is_cancelled { "CANCELLED" } else { "FAILED" };
            show("state", state.into());
            show("error", failed.text.as_str().into());
        }
    }
    Value::Object(shown)
}

fn minutes(time: Duration) -> f64 {
    time.as_secs_f64() / SECONDS_A_MINUTE
}

fn time_ms(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
