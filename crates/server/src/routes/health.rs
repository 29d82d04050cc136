//! `/health`, `/metrics`, `/version`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde_json::{Value, json};

use crate::app::App;
use crate::http::Failure;

/// Says that the process answers.
pub async fn health() -> &'static str {
    "OK"
}

/// Says whether queries are taken.
pub async fn readiness(State(app): State<Arc<App>>) -> Result<&'static str, Failure> {
    if app.admission.is_closed() {
        return Err(Failure::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is stopping",
        ));
    }
    Ok("OK")
}

/// Shows all counters.
pub async fn metrics(State(app): State<Arc<App>>) -> impl IntoResponse {
    let text = crate::metrics::render(&app);
    (
        [(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")],
        text,
    )
}

/// Shows the version.
pub async fn version() -> Json<Value> {
    Json(json!({"growler": env!("CARGO_PKG_VERSION")}))
}
