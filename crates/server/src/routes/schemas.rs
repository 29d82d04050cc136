//! `/schemas`.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use growler_schema::convert::schema_from_json;
use growler_schema::wire::SchemaJson;
use serde::Deserialize;
use serde_json::{Value, json};

use super::reload::{Parameters as ReloadParameters, submit};
use super::tables::blocking;
use crate::Error;
use crate::app::App;
use crate::http::{Failure, read_body};
use crate::tables::SchemaWrite;

/// Parameters of writes.
#[derive(Debug, Deserialize)]
pub struct Parameters {
    #[serde(rename = "override")]
    replace: Option<bool>,
    #[serde(default)]
    force: bool,
    /// Reload the table of the same name.
    #[serde(default)]
    reload: bool,
}

/// Lists the names of all schemas.
pub async fn list(State(app): State<Arc<App>>) -> Json<Vec<String>> {
    Json(app.catalog.schema_names())
}

/// Shows one schema.
pub async fn show(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Failure> {
    Ok(Json(app.catalog.schema(&name)?.to_json()))
}

/// Adds a schema, or replaces it unless `override=false`.
pub async fn add(
    State(app): State<Arc<App>>,
    Query(parameters): Query<Parameters>,
    body: Body,
) -> Result<Json<Value>, Failure> {
    let json = read(&app, body).await?;
    let replace = parameters.replace.unwrap_or(true);
    let write = SchemaWrite {
        replace,
        must_exist: false,
        force: parameters.force,
    };
    written(&app, json, write, parameters.reload).await
}

/// Replaces a schema.
pub async fn update(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Query(parameters): Query<Parameters>,
    body: Body,
) -> Result<Json<Value>, Failure> {
    let json = read(&app, body).await?;
    let given = json.schema_name.as_deref().unwrap_or_default();
    if given != name {
        let text = format!(
            "Schema name mismatch for uploaded schema, tried to add schema with name {given} as {name}"
        );
        return Err(Error::Invalid(text).into());
    }
    let write = SchemaWrite {
        replace: true,
        must_exist: true,
        force: parameters.force,
    };
    written(&app, json, write, parameters.reload).await
}

/// Checks a schema and shows it as it would be kept.
pub async fn validate(State(app): State<Arc<App>>, body: Body) -> Result<Json<Value>, Failure> {
    let json = read(&app, body).await?;
    schema_from_json(&json).map_err(Error::from)?;
    Ok(Json(json.to_json()))
}

/// Drops a schema.
pub async fn remove(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Failure> {
    let status = format!("Schema {name} deleted");
    blocking(&app, move |app| app.catalog.remove_schema(&name)).await?;
    Ok(Json(json!({"status": status})))
}

async fn read(app: &App, body: Body) -> Result<SchemaJson, Error> {
    let body = read_body(body, &app.limits).await?;
    Ok(SchemaJson::parse(&body)?)
}

async fn written(
    app: &Arc<App>,
    json: SchemaJson,
    write: SchemaWrite,
    reload: bool,
) -> Result<Json<Value>, Failure> {
    let write = move |app: &App| {
        let name = app.catalog.write_schema(json, write)?;
        let mut status = format!("{name} successfully added");
        if reload && app.catalog.table_config(&name).is_ok() {
            // The schema is kept by now: an error would say that it is not.
            if let Err(error) = submit(app, &name, None, ReloadParameters::default()) {
                tracing::warn!(table = name, %error, "a reload was not submitted");
                status = format!("{status}, but its reload was not submitted: {error}");
            }
        }
        Ok(status)
    };
    let status = blocking(app, write).await?;
    Ok(Json(
        json!({"unrecognizedProperties": {}, "status": status}),
    ))
}
