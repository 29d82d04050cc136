//! Pinot's broker response.

use super::json::{write_quoted, write_string, write_strings, write_table};
use super::statistics::QueryStatistics;
use super::table::ResultTable;
use crate::error::Error;

/// Why a query failed, or failed in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryException {
    /// Pinot's error code.
    pub code: u16,
    /// Text for people, beginning with the code's name.
    pub message: String,
}

impl From<&Error> for QueryException {
    fn from(error: &Error) -> Self {
        Self {
            code: error.code(),
            message: error.to_string(),
        }
    }
}

/// The answer to one query over HTTP.
#[derive(Debug, Clone, Default)]
pub struct BrokerResponse {
    /// The rows; absent when the query failed.
    pub result_table: Option<ResultTable>,
    /// Failures; an answer with one may still have rows.
    pub exceptions: Vec<QueryException>,
    /// What was read.
    pub statistics: QueryStatistics,
    /// Wall time from request to answer.
    pub time_used_ms: u64,
    /// Id the server gave the request.
    pub request_id: String,
    /// Id the client gave its query (`clientQueryId`).
    pub client_request_id: Option<String>,
    /// Name of the server.
    pub broker_id: String,
    /// Tables the query read.
    pub tables_queried: Vec<String>,
}

impl BrokerResponse {
    /// Makes the answer of a failed query.
    pub fn failed(error: &Error) -> Self {
        Self {
            exceptions: vec![QueryException::from(error)],
            ..Self::default()
        }
    }

    /// Returns the value of the `X-Pinot-Error-Code` header: -1 when there is no exception.
    pub fn error_code(&self) -> i32 {
        self.exceptions
            .first()
            .map_or(-1, |exception| i32::from(exception.code))
    }

    /// Returns the response as JSON, all of Pinot's fields in Pinot's order.
    ///
    /// A table whose arrays do not fit its types is left out and told as an exception.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(2048);
        out.push(b'{');
        let mut exceptions = self.exceptions.clone();
        let mut row_count = 0;
        if let Some(table) = &self.result_table {
            let start = out.len();
            out.extend_from_slice(br#""resultTable":"#);
            match write_table(table, &mut out) {
                Ok(()) => {
                    row_count = table.row_count;
                    out.push(b',');
                }
                Err(error) => {
                    out.truncate(start);
                    exceptions.push(QueryException::from(&error));
                }
            }
        }
        let mut fields = Fields { out };
        self.write_head(row_count, &exceptions, &mut fields);
        self.write_counters(&mut fields);
        self.write_tail(&mut fields);
        fields.finish()
    }

    fn write_head(&self, row_count: usize, exceptions: &[QueryException], fields: &mut Fields) {
        let statistics = &self.statistics;
        fields.number(
            "numRowsResultSet",
            u64::try_from(row_count).unwrap_or(u64::MAX),
        );
        fields.flag(
            "partialResult",
            !exceptions.is_empty() || statistics.is_partial(),
        );
        fields.exceptions(exceptions);
        fields.flag("numGroupsLimitReached", statistics.num_groups_limit_reached);
        fields.flag(
            "numGroupsWarningLimitReached",
            statistics.num_groups_warning_limit_reached,
        );
        fields.flag(
            "maxRowsInDistinctReached",
            statistics.max_rows_in_distinct_reached,
        );
        fields.flag("maxRowsWithoutChangeInDistinctReached", false);
        fields.flag("maxExecutionTimeInDistinctReached", false);
        fields.number("timeUsedMs", self.time_used_ms);
        fields.string("requestId", &self.request_id);
        fields.optional_string("clientRequestId", self.client_request_id.as_deref());
        fields.string("brokerId", &self.broker_id);
    }

    fn write_counters(&self, fields: &mut Fields) {
        let statistics = &self.statistics;
        let cpu_time_ns = statistics.thread_cpu_time_ns;
        let counters = [
            ("numDocsScanned", statistics.num_docs_scanned),
            ("totalDocs", statistics.total_docs),
            (
                "numEntriesScannedInFilter",
                statistics.num_entries_scanned_in_filter,
            ),
            (
                "numEntriesScannedPostFilter",
                statistics.num_entries_scanned_post_filter,
            ),
            // One process is broker and server at once; clients compare the two counts.
            ("numServersQueried", 1),
            ("numServersResponded", 1),
            ("numSegmentsQueried", statistics.num_segments_queried),
            ("numSegmentsProcessed", statistics.num_segments_processed),
            ("numSegmentsMatched", statistics.num_segments_matched),
            ("numConsumingSegmentsQueried", 0),
            ("numConsumingSegmentsProcessed", 0),
            ("numConsumingSegmentsMatched", 0),
            ("minConsumingFreshnessTimeMs", 0),
            ("numSegmentsPrunedByBroker", 0),
            (
                "numSegmentsPrunedByServer",
                statistics.num_segments_pruned_by_server,
            ),
            (
                "numSegmentsPrunedInvalid",
                statistics.num_segments_pruned_invalid,
            ),
            (
                "numSegmentsPrunedByLimit",
                statistics.num_segments_pruned_by_limit,
            ),
            (
                "numSegmentsPrunedByValue",
                statistics.num_segments_pruned_by_value,
            ),
            ("brokerReduceTimeMs", statistics.broker_reduce_time_ms),
            ("offlineThreadCpuTimeNs", cpu_time_ns),
            ("realtimeThreadCpuTimeNs", 0),
            ("offlineSystemActivitiesCpuTimeNs", 0),
            ("realtimeSystemActivitiesCpuTimeNs", 0),
            ("offlineResponseSerializationCpuTimeNs", 0),
            ("realtimeResponseSerializationCpuTimeNs", 0),
            ("offlineTotalCpuTimeNs", cpu_time_ns),
            ("realtimeTotalCpuTimeNs", 0),
            (
                "explainPlanNumEmptyFilterSegments",
                statistics.explain_plan_num_empty_filter_segments,
            ),
            (
                "explainPlanNumMatchAllFilterSegments",
                statistics.explain_plan_num_match_all_filter_segments,
            ),
        ];
        for (name, count) in counters {
            fields.number(name, count);
        }
    }

    fn write_tail(&self, fields: &mut Fields) {
        fields.raw("traceInfo", b"{}");
        fields.name("tablesQueried");
        write_strings(&self.tables_queried, &mut fields.out);
        fields.end();
        let counters = [
            "offlineThreadMemAllocatedBytes",
            "realtimeThreadMemAllocatedBytes",
            "offlineResponseSerMemAllocatedBytes",
            "realtimeResponseSerMemAllocatedBytes",
            "offlineTotalMemAllocatedBytes",
            "realtimeTotalMemAllocatedBytes",
        ];
        for name in counters {
            fields.number(name, 0);
        }
        fields.raw("pools", b"[]");
        fields.flag("rlsFiltersApplied", false);
        fields.flag("groupsTrimmed", self.statistics.groups_trimmed);
    }
}

/// Appends the members of one JSON object.
struct Fields {
    out: Vec<u8>,
}

impl Fields {
    fn name(&mut self, name: &str) {
        write_quoted(&mut self.out, |out| out.extend_from_slice(name.as_bytes()));
        self.out.push(b':');
    }

    fn end(&mut self) {
        self.out.push(b',');
    }

    fn raw(&mut self, name: &str, json: &[u8]) {
        self.name(name);
        self.out.extend_from_slice(json);
        self.end();
    }

    fn number(&mut self, name: &str, value: u64) {
        self.raw(name, itoa::Buffer::new().format(value).as_bytes());
    }

    fn flag(&mut self, name: &str, value: bool) {
        self.raw(name, if value { b"true" } else { b"false" });
    }

    fn string(&mut self, name: &str, value: &str) {
        self.optional_string(name, Some(value));
    }

    fn optional_string(&mut self, name: &str, value: Option<&str>) {
        self.name(name);
        match value {
            Some(value) => write_string(value, &mut self.out),
            None => self.out.extend_from_slice(b"null"),
        }
        self.end();
    }

    fn exceptions(&mut self, exceptions: &[QueryException]) {
        self.name("exceptions");
        self.out.push(b'[');
        for (idx, exception) in exceptions.iter().enumerate() {
            if idx > 0 {
                self.out.push(b',');
            }
            self.out.extend_from_slice(br#"{"errorCode":"#);
            let mut buffer = itoa::Buffer::new();
            self.out
                .extend_from_slice(buffer.format(exception.code).as_bytes());
            self.out.extend_from_slice(br#","message":"#);
            write_string(&exception.message, &mut self.out);
            self.out.push(b'}');
        }
        self.out.push(b']');
        self.end();
    }

    fn finish(mut self) -> Vec<u8> {
        if self.out.last() == Some(&b',') {
            self.out.pop();
        }
        self.out.push(b'}');
        self.out
    }
}
