//! Counters for operators, in Prometheus' text form.

use std::sync::OnceLock;
use std::time::Duration;

use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use growler_table::sync::SyncMetrics;

use crate::Error;
use crate::app::App;
use crate::external::tables::RunDone;
use crate::external::watchers::now_ms;
use crate::query::answer::Done;
use crate::reload::progress::State;

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
const RELOADS: &str = "growler_reloads_total";
const RELOADED: &str = "growler_reload_segments_total";
const RELOAD_SECONDS: &str = "growler_reload_segment_seconds";
const RELOADS_RUNNING: &str = "growler_reload_segments_running";
const INDEX_BUILT: &str = "growler_index_built_bytes_total";
const INDEX_BYTES: &str = "growler_index_bytes";
const PAGES: &str = "growler_pages_read_total";
const PAGE_BYTES: &str = "growler_page_cache_bytes";
const SHADOW: &str = "growler_shadow_queries_total";
const SHADOW_SKIPPED: &str = "growler_shadow_skipped_total";
const MISMATCHES: &str = "growler_shadow_mismatches_total";
const TABLES: &str = "growler_tables";
const SYNCS: &str = "growler_sync_runs_total";
const SYNC_SECONDS: &str = "growler_sync_run_seconds";
const SYNC_FILES: &str = "growler_sync_files_total";
const SYNC_SCHEMAS: &str = "growler_sync_schema_changes_total";
const SYNC_RETRIES: &str = "growler_sync_retries_total";
const SYNC_LAG: &str = "growler_sync_seconds_since_success";

/// Upper bounds of the latency histogram: interactive answers are told apart finely.
const SECONDS_BUCKETS: [f64; 14] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0,
];

/// Upper bounds of the histogram of reloads, which may take minutes a segment.
const RELOAD_BUCKETS: [f64; 10] = [0.01, 0.05, 0.25, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0];

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
        .and_then(|builder| {
            let seconds = Matcher::Full(RELOAD_SECONDS.to_owned());
            builder.set_buckets_for_metric(seconds, &RELOAD_BUCKETS)
        })
        .and_then(|builder| {
            let seconds = Matcher::Full(SYNC_SECONDS.to_owned());
            builder.set_buckets_for_metric(seconds, &RELOAD_BUCKETS)
        })
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
    describe_indexes();
    describe_syncs();
    Some(handle)
}

fn describe_syncs() {
    describe_counter!(
        SYNCS,
        "Sync runs of External Tables that ended, by table and result"
    );
    describe_histogram!(SYNC_SECONDS, "Time of a sync run");
    describe_counter!(
        SYNC_FILES,
        "Files that came to External Tables, left them or failed, by table"
    );
    describe_counter!(
        SYNC_SCHEMAS,
        "Changes of sources' schemas, by table and whether they are followed"
    );
    describe_counter!(
        SYNC_RETRIES,
        "Calls to sources that were tried again, by table"
    );
    describe_gauge!(
        SYNC_LAG,
        "Time since the last sync run of a table that succeeded, since the server has started"
    );
}

fn describe_indexes() {
    describe_counter!(RELOADS, "Reloads that ended, by status");
    describe_counter!(RELOADED, "Segments whose reload ended, by result");
    describe_histogram!(
        RELOAD_SECONDS,
        "Time of the reload of a segment that changed"
    );
    describe_gauge!(RELOADS_RUNNING, "Segments that are reloaded now");
    describe_counter!(INDEX_BUILT, "Bytes of indexes built");
    describe_counter!(
        PAGES,
        "Compressed pages that queries read, by whether they were inflated before"
    );
    describe_gauge!(PAGE_BYTES, "Bytes of inflated pages that are kept");
    describe_gauge!(INDEX_BYTES, "Bytes of indexes in use, by table");
    describe_counter!(
        SHADOW,
        "Queries asked again without indexes, by how the answers compare"
    );
    describe_counter!(
        SHADOW_SKIPPED,
        "Queries picked to be asked again that were not compared, by reason"
    );
    describe_counter!(
        MISMATCHES,
        "Answers by index that differ from the one by scan"
    );
    // There from the start, so that an alert can watch them.
    counter!(MISMATCHES).absolute(0);
}

/// Forgets the indexes of a table that was dropped.
pub fn table_dropped(table: String) {
    gauge!(INDEX_BYTES, "table" => table).set(0.0);
}

/// Counts a reload's end.
pub fn reload_ended(status: &'static str) {
    counter!(RELOADS, "status" => status).increment(1);
}

/// Counts the end of a segment's reload.
pub fn segment_reloaded(state: &State) {
    let result = match state {
        State::Done(done) if done.changed => {
            histogram!(RELOAD_SECONDS).record(done.elapsed.as_secs_f64());
            counter!(INDEX_BUILT).increment(done.built_bytes);
            "changed"
        }
        State::Failed(failed) if failed.is_cancelled => "cancelled",
        State::Failed(_) => "failed",
        _ => "unchanged",
    };
    counter!(RELOADED, "result" => result).increment(1);
}

/// Counts what happens inside of sync runs.
#[derive(Debug, Clone, Copy)]
pub struct SyncCounters;

impl SyncMetrics for SyncCounters {
    fn files(&self, table: &str, _ingested: u64, _removed: u64, failed: u64) {
        counter!(SYNC_FILES, "table" => table.to_owned(), "change" => "failed").increment(failed);
    }

    fn schema_updated(&self, table: &str, widened: bool) {
        let change = if widened { "widened" } else { "updated" };
        counter!(SYNC_SCHEMAS, "table" => table.to_owned(), "change" => change).increment(1);
    }

    fn schema_rejected(&self, table: &str) {
        counter!(SYNC_SCHEMAS, "table" => table.to_owned(), "change" => "rejected").increment(1);
    }

    fn retried(&self, table: &str) {
        counter!(SYNC_RETRIES, "table" => table.to_owned()).increment(1);
    }
}

/// Counts the end of a sync run.
pub fn sync_ended(table: &str, outcome: &Result<RunDone, Error>, elapsed: Duration) {
    let result = if outcome.is_ok() {
        "completed"
    } else {
        "failed"
    };
    counter!(SYNCS, "table" => table.to_owned(), "result" => result).increment(1);
    histogram!(SYNC_SECONDS).record(elapsed.as_secs_f64());
    if let Ok(done) = outcome {
        for (change, count) in [("ingested", done.ingested), ("removed", done.removed)] {
            counter!(SYNC_FILES, "table" => table.to_owned(), "change" => change).increment(count);
        }
    }
}

/// Counts a query that was asked again without indexes.
pub fn shadow_compared(is_same: bool) {
    let result = if is_same { "same" } else { "different" };
    counter!(SHADOW, "result" => result).increment(1);
    if !is_same {
        counter!(MISMATCHES).increment(1);
    }
}

/// Counts a query that was to be asked again without indexes, but was not compared.
pub fn shadow_skipped(reason: &'static str) {
    counter!(SHADOW_SKIPPED, "reason" => reason).increment(1);
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
    set_gauge(RELOADS_RUNNING, app.reloads.running_count());
    set_gauge(WAITING, app.admission.waiting_count());
    let (served, unserved) = app.catalog.table_counts();
    for (state, count) in [("served", served), ("unserved", unserved)] {
        gauge!(TABLES, "state" => state).set(to_f64(count));
    }
    for table in app.catalog.table_names() {
        let rows = app.backend.malformed_rows(&table);
        let bytes = app.backend.index_bytes(&table);
        gauge!(INDEX_BYTES, "table" => table.clone()).set(bytes_to_f64(bytes));
        counter!(MALFORMED, "table" => table).absolute(rows);
    }
    if let Some(pages) = app.backend.page_counts() {
        for (from, count) in [("cache", pages.hits), ("file", pages.misses)] {
            counter!(PAGES, "from" => from).absolute(count);
        }
        set_gauge(PAGE_BYTES, pages.len_bytes);
    }
    set_sync_lags(app);
    handle().map(PrometheusHandle::render).unwrap_or_default()
}

fn set_sync_lags(app: &App) {
    let Ok(external) = app.catalog.external() else {
        return;
    };
    for table in external.watchers.tables() {
        let times = external.watchers.times(&table);
        if let Some((_, Some(success))) = times {
            let lag = u64::try_from(now_ms().saturating_sub(success)).unwrap_or_default();
            gauge!(SYNC_LAG, "table" => table).set(Duration::from_millis(lag).as_secs_f64());
        }
    }
}

fn set_gauge(name: &'static str, count: usize) {
    gauge!(name).set(to_f64(count));
}

fn to_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[expect(clippy::cast_precision_loss, reason = "a gauge needs no last digits")]
fn bytes_to_f64(count: u64) -> f64 {
    count as f64
}
