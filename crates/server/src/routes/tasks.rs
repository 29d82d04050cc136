//! `/tasks`: runs of External Tables, as Pinot's task calls have them.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use growler_schema::table_config::{OFFLINE_SUFFIX, raw_table_name};
use growler_table::config::task::TASK;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::tables::blocking;
use crate::Error;
use crate::app::App;
use crate::external::Task;
use crate::http::{Failure, read_body};

/// Longest name that a client may give a task.
const NAME_LEN: usize = 256;

/// What is to run; as parameters or as the body.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Asked {
    task_type: Option<String>,
    table_name: Option<String>,
    task_name: Option<String>,
}

/// Asks for a run of one table, or of all.
pub async fn schedule(
    State(app): State<Arc<App>>,
    Query(parameters): Query<Asked>,
    body: Body,
) -> Result<Json<Value>, Failure> {
    let body = read(&app, body).await?;
    let asked = Asked {
        task_type: parameters.task_type.or(body.task_type),
        table_name: parameters.table_name.or(body.table_name),
        task_name: None,
    };
    check_type(asked.task_type.as_deref())?;
    let schedule = move |app: &App| {
        let Ok(external) = app.catalog.external() else {
            return Ok(Vec::new());
        };
        if let Some(table) = asked.table_name {
            known(app, &table)?;
            return Ok(vec![external.watchers.ask(raw_table_name(&table), None)?]);
        }
        // Those that are paused are left out, as in Pinot.
        let tables = external.watchers.tables();
        let asked = tables
            .iter()
            .filter_map(|table| external.watchers.ask(table, None).ok());
        Ok(asked.collect())
    };
    let names: Vec<String> = blocking(&app, schedule).await?;
    let mut answer = Map::new();
    if !names.is_empty() {
        answer.insert(TASK.to_owned(), json!(names.join(",")));
    }
    Ok(Json(Value::Object(answer)))
}

/// Asks for a run of one table, under a name of the client's choice.
pub async fn execute(State(app): State<Arc<App>>, body: Body) -> Result<Json<Value>, Failure> {
    let asked = read(&app, body).await?;
    check_type(asked.task_type.as_deref())?;
    let table = asked.table_name.filter(|table| !table.is_empty());
    let table = table.ok_or_else(|| Error::Invalid("Requires a tableName".to_owned()))?;
    let is_long = asked
        .task_name
        .as_deref()
        .is_some_and(|name| name.len() > NAME_LEN);
    if is_long {
        return Err(Error::Invalid(format!("taskName is too long: limit={NAME_LEN}")).into());
    }
    let name = raw_table_name(&table).to_owned();
    let asked_name = asked.task_name.filter(|name| !name.is_empty());
    let execute = move |app: &App| {
        known(app, &table)?;
        app.catalog
            .external()?
            .watchers
            .ask(raw_table_name(&table), asked_name)
    };
    let task = blocking(&app, execute).await?;
    Ok(Json(json!({format!("{name}{OFFLINE_SUFFIX}"): task})))
}

/// Lists the kinds of tasks.
pub async fn types() -> Json<Value> {
    Json(json!([TASK]))
}

/// Lists all tasks of a kind and their states.
pub async fn states(
    State(app): State<Arc<App>>,
    Path(task_type): Path<String>,
) -> Result<Json<Value>, Failure> {
    check_type(Some(&task_type))?;
    let tasks = app
        .catalog
        .external()
        .map(|external| external.watchers.tasks(None));
    let states = tasks.unwrap_or_default().into_iter();
    let states: Map<String, Value> = states
        .map(|task| (task.name.clone(), json!(task.state.name())))
        .collect();
    Ok(Json(Value::Object(states)))
}

/// Shows the state of a task, in one word.
pub async fn state(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Failure> {
    Ok(Json(json!(find(&app, &name)?.state.name())))
}

/// Shows all that is known of a task.
pub async fn debug(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Failure> {
    Ok(Json(find(&app, &name)?.to_json()))
}

fn find(app: &App, name: &str) -> Result<Task, Error> {
    let external = app.catalog.external().ok();
    external
        .and_then(|external| external.watchers.task(name))
        .ok_or_else(|| Error::NotFound(format!("Failed to find task: {name}")))
}

async fn read(app: &App, body: Body) -> Result<Asked, Error> {
    let body = read_body(body, &app.limits).await?;
    if body.is_empty() {
        return Ok(Asked::default());
    }
    serde_json::from_slice(&body).map_err(|error| Error::Invalid(format!("Invalid JSON: {error}")))
}

fn known(app: &App, table: &str) -> Result<(), Error> {
    if app.catalog.has_table(table) {
        return Ok(());
    }
    Err(Error::NotFound(format!("Failed to find table: {table}")))
}

fn check_type(task_type: Option<&str>) -> Result<(), Error> {
    match task_type {
        None | Some(TASK | "IcebergIngestionTask") => Ok(()),
        Some(other) => Err(Error::NotFound(format!("Unknown task type: {other}"))),
    }
}
