//! What a query read and how long it took.

/// Counters of one query, as Pinot's response names them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueryStatistics {
    /// Rows that matched and were read.
    pub num_docs_scanned: u64,
    /// Rows of all segments asked.
    pub total_docs: u64,
    /// Values read to evaluate the filter; 0 when indexes or statistics answered it.
    pub num_entries_scanned_in_filter: u64,
    /// Values read of matching rows: rows times projected columns.
    pub num_entries_scanned_post_filter: u64,
    /// Segments of the table.
    pub num_segments_queried: u64,
    /// Segments that were not pruned.
    pub num_segments_processed: u64,
    /// Segments with a matching row.
    pub num_segments_matched: u64,
    /// Segments that pruning left out, for whatever reason.
    pub num_segments_pruned_by_server: u64,
    /// Segments left out because they could not be read at all.
    pub num_segments_pruned_invalid: u64,
    /// Segments left out because LIMIT was met.
    pub num_segments_pruned_by_limit: u64,
    /// Segments left out because their statistics exclude a match.
    pub num_segments_pruned_by_value: u64,
    /// Whether groups were dropped at `numGroupsLimit`.
    pub num_groups_limit_reached: bool,
    /// Whether the number of groups came near the limit.
    pub num_groups_warning_limit_reached: bool,
    /// Whether DISTINCT stopped at `maxRowsInDistinct`.
    pub max_rows_in_distinct_reached: bool,
    /// Whether groups were dropped by trimming; growler does not, so this stays false.
    pub groups_trimmed: bool,
    /// CPU time of all threads, where the system tells it.
    pub thread_cpu_time_ns: u64,
    /// Time of the merge of partial results.
    pub broker_reduce_time_ms: u64,
    /// Segments whose plan has an empty filter (EXPLAIN only).
    pub explain_plan_num_empty_filter_segments: u64,
    /// Segments whose plan matches everything (EXPLAIN only).
    pub explain_plan_num_match_all_filter_segments: u64,
}

impl QueryStatistics {
    /// Tells whether a limit cut the answer short.
    pub fn is_partial(&self) -> bool {
        self.num_groups_limit_reached || self.max_rows_in_distinct_reached
    }
}
