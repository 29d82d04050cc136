//! Which path leads where.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};

use super::{console, ddl, external, health, queries, reload, schemas, segments, tables, tasks};
use crate::Error;
use crate::app::App;
use crate::http::{Failure, trace};

/// Makes the router of all routes.
pub fn router(app: Arc<App>) -> Router {
    let bounded = Router::new()
        .route("/", get(console::page))
        .route("/query/{id}", delete(queries::cancel))
        .route("/queries", get(queries::list))
        .route("/schemas", get(schemas::list).post(schemas::add))
        .route("/schemas/validate", post(schemas::validate))
        .route(
            "/schemas/{schema}",
            get(schemas::show)
                .put(schemas::update)
                .delete(schemas::remove),
        )
        .route("/tables", get(tables::list).post(tables::add))
        .route("/tables/validate", post(tables::validate))
        .route(
            "/tables/{table}",
            get(tables::show).put(tables::update).delete(tables::remove),
        )
        .route("/tables/preview", post(external::preview))
        .route("/tables/{table}/schema", get(tables::schema))
        .route(
            "/tables/{table}/externalTable/status",
            get(external::status),
        )
        .route(
            "/tables/{table}/externalTable/checkpoint",
            get(external::checkpoint),
        )
        .route(
            "/tables/{table}/externalTable/contents",
            get(external::contents),
        )
        .route(
            "/tables/{table}/externalTable/reattach",
            post(external::reattach),
        )
        // As they were called once.
        .route("/tables/{table}/iceberg/status", get(external::status))
        .route(
            "/tables/{table}/iceberg/checkpoint",
            get(external::checkpoint),
        )
        .route("/externalTable/tables/list", post(external::list))
        .route("/connections/browse", post(external::browse))
        .route("/tasks/tasktypes", get(tasks::types))
        .route("/tasks/schedule", post(tasks::schedule))
        .route("/tasks/execute", post(tasks::execute))
        .route("/tasks/{type}/taskstates", get(tasks::states))
        .route("/tasks/task/{task}/state", get(tasks::state))
        .route("/tasks/task/{task}/debug", get(tasks::debug))
        .route("/sql/ddl", post(ddl::run))
        .route("/table/{table}/jobs", get(reload::table_jobs))
        .route("/segments/{table}", get(segments::list))
        .route("/segments/{table}/reload", post(reload::table))
        .route("/segments/{table}/needReload", get(segments::need_reload))
        .route("/segments/{table}/{segment}/reload", post(reload::segment))
        .route(
            "/segments/{table}/{segment}/metadata",
            get(segments::metadata),
        )
        .route(
            "/segments/segmentReloadStatus/{job}",
            get(reload::job_status),
        )
        .route("/health", get(health::health))
        .route("/health/liveness", get(health::health))
        .route("/health/readiness", get(health::readiness))
        .route("/metrics", get(health::metrics))
        .route("/version", get(health::version))
        .layer(middleware::from_fn_with_state(Arc::clone(&app), in_time));
    // A query has bounds of its own.
    let query = || post(queries::post).get(queries::get);
    let queries = Router::new()
        .route("/query/sql", query())
        .route("/sql", query());
    bounded
        .merge(queries)
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(middleware::from_fn(trace::trace))
        .with_state(app)
}

async fn in_time(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let time = app.limits.request_time;
    match tokio::time::timeout(time, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Failure::from(Error::TimedOut(time.as_millis())).into_response(),
    }
}

async fn no_route() -> Failure {
    Failure::new(StatusCode::NOT_FOUND, "HTTP 404 Not Found")
}

async fn no_method() -> Failure {
    Failure::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "HTTP 405 Method Not Allowed",
    )
}
