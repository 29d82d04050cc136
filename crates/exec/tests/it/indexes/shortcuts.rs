//! Aggregates without a row read: when, and what the counters and EXPLAIN say.

use super::harness::{Indexed, all_kinds, complete, inverted};
use crate::indexing::Wanted;

fn table() -> Indexed {
    let mut numbers = Wanted::new("props", Some("latency_ms"), inverted());
    numbers.reading = growler_index::Reading::Numbers;
    let wanted = [
        Wanted::new("user_id", None, inverted()),
        Wanted::new("ts", None, all_kinds()),
        Wanted::new("props", Some("page_type"), inverted()),
        Wanted::new("props", Some("latency_ms"), all_kinds()),
        Wanted::new("props", Some("device.os"), inverted()),
        Wanted::new("props", Some("user_tier"), inverted()),
        Wanted::new("props", Some("session"), inverted()),
        numbers,
    ];
    Indexed::sample("spark/seed4_typed.parquet", &wanted, &[complete()])
}

const HOME: &str = "props['page_type'] = 'HOME'";

#[test]
fn counts_come_from_cardinalities() {
    let table = table();
    for (filter, expected) in [
        (HOME, 1),
        ("props['page_type'] <> 'HOME'", 3),
        ("props['latency_ms'] >= 100", 2),
        ("props['user_tier'] = 'gold'", 1),
        ("props['user_tier'] = 'null'", 3),
        ("props['user_tier'] <> 'gold'", 3),
        ("props['session'] > 's-0'", 3),
        ("props['session'] LIKE 'S-%'", 4),
        ("props['latency_ms'] IS NULL", 2),
        ("props['nokey'] IS NULL", 4),
        ("props['nokey'] = 'x'", 0),
        ("props['nokey'] = 'null'", 0),
        ("props['nokey'] <> 'x'", 4),
        (
            "props['page_type'] = 'SEARCH' AND props['latency_ms'] IS NULL",
            1,
        ),
        (
            "NOT (props['page_type'] = 'SEARCH' OR props['user_tier'] = 'gold')",
            1,
        ),
    ] {
        let (rows, statistics) = table.check(&format!("SELECT COUNT(*) FROM t WHERE {filter}"));
        assert_eq!(rows[0][0], expected, "{filter}");
        assert_eq!(statistics.num_docs_scanned, expected, "{filter}");
        assert_eq!(statistics.num_entries_scanned_in_filter, 0, "{filter}");
        assert_eq!(statistics.num_entries_scanned_post_filter, 0, "{filter}");
        let matched = u64::from(expected > 0);
        assert_eq!(statistics.num_segments_matched, matched, "{filter}");
    }
}

#[test]
fn a_fast_count_shows_its_filter() {
    let table = table();
    let sql = format!("EXPLAIN PLAN FOR SELECT COUNT(*) FROM t WHERE {HOME} AND ts > 5");
    assert_eq!(
        table.plan(&sql),
        [
            "BROKER_REDUCE(limit:10)",
            "COMBINE_AGGREGATE",
            "PLAN_START(numSegmentsForThisPlan:1)",
            "FAST_FILTERED_COUNT",
            "FILTER_MAP(column:props,key:page_type,indexLookUp:map_index,operator:EQ,\
             predicate:item(props,'page_type') = 'HOME',delegateTo:inverted_index)",
        ]
    );
    let scanned = table.plan(&format!("SET skipIndexes = 'props=inverted'; {sql}"));
    assert_eq!(scanned[3], "AGGREGATE(aggregations:count(*))");
    assert!(scanned[6].ends_with("delegateTo:full_scan)"), "{scanned:?}");
}

#[test]
fn extremes_and_distinct_counts_come_from_dictionaries() {
    let table = table();
    for sql in [
        "SELECT MIN(ts), MAX(ts), DISTINCTCOUNT(user_id), COUNT(*) FROM t",
        "SELECT MIN(props['latency_ms']), COUNT(props['latency_ms']) FROM t",
        "SELECT COUNT(DISTINCT props['page_type']) FROM t",
        "SELECT COUNT(DISTINCT props['user_tier']) FROM t",
    ] {
        for on in [false, true] {
            let sql = format!("SET enableNullHandling = {on}; {sql}");
            let (_, statistics) = table.check(&sql);
            assert_eq!(statistics.num_docs_scanned, 4, "{sql}");
            assert_eq!(statistics.num_entries_scanned_post_filter, 0, "{sql}");
            let (set, query) = sql.split_once("; ").unwrap();
            let plan = table.plan(&format!("{set}; EXPLAIN PLAN FOR {query}"));
            assert_eq!(plan[3..], ["AGGREGATE_NO_SCAN"], "{sql}");
        }
    }
    let plan = table.plan("EXPLAIN PLAN FOR SELECT SUM(ts) FROM t");
    assert_eq!(plan[3], "AGGREGATE(aggregations:sum(ts))");
}

#[test]
fn groups_are_counted_without_rows() {
    let table = table();
    let sql = "SELECT props['page_type'], COUNT(*) FROM t GROUP BY props['page_type']";
    let (rows, statistics) = table.check(sql);
    assert_eq!(rows.len(), 3);
    assert_eq!(statistics.num_docs_scanned, 4);
    assert_eq!(statistics.num_entries_scanned_post_filter, 0);
    let plan = table.plan(&format!("EXPLAIN PLAN FOR {sql}"));
    assert_eq!(
        plan[3..],
        ["GROUP_BY_DICTIONARY(groupKeys:item(props,'page_type'), aggregations:count(*))"]
    );
    let plan = table.plan("EXPLAIN PLAN FOR SELECT DISTINCT user_id FROM t");
    assert_eq!(plan[3..], ["DISTINCT_DICTIONARY(keyColumns:user_id)"]);
}
