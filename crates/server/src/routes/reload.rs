//! `/segments/../reload` and the status of reloads.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use growler_schema::table_config::{OFFLINE_SUFFIX, raw_table_name};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::segments::no_segment;
use super::tables::blocking;
use crate::Error;
use crate::app::App;
use crate::backend::SegmentInfo;
use crate::http::Failure;
use crate::reload::{Asked, Job, status};

/// Parameters of a reload, as Pinot has them.
///
/// Files are read where they lie, so nothing is downloaded: `forceDownload` builds all indexes anew.
/// `startTimestamp`, `endTimestamp` and `excludeOverlapping` change nothing, since a segment that has
/// what its table's config wants is left alone anyway. There is one server, whatever
/// `targetInstance` says.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Parameters {
    r#type: Option<String>,
    force_download: Option<String>,
    target_instance: Option<String>,
    instance_to_segments_map: Option<String>,
}

/// Reloads the segments of a table.
pub async fn table(
    State(app): State<Arc<App>>,
    Path(table): Path<String>,
    Query(parameters): Query<Parameters>,
) -> Result<Json<Value>, Failure> {
    let job = blocking(&app, move |app| submit(app, &table, None, parameters)).await?;
    let submitted = json!({
        format!("{}{OFFLINE_SUFFIX}", job.table): {
            "numMessagesSent": "1",
            "reloadJobId": job.id,
            "reloadJobMetaZKStorageStatus": "SUCCESS",
        }
    });
    // Pinot's clients read a JSON text in a JSON text.
    Ok(Json(json!({"status": submitted.to_string()})))
}

/// Reloads one segment.
pub async fn segment(
    State(app): State<Arc<App>>,
    Path((table, segment)): Path<(String, String)>,
    Query(parameters): Query<Parameters>,
) -> Result<Json<Value>, Failure> {
    let submit = move |app: &App| submit(app, &table, Some(segment), parameters);
    let job = blocking(&app, submit).await?;
    let status = format!(
        "Submitted reload job id: {}, sent 1 reload messages. Job meta ZK storage status: SUCCESS",
        job.id
    );
    Ok(Json(json!({"status": status})))
}

/// Shows how far a reload is.
pub async fn job_status(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Failure> {
    let job = app.reloads.find(&id);
    let job =
        job.ok_or_else(|| Error::NotFound(format!("Failed to find controller job id: {id}")))?;
    Ok(Json(status::of_job(&job, &app.server_id)))
}

/// Lists the reloads of a table that are remembered.
pub async fn table_jobs(
    State(app): State<Arc<App>>,
    Path(table): Path<String>,
) -> Result<Json<Value>, Failure> {
    app.catalog.table_config(&table)?;
    let jobs = app.reloads.of_table(raw_table_name(&table));
    let listed = jobs
        .iter()
        .map(|job| (job.id.clone(), status::metadata(job)));
    Ok(Json(Value::Object(listed.collect::<Map<_, _>>())))
}

/// Takes on the reload of a table's segments, or of one of them.
pub(super) fn submit(
    app: &App,
    table: &str,
    segment: Option<String>,
    parameters: Parameters,
) -> Result<Arc<Job>, Error> {
    let mut segments = app.catalog.segments(table)?;
    let kind = parameters.r#type.as_deref().unwrap_or("OFFLINE");
    if !kind.eq_ignore_ascii_case("OFFLINE") {
        return Err(no_segments(table));
    }
    if let Some(segment) = &segment {
        segments.retain(|found| found.name == *segment);
        if segments.is_empty() {
            return Err(no_segment(table, segment));
        }
    }
    if let Some(map) = &parameters.instance_to_segments_map {
        keep_mapped(&mut segments, map)?;
    }
    if segments.is_empty() {
        return Err(no_segments(table));
    }
    let name = raw_table_name(table);
    // Said at once rather than once a segment.
    app.backend.begin_reload(name)?;
    let force = parameters.force_download.as_deref();
    let asked = Asked {
        rebuild: force.is_some_and(|force| force.eq_ignore_ascii_case("true")),
        segment,
        instance: parameters.target_instance,
        instance_to_segments: parameters.instance_to_segments_map,
    };
    app.reloads.submit(name, asked, segments)
}

/// Keeps the segments that `{"instance": ["segment"]}` names.
fn keep_mapped(segments: &mut Vec<SegmentInfo>, map: &str) -> Result<(), Error> {
    let map: BTreeMap<String, Vec<String>> = serde_json::from_str(map)
        .map_err(|error| Error::Invalid(format!("Invalid instanceToSegmentsMap: {error}")))?;
    let named: BTreeSet<&String> = map.values().flatten().collect();
    segments.retain(|segment| named.contains(&segment.name));
    Ok(())
}

fn no_segments(table: &str) -> Error {
    Error::NotFound(format!("Failed to find any segments in table: {table}"))
}
