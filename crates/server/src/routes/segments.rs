//! `/segments`: which there are, and what they have.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use growler_base::limits;
use growler_schema::table_config::{OFFLINE_SUFFIX, raw_table_name};
use serde::Deserialize;
use serde_json::{Value, json};

use super::tables::blocking;
use crate::Error;
use crate::app::App;
use crate::http::Failure;

/// Parameters of the question whether a reload would change anything.
#[derive(Debug, Deserialize)]
pub struct NeedParameters {
    #[serde(default)]
    verbose: bool,
}

/// Lists the names of a table's segments.
pub async fn list(
    State(app): State<Arc<App>>,
    Path(table): Path<String>,
) -> Result<Json<Value>, Failure> {
    let segments = app.catalog.segments(&table)?;
    let names: Vec<String> = segments.into_iter().map(|segment| segment.name).collect();
    Ok(Json(json!([{"OFFLINE": names}])))
}

/// Shows a segment: its file, its rows, its indexes.
pub async fn metadata(
    State(app): State<Arc<App>>,
    Path((table, segment)): Path<(String, String)>,
) -> Result<Json<Value>, Failure> {
    let (asked, name) = (table.clone(), segment.clone());
    let work = move |app: &App| {
        app.catalog.segments(&asked)?;
        Ok(app.backend.segment_metadata(raw_table_name(&asked), &name))
    };
    let mut found = blocking(&app, work).await?;
    match found.len() {
        0 => Err(no_segment(&table, &segment).into()),
        1 => Ok(Json(found.remove(0))),
        // Files of one name in several folders.
        _ => Ok(Json(Value::Array(found))),
    }
}

/// Tells whether a reload would change anything.
pub async fn need_reload(
    State(app): State<Arc<App>>,
    Path(table): Path<String>,
    Query(parameters): Query<NeedParameters>,
) -> Result<Json<Value>, Failure> {
    let name = raw_table_name(&table).to_owned();
    let asked = name.clone();
    let work = move |app: &App| {
        app.catalog.segments(&asked)?;
        Ok(app.backend.need_reload(&asked).unwrap_or_default())
    };
    let segments = blocking(&app, work).await?;
    let needed = !segments.is_empty();
    let mut answer = json!({
        "needReload": needed,
        "tableName": format!("{name}{OFFLINE_SUFFIX}"),
    });
    if parameters.verbose {
        let listed = segments.iter().take(limits::RELOAD_SEGMENTS_LISTED);
        let listed: Vec<&str> = listed.map(|segment| segment.name.as_str()).collect();
        answer["serverToSegmentsCheckReloadList"] = json!({
            &app.server_id: {
                "needReload": needed,
                "instanceId": app.server_id,
                "segmentCount": segments.len(),
                "segments": listed,
            }
        });
    }
    Ok(Json(answer))
}

pub(super) fn no_segment(table: &str, segment: &str) -> Error {
    Error::NotFound(format!(
        "Failed to find segment: {segment} in table: {table}"
    ))
}
