//! `/segments`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};

use crate::app::App;
use crate::http::Failure;

/// Lists the names of a table's segments.
pub async fn list(
    State(app): State<Arc<App>>,
    Path(table): Path<String>,
) -> Result<Json<Value>, Failure> {
    let segments = app.catalog.segments(&table)?;
    Ok(Json(json!([{"OFFLINE": segments}])))
}
