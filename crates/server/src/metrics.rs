//! Counters for operators, in Prometheus' text form.

use std::sync::OnceLock;
use std::time::Duration;

use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::app::App;
use crate::query::answer::Done;

const QUERIES: &str = "growler_queries_total";
const ERRORS: &str = "growler_query_errors_total";
const REFUSED: &str = "growler_queries_refused_total";
const SECONDS: &str = "growler_query_seconds";
const DOCS: &str = "growler_docs_scanned_total";
const ENTRIES: &str = "growler_entries_scanned_in_filter_total";
const BYTES: &str = "growler_response_bytes_total";
const REQUESTS: &str = "growler_http_requests_total";
const MALFORMED: &str = "growler_variant_malformed_rows_total";
const CONNECTIONS: &str = "growler_connections_open";
const RUNNING: &str = "growler_queries_running";
const WAITING: &str = "growler_queries_waiting";
const TABLES: &str = "growler_tables";

/// Upper bounds of the latency histogram: interactive answers are told apart finely.
const SECONDS_BUCKETS: [f64; 14] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0,
];

/// Returns the process's metrics, installed on the first call. None when the embedding program has
/// installed a recorder of its own, which then gets the counters.
pub fn handle() -> Option<&'static PrometheusHandle> {
    static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    HANDLE.get_or_init(install).as_ref()
}

fn install() -> Option<PrometheusHandle> {
    let seconds = Matcher::Full(SECONDS.to_owned());
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(seconds, &SECONDS_BUCKETS)
        .ok()?
        .build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).ok()?;
    describe_counter!(QUERIES, "Queries that came in");
    describe_counter!(ERRORS, "Queries that failed, by Pinot's error code");
    describe_counter!(REFUSED, "Queries that were not run, by reason");
    describe_histogram!(SECONDS, "Time from a query's arrival to its answer");
    describe_counter!(DOCS, "Rows that matched and were read");
    describe_counter!(ENTRIES, "Values read to evaluate filters");
    describe_counter!(BYTES, "Bytes of query answers");
    describe_counter!(REQUESTS, "HTTP requests, by route and status");
    describe_counter!(
        MALFORMED,
        "Rows met whose VARIANT bytes cannot be decoded, by table"
    );
    describe_gauge!(CONNECTIONS, "Connections that are open");
    describe_gauge!(RUNNING, "Queries that run now");
    describe_gauge!(WAITING, "Queries that wait for a place");
    describe_gauge!(TABLES, "Tables, by whether they are served");
    Some(handle)
}

/// Counts a query's end.
pub fn query_ended(code: i32, elapsed: Duration, done: &Done) {
    counter!(QUERIES).increment(1);
    histogram!(SECONDS).record(elapsed.as_secs_f64());
    counter!(DOCS).increment(done.docs_scanned);
    counter!(ENTRIES).increment(done.entries_in_filter);
    counter!(BYTES).increment(u64::try_from(done.json.len()).unwrap_or_default());
    if code >= 0 {
        counter!(ERRORS, "code" => code.to_string()).increment(1);
    }
}

/// Counts a query that was not run.
pub fn query_refused(reason: &'static str) {
    counter!(REFUSED, "reason" => reason).increment(1);
}

/// Counts an HTTP request. `route` is the pattern, not the path, so that there are few.
pub fn request_ended(route: String, status: u16) {
    counter!(REQUESTS, "route" => route, "status" => status.to_string()).increment(1);
}

/// Notes how many connections are open.
pub fn connections_open(count: usize) {
    set_gauge(CONNECTIONS, count);
}

/// Renders everything as Prometheus' text.
pub fn render(app: &App) -> String {
    set_gauge(RUNNING, app.admission.running_count());
    set_gauge(WAITING, app.admission.waiting_count());
    let (served, unserved) = app.catalog.table_counts();
    for (state, count) in [("served", served), ("unserved", unserved)] {
        gauge!(TABLES, "state" => state).set(to_f64(count));
    }
    for table in app.catalog.table_names() {
        let rows = app.backend.malformed_rows(&table);
        counter!(MALFORMED, "table" => table).absolute(rows);
    }
    handle().map(PrometheusHandle::render).unwrap_or_default()
}

fn set_gauge(name: &'static str, count: usize) {
    gauge!(name).set(to_f64(count));
}

fn to_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
