//! `/tables`.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use growler_schema::table_config::{OFFLINE_SUFFIX, raw_table_name};
use growler_schema::wire::TableConfigJson;
use growler_table::config::task;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Error;
use crate::app::App;
use crate::http::{Failure, read_body};
use crate::metrics;
use crate::tables::TableWrite;

/// Parameters of the list.
#[derive(Debug, Deserialize)]
pub struct Parameters {
    r#type: Option<String>,
}

/// Lists the names of all tables.
pub async fn list(
    State(app): State<Arc<App>>,
    Query(parameters): Query<Parameters>,
) -> Json<Value> {
    let asked = parameters.r#type.as_deref().unwrap_or("OFFLINE");
    let is_offline = asked.eq_ignore_ascii_case("OFFLINE");
    let names = if is_offline {
        app.catalog.table_names()
    } else {
        Vec::new()
    };
    Json(json!({"tables": names}))
}

/// Shows a table's config.
pub async fn show(
    State(app): State<Arc<App>>,
    Path(table): Path<String>,
) -> Result<Json<Value>, Failure> {
    let config = app.catalog.table_config(&table)?;
    Ok(Json(json!({"OFFLINE": config.to_json()})))
}

/// Shows a table's schema.
pub async fn schema(
    State(app): State<Arc<App>>,
    Path(table): Path<String>,
) -> Result<Json<Value>, Failure> {
    Ok(Json(app.catalog.table_schema(&table)?.to_json()))
}

/// Adds a table.
pub async fn add(State(app): State<Arc<App>>, body: Body) -> Result<Json<Value>, Failure> {
    let json = read(&app, body).await?;
    let name = write(&app, json, TableWrite::Add).await?;
    Ok(written(format!(
        "Table {name}{OFFLINE_SUFFIX} successfully added"
    )))
}

/// Changes a table, and reads anew which files it has.
pub async fn update(
    State(app): State<Arc<App>>,
    Path(table): Path<String>,
    body: Body,
) -> Result<Json<Value>, Failure> {
    let json = read(&app, body).await?;
    if json.raw_name() != raw_table_name(&table) {
        let given = json.table_name.unwrap_or_default();
        return Err(Error::Invalid(format!(
            "Request table {table} does not match table name in the body {given}"
        ))
        .into());
    }
    let name = write(&app, json, TableWrite::Update).await?;
    Ok(written(format!("Table config updated for {name}")))
}

/// Checks a table's config and shows it as it would be kept.
pub async fn validate(State(app): State<Arc<App>>, body: Body) -> Result<Json<Value>, Failure> {
    let json = read(&app, body).await?;
    let mut shown = json.clone();
    task::hide_secrets(&mut shown);
    let shown = shown.to_json();
    blocking(&app, move |app| app.catalog.check_table(&json)).await?;
    Ok(Json(json!({"OFFLINE": shown})))
}

/// Drops a table; its files stay where they are.
pub async fn remove(
    State(app): State<Arc<App>>,
    Path(table): Path<String>,
) -> Result<Json<Value>, Failure> {
    let remove = move |app: &App| {
        let end_reloads = |name: &str| app.reloads.drop_table(name);
        app.catalog.remove_table(&table, end_reloads)
    };
    let name = blocking(&app, remove).await?;
    metrics::table_dropped(name.clone());
    Ok(Json(
        json!({"status": format!("Tables: [{name}{OFFLINE_SUFFIX}] deleted")}),
    ))
}

/// Runs what reads files or waits for a lock off the asynchronous workers, once there is a place.
pub(super) async fn blocking<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce(&App) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let place = Arc::clone(&app.admin_places).acquire_owned().await;
    let place = place.map_err(|error| Error::Internal(error.to_string()))?;
    let (app, span) = (Arc::clone(app), tracing::Span::current());
    let work = move || {
        // The thread's rather than the request's, which may be given up long before.
        let _place = place;
        span.in_scope(|| work(&app))
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(Error::Internal(error.to_string())),
    }
}

async fn read(app: &App, body: Body) -> Result<TableConfigJson, Error> {
    let body = read_body(body, &app.limits).await?;
    Ok(TableConfigJson::parse(&body)?)
}

async fn write(app: &Arc<App>, json: TableConfigJson, write: TableWrite) -> Result<String, Error> {
    blocking(app, move |app| app.catalog.write_table(json, write)).await
}

fn written(status: String) -> Json<Value> {
    Json(json!({"unrecognizedProperties": {}, "status": status}))
}
