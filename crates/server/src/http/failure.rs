//! Errors as HTTP responses: `{"code": 404, "error": ".."}`.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::Error;
use crate::convert::status_of_kind;

/// A refused request.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    status: StatusCode,
    text: String,
}

impl Failure {
    /// Makes a failure with a status of its own.
    pub fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self {
            status,
            text: text.into(),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::TimedOut(_) => StatusCode::REQUEST_TIMEOUT,
            Error::Busy(_) => StatusCode::TOO_MANY_REQUESTS,
            _ => status_of_kind(error.kind()),
        };
        Self::new(status, error.to_string())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        if self.status.is_server_error() {
            tracing::error!(
                status = self.status.as_u16(),
                error = self.text,
                "request failed"
            );
        }
        let body = json!({"code": self.status.as_u16(), "error": self.text});
        (self.status, Json(body)).into_response()
    }
}
