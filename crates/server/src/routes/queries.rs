//! `/query/sql`, `/query/{id}`, `/queries`.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, Path, Query, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Map, Value};

use crate::Error;
use crate::app::App;
use crate::http::{Failure, RequestId, read_body};
use crate::query::{QueryBody, answer};

/// Answers the query in the body.
pub async fn post(
    State(app): State<Arc<App>>,
    Extension(id): Extension<RequestId>,
    request: Request,
) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let body = read_body(body, &app.limits).await?;
    let QueryBody(query) = QueryBody::parse(&body)?;
    Ok(answer(&app, &id, &parts.headers, query).await)
}

/// Answers the query in the parameters.
pub async fn get(
    State(app): State<Arc<App>>,
    Extension(id): Extension<RequestId>,
    headers: HeaderMap,
    parameters: Result<Query<HashMap<String, String>>, QueryRejection>,
) -> Result<Response, Failure> {
    let Query(parameters) = parameters.map_err(|error| Error::Invalid(error.body_text()))?;
    let QueryBody(query) = QueryBody::from_parameters(parameters)?;
    Ok(answer(&app, &id, &headers, query).await)
}

/// Lists the queries that run now: request id and text.
pub async fn list(State(app): State<Arc<App>>) -> Json<Value> {
    let entries = app.running.list();
    Json(Value::Object(
        entries
            .into_iter()
            .map(|(id, sql)| (id, Value::from(&*sql)))
            .collect::<Map<_, _>>(),
    ))
}

/// Cancels a query that runs now.
pub async fn cancel(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<String, Failure> {
    match app.running.cancel(&id) {
        0 => Err(Error::NotFound(format!("Query: {id} not found on the broker")).into()),
        _ => Ok(format!("Cancelled query: {id}")),
    }
}
