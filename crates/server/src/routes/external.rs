//! What a source has and would be, and how far a table that follows one is.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use growler_schema::convert::schema_to_json;
use growler_schema::table_config::{OFFLINE_SUFFIX, raw_table_name};
use growler_schema::validate::ValidationErrors;
use growler_schema::wire::TableConfigJson;
use growler_table::browse::{Listing, Place};
use growler_table::config::settings::Form;
use growler_table::config::task::TASK;
use growler_table::config::{ExternalConfig, Settings, SyncMode, task};
use serde_json::{Map, Value, json};

use super::tables::blocking;
use crate::Error;
use crate::app::App;
use crate::http::{Failure, read_body};

/// Shows what a table of a config would be: its schema, and the config made whole. Nothing is kept.
///
/// The body is a table config with an `ExternalTableSyncTask`, or `tableName` and the options of that.
pub async fn preview(State(app): State<Arc<App>>, body: Body) -> Result<Json<Value>, Failure> {
    let body = read_body(body, &app.limits).await?;
    let given = TableConfigJson::parse(&body).map_err(Error::from)?;
    let preview = move |app: &App| {
        let (name, config) = asked_table(given)?;
        let onboarded = app.catalog.onboard(&name, &config)?;
        let mut warnings = config.warnings();
        warnings.extend(onboarded.warnings);
        let mut shown = onboarded.config;
        task::hide_secrets(&mut shown);
        Ok(json!({
            "schema": schema_to_json(&onboarded.schema).to_json(),
            "tableConfig": shown.to_json(),
            "warnings": warnings,
        }))
    };
    Ok(Json(blocking(&app, preview).await?))
}

/// Reads the name and the settings of the table that a preview is asked for.
fn asked_table(mut given: TableConfigJson) -> Result<(String, ExternalConfig), Error> {
    let name = given.raw_name().to_owned();
    if name.is_empty() {
        return Err(Error::Invalid("Table config has no tableName".to_owned()));
    }
    if !task::is_external(&given) {
        let options = std::mem::take(&mut given.extra);
        given.extra.insert(
            "task".to_owned(),
            json!({"taskTypeConfigsMap": {TASK: options}}),
        );
        // The name of the table here; that of the source may be another one.
        if let Some(source) = given.extra["task"]["taskTypeConfigsMap"][TASK].as_object_mut() {
            if let Some(table) = source.remove("sourceTableName") {
                source.insert("tableName".to_owned(), table);
            }
            source.entry("executor").or_insert(json!("controller"));
        }
    }
    let config = ExternalConfig::of_table(&given)?;
    let config = config.ok_or_else(|| Error::Invalid(format!("Requires {TASK} in task")))?;
    Ok((name, config))
}

/// Lists what a catalog or a folder has: the body holds the options that say where.
pub async fn browse(State(app): State<Arc<App>>, body: Body) -> Result<Json<Value>, Failure> {
    let (place, listing) = look(&app, body).await?;
    let files = listing.files.iter();
    let files: Vec<Value> = files
        .map(|(path, len_bytes)| json!({"path": path, "sizeInBytes": len_bytes}))
        .collect();
    Ok(Json(json!({
        "status": "OK",
        "catalogType": place.config().catalog_type(),
        "namespaces": listing.namespaces,
        "tables": tables(&listing),
        "files": files,
        "unreadableKeys": listing.left_out.count,
        "truncated": listing.is_cut,
    })))
}

/// Lists the tables of a namespace of a catalog.
pub async fn list(State(app): State<Arc<App>>, body: Body) -> Result<Json<Value>, Failure> {
    let (_, listing) = look(&app, body).await?;
    Ok(Json(json!({
        "tables": tables(&listing),
        "namespaces": listing.namespaces,
        "truncated": listing.is_cut,
    })))
}

fn tables(listing: &Listing) -> Vec<Value> {
    let tables = listing.tables.iter();
    tables
        .map(|(namespace, name)| json!({"schemaName": namespace, "tableName": name}))
        .collect()
}

async fn look(app: &Arc<App>, body: Body) -> Result<(Place, Listing), Failure> {
    let body = read_body(body, &app.limits).await?;
    let options: Map<String, Value> = serde_json::from_slice(&body)
        .map_err(|error| Error::Invalid(format!("Requires an object of options: {error}")))?;
    let mut errors = Vec::new();
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let pairs: Vec<(String, String)> = options
        .into_iter()
        .map(|(name, value)| (name, text(value)))
        .collect();
    let pairs = pairs
        .iter()
        .map(|(name, value)| (name.as_str(), value.clone()));
    let settings = Settings::new(Form::Json, pairs, &mut errors);
    let place = Place::read(settings, &mut errors);
    ValidationErrors::check("", errors).map_err(|errors| {
        Error::Invalid(format!(
            "Connection cannot be used:\n{}",
            errors.errors.join("\n")
        ))
    })?;
    let place = place.ok_or_else(|| Error::Invalid("Requires 'catalogType'".to_owned()))?;
    let look = move |app: &App| {
        app.catalog.check_allowed(place.config())?;
        let listing = app.catalog.external()?.tables.browse(&place)?;
        Ok((place, listing))
    };
    Ok(blocking(app, look).await?)
}

/// Shows how far a table is.
pub async fn status(
    State(app): State<Arc<App>>,
    Path(table): Path<String>,
) -> Result<Json<Value>, Failure> {
    let status = move |app: &App| {
        let (name, config) = followed(app, &table)?;
        let external = app.catalog.external()?;
        let mut status = external.tables.status(&name)?;
        status["tableName"] = json!(format!("{name}{OFFLINE_SUFFIX}"));
        status["mode"] = json!(match config.mode {
            SyncMode::Snapshot => "SNAPSHOT",
            SyncMode::Watcher => "WATCHER",
            SyncMode::Paused => "PAUSED",
        });
        let (due, success) = external.watchers.times(&name).unwrap_or_default();
        status["nextRunAtMs"] = json!(due);
        status["lastSuccessAtMs"] = json!(success);
        // What could not be kept, as on a full disk, is told by the task alone.
        let last = external.watchers.tasks(Some(&name)).pop();
        status["lastTask"] = json!(last.map(|task| task.to_json()));
        let restoring = external.watchers.restoring(&name);
        if restoring.is_some() && status["state"] != "RUNNING" {
            status["state"] = json!("RESTORING");
        }
        status["restore"] = json!(restoring.map(|restoring| restoring.to_json()));
        Ok(status)
    };
    Ok(Json(blocking(&app, status).await?))
}

/// Shows what of its source a table serves.
pub async fn checkpoint(
    State(app): State<Arc<App>>,
    Path(table): Path<String>,
) -> Result<Json<Value>, Failure> {
    let checkpoint = move |app: &App| {
        let (name, _) = followed(app, &table)?;
        app.catalog.external()?.tables.checkpoint(&name)
    };
    Ok(Json(blocking(&app, checkpoint).await?))
}

/// Shows what the state that a table serves is made of.
pub async fn contents(
    State(app): State<Arc<App>>,
    Path(table): Path<String>,
) -> Result<Json<Value>, Failure> {
    let contents = move |app: &App| {
        let (name, _) = followed(app, &table)?;
        app.catalog.external()?.tables.contents(&name)
    };
    Ok(Json(blocking(&app, contents).await?))
}

/// Has a table follow its source though that became another one, and asks for a run.
pub async fn reattach(
    State(app): State<Arc<App>>,
    Path(table): Path<String>,
) -> Result<Json<Value>, Failure> {
    let reattach = move |app: &App| {
        let (name, _) = followed(app, &table)?;
        let external = app.catalog.external()?;
        external.tables.reattach(&name)?;
        Ok(json!({TASK: external.watchers.ask(&name, None)?}))
    };
    Ok(Json(blocking(&app, reattach).await?))
}

/// Finds a table that follows a source.
fn followed(app: &App, table: &str) -> Result<(String, Arc<ExternalConfig>), Error> {
    let config = app.catalog.external_config(table)?;
    let config =
        config.ok_or_else(|| Error::NotFound(format!("Table {table} is no External Table")))?;
    Ok((raw_table_name(table).to_owned(), config))
}
