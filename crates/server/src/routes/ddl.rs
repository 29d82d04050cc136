//! `/sql/ddl`: statements about tables.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use growler_schema::convert::schema_to_json;
use growler_schema::table_config::{OFFLINE_SUFFIX, raw_table_name};
use growler_schema::validate::ValidationErrors;
use growler_schema::wire::TableConfigJson;
use growler_table::config::{ExternalConfig, task};
use growler_table::ddl::{self, CreateTable, OptionValue, Statement, TableName, options, show};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tables::blocking;
use crate::app::App;
use crate::http::{Failure, read_body};
use crate::tables::TableWrite;
use crate::{Error, metrics};

/// The one database there is.
const DATABASE: &str = "default";

/// Parameters.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Parameters {
    #[serde(default)]
    dry_run: bool,
}

#[derive(Deserialize)]
struct Request {
    sql: String,
}

/// What a statement did, member by member as Pinot has them; those that say nothing are left out.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    operation: &'static str,
    database_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    table_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table_config: Option<Value>,
    warnings: Vec<String>,
    dry_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    if_not_exists: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    if_exists: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_tables: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table_names: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ddl: Option<String>,
    message: String,
    #[serde(skip)]
    is_created: bool,
}

/// Runs a statement.
pub async fn run(
    State(app): State<Arc<App>>,
    Query(parameters): Query<Parameters>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    let body = read_body(body, &app.limits).await?;
    let request: Request = serde_json::from_slice(&body)
        .map_err(|error| Error::Invalid(format!("Requires a body {{\"sql\": \"..\"}}: {error}")))?;
    let statement = ddl::parse(&request.sql).map_err(Error::from)?;
    let header = headers
        .get("Database")
        .map(|value| value.to_str().unwrap_or_default());
    check_database(&statement, header)?;
    let dry_run = parameters.dry_run;
    let answer = blocking(&app, move |app| execute(app, statement, dry_run)).await?;
    let status = if answer.is_created {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok((status, Json(answer)).into_response())
}

/// The header and the statement must name the same database, and that must be the one there is.
fn check_database(statement: &Statement, header: Option<&str>) -> Result<(), Error> {
    let said = match statement {
        Statement::CreateTable(create) => create.name.database.as_deref(),
        Statement::DropTable { name, .. } | Statement::ShowCreateTable { name } => {
            name.database.as_deref()
        }
        Statement::ShowTables { database } => database.as_deref(),
    };
    if let (Some(said), Some(header)) = (said, header)
        && said != header
    {
        return Err(Error::Invalid(format!(
            "Database of the statement and of the header differ: statement={said} header={header}"
        )));
    }
    match said.or(header) {
        None | Some("" | DATABASE) => Ok(()),
        Some(other) => Err(Error::Invalid(format!(
            "There is one database, {DATABASE}: database={other}"
        ))),
    }
}

fn execute(app: &App, statement: Statement, dry_run: bool) -> Result<Answer, Error> {
    let answer = match statement {
        Statement::CreateTable(statement) => create_unless_there(app, statement, dry_run)?,
        Statement::DropTable { name, if_exists } => drop_table(app, &name, if_exists, dry_run)?,
        Statement::ShowTables { .. } => show_tables(app),
        Statement::ShowCreateTable { name } => show_create(app, &name)?,
    };
    Ok(Answer {
        database_name: DATABASE,
        dry_run,
        ..answer
    })
}

fn create_unless_there(app: &App, statement: CreateTable, dry_run: bool) -> Result<Answer, Error> {
    let name = raw_table_name(&statement.name.table).to_owned();
    let if_not_exists = statement.if_not_exists;
    let is_there = || Answer {
        operation: "CREATE_TABLE",
        table_name: Some(format!("{name}{OFFLINE_SUFFIX}")),
        table_type: Some("OFFLINE"),
        if_not_exists: Some(true),
        message: format!("Table {name}{OFFLINE_SUFFIX} already exists"),
        ..Answer::default()
    };
    if if_not_exists && app.catalog.has_table(&name) {
        return Ok(is_there());
    }
    match create(app, statement, dry_run) {
        // Somebody else was faster.
        Err(Error::Conflict(_)) if if_not_exists => Ok(is_there()),
        done => done,
    }
}

fn create(app: &App, statement: CreateTable, dry_run: bool) -> Result<Answer, Error> {
    let name = raw_table_name(&statement.name.table).to_owned();
    let answer = Answer {
        operation: "CREATE_TABLE",
        table_name: Some(format!("{name}{OFFLINE_SUFFIX}")),
        table_type: Some("OFFLINE"),
        if_not_exists: Some(statement.if_not_exists),
        ..Answer::default()
    };
    let config = config_of(&name, statement.options)?;
    let onboarded = app.catalog.onboard(&name, &config)?;
    let mut warnings = config.warnings();
    warnings.extend(onboarded.warnings);
    let message = if dry_run {
        app.catalog.check_new(&onboarded.config)?;
        format!("Table {name}{OFFLINE_SUFFIX} can be created")
    } else {
        app.catalog
            .write_table(onboarded.config.clone(), TableWrite::Add)?;
        format!("Table {name}{OFFLINE_SUFFIX} successfully added")
    };
    let mut shown = onboarded.config;
    task::hide_secrets(&mut shown);
    Ok(Answer {
        schema: Some(schema_to_json(&onboarded.schema).to_json()),
        table_config: Some(shown.to_json()),
        warnings,
        message,
        is_created: !dry_run,
        ..answer
    })
}

/// Reads the options of a statement.
fn config_of(name: &str, given: Vec<(String, OptionValue)>) -> Result<ExternalConfig, Error> {
    let mut errors = Vec::new();
    let settings = options::to_settings(given, &mut errors);
    let config = ExternalConfig::read(settings, &mut errors);
    ValidationErrors::check(name, errors)?;
    config.ok_or_else(|| Error::Internal("a config has no source".to_owned()))
}

fn drop_table(
    app: &App,
    name: &TableName,
    if_exists: bool,
    dry_run: bool,
) -> Result<Answer, Error> {
    let table = raw_table_name(&name.table).to_owned();
    let full = format!("{table}{OFFLINE_SUFFIX}");
    let answer = Answer {
        operation: "DROP_TABLE",
        table_name: Some(full.clone()),
        if_exists: Some(if_exists),
        ..Answer::default()
    };
    if if_exists && !app.catalog.has_table(&table) {
        return Ok(Answer {
            deleted_tables: Some(Vec::new()),
            message: format!("Table {table} does not exist"),
            ..answer
        });
    }
    let message = if dry_run {
        app.catalog.check_removal(&table)?;
        format!("Tables: [{full}] can be deleted")
    } else {
        app.catalog
            .remove_table(&table, |name| app.reloads.drop_table(name))?;
        metrics::table_dropped(table);
        format!("Tables: [{full}] deleted")
    };
    Ok(Answer {
        deleted_tables: Some(vec![full]),
        message,
        ..answer
    })
}

fn show_tables(app: &App) -> Answer {
    let names = app.catalog.table_names();
    Answer {
        operation: "SHOW_TABLES",
        message: format!("{} table(s)", names.len()),
        table_names: Some(names),
        ..Answer::default()
    }
}

fn show_create(app: &App, name: &TableName) -> Result<Answer, Error> {
    let table = raw_table_name(&name.table);
    let config: TableConfigJson = app.catalog.full_config(table)?;
    let mut shown = show::show_create(&config)?;
    shown.warnings.extend(app.catalog.renamed_columns(table));
    Ok(Answer {
        operation: "SHOW_CREATE_TABLE",
        table_name: Some(format!("{table}{OFFLINE_SUFFIX}")),
        table_type: Some("OFFLINE"),
        message: String::new(),
        ddl: Some(shown.ddl),
        warnings: shown.warnings,
        ..Answer::default()
    })
}
