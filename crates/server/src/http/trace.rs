//! Gives each request its id, its span and its log line.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::HeaderValue;
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use super::request_id::{CORRELATION_ID, RequestId};
use crate::metrics;

/// Wraps a request: everything logged inside carries its id, and the response names it.
pub async fn trace(mut request: Request, next: Next) -> Response {
    let id = RequestId::of(request.headers());
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("none", MatchedPath::as_str).to_owned();
    let span = tracing::info_span!("request", id = id.as_str(), method = %request.method(), route);
    request.extensions_mut().insert(id.clone());
    async move {
        let started = Instant::now();
        let mut response = next.run(request).await;
        if let Ok(id) = HeaderValue::from_str(id.as_str()) {
            response.headers_mut().insert(CORRELATION_ID, id);
        }
        let status = response.status().as_u16();
        let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(status, elapsed_ms, "answered");
        metrics::request_ended(route, status);
        response
    }
    .instrument(span)
    .await
}
