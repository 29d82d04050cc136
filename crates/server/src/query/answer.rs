//! Runs one query and makes the HTTP response of its answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use growler_exec::response::{BrokerResponse, QueryException};
use growler_exec::run::CancelFlag;

use super::admission::{Place, Refusal};
use crate::app::App;
use crate::backend::QueryRequest;
use crate::convert::status_of_code;
use crate::http::RequestId;
use crate::metrics;
use crate::shadow::Verifier;

/// Request header that asks for HTTP statuses instead of 200 with an exception inside.
const USE_HTTP_STATUS: &str = "pinot-use-http-status-for-errors";
/// Response header with the first error code, or -1.
const ERROR_CODE: &str = "x-pinot-error-code";
/// How much of a query's text is logged.
const LOGGED_CHARS: usize = 1_000;

/// Answers a query; failures are in the answer.
///
/// # Cancellation
/// Dropping the future, as happens when the client goes away, cancels the query.
pub async fn answer(
    app: &Arc<App>,
    id: &RequestId,
    headers: &HeaderMap,
    request: QueryRequest,
) -> Response {
    let started = Instant::now();
    let sql: String = request.sql.chars().take(LOGGED_CHARS).collect();
    let done = match app.admission.enter().await {
        Ok(place) => run(app, id, request, place, started).await,
        Err(refusal) => Done::new(app, refused(refusal), id, started),
    };
    let (code, elapsed) = (done.code, started.elapsed());
    metrics::query_ended(code, elapsed, &done);
    let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    tracing::info!(
        code,
        elapsed_ms,
        docs_scanned = done.docs_scanned,
        response_bytes = done.json.len(),
        error = done.error.as_deref().unwrap_or_default(),
        sql,
        "query"
    );
    response(done, headers)
}

/// An answer that is ready to be sent.
#[derive(Debug)]
pub struct Done {
    /// First error code, or -1.
    pub code: i32,
    /// Text of the first error.
    pub error: Option<String>,
    /// Rows that matched and were read.
    pub docs_scanned: u64,
    /// Values read to evaluate filters.
    pub entries_in_filter: u64,
    /// The body.
    pub json: Vec<u8>,
}

impl Done {
    fn new(app: &App, answer: BrokerResponse, id: &RequestId, started: Instant) -> Self {
        Self::of(app, &mut { answer }, id, started)
    }

    fn of(app: &App, answer: &mut BrokerResponse, id: &RequestId, started: Instant) -> Self {
        for exception in &mut answer.exceptions {
            explain_unserved(app, exception);
        }
        answer.request_id = id.as_str().to_owned();
        answer.broker_id = app.broker_id.clone();
        answer.time_used_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Self {
            code: answer.error_code(),
            error: answer
                .exceptions
                .first()
                .map(|exception| exception.message.clone()),
            docs_scanned: answer.statistics.num_docs_scanned,
            entries_in_filter: answer.statistics.num_entries_scanned_in_filter,
            json: answer.to_json(),
        }
    }
}

async fn run(
    app: &Arc<App>,
    id: &RequestId,
    request: QueryRequest,
    place: Place,
    started: Instant,
) -> Done {
    let entry = app.running.enter(id.as_str(), &request.sql);
    let cancel = entry.cancel_flag().clone();
    let work = {
        let (app, id, span) = (Arc::clone(app), id.clone(), tracing::Span::current());
        move || {
            let _span = span.entered();
            let done = ask(&app, &request, &cancel, &id, started);
            // Given back only now: a cancelled query occupies its place until it has ended.
            drop(place);
            done
        }
    };
    let query_time = app.limits.query_time;
    match tokio::time::timeout(query_time, tokio::task::spawn_blocking(work)).await {
        Ok(Ok(done)) => done,
        Ok(Err(error)) => {
            tracing::error!(%error, "a query's thread ended early");
            let text = "InternalError: the query's thread ended early";
            Done::new(app, failed(450, text.to_owned()), id, started)
        }
        Err(_) => Done::new(app, overdue(query_time, entry.cancel_flag()), id, started),
    }
}

/// Asks the engine; one in so many queries will be asked again without indexes.
fn ask(
    app: &App,
    request: &QueryRequest,
    cancel: &CancelFlag,
    id: &RequestId,
    started: Instant,
) -> Done {
    let version = app.shadow.pick().then(|| app.backend.version());
    let mut answer = app.backend.query(request, cancel);
    let done = Done::of(app, &mut answer, id, started);
    let kept =
        version.and_then(|version| Verifier::keep(request, &answer, version, done.json.len()));
    if let Some(answered) = kept {
        app.shadow.offer(answered);
    }
    done
}

fn overdue(query_time: Duration, cancel: &CancelFlag) -> BrokerResponse {
    cancel.cancel();
    let query_time_ms = query_time.as_millis();
    failed(
        250,
        format!(
            "ExecutionTimeoutError: query exceeded the server's maxQueryTimeMs={query_time_ms}"
        ),
    )
}

fn refused(refusal: Refusal) -> BrokerResponse {
    let (code, text, reason) = match refusal {
        Refusal::ShuttingDown => (
            210,
            "ServerShuttingDown: the server is stopping",
            "shutting_down",
        ),
        Refusal::TooMany => (
            429,
            "TooManyRequests: too many queries run and wait, try again later",
            "too_many",
        ),
        Refusal::WaitedTooLong => (
            240,
            "QuerySchedulingTimeoutError: too many queries run, none ended in time",
            "waited_too_long",
        ),
    };
    metrics::query_refused(reason);
    failed(code, text.to_owned())
}

fn failed(code: u16, message: String) -> BrokerResponse {
    BrokerResponse {
        exceptions: vec![QueryException { code, message }],
        ..BrokerResponse::default()
    }
}

/// The engine does not know a table whose files could not be read; the catalog knows why.
fn explain_unserved(app: &App, exception: &mut QueryException) {
    const TABLE_DOES_NOT_EXIST: u16 = 190;
    if exception.code != TABLE_DOES_NOT_EXIST {
        return;
    }
    let named = exception.message.split('\'').nth(1);
    if let Some(failure) = named.and_then(|table| app.catalog.failure(table)) {
        exception.message = format!("{}: {failure}", exception.message);
    }
}

fn response(done: Done, headers: &HeaderMap) -> Response {
    let asked = headers
        .get(USE_HTTP_STATUS)
        .is_some_and(|value| value == "true");
    let status = match u16::try_from(done.code) {
        Ok(code) if asked => status_of_code(code),
        _ => StatusCode::OK,
    };
    let mut response = Response::new(Body::from(done.json));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ERROR_CODE, HeaderValue::from(done.code));
    response
}
