//! EXPLAIN of real tables: operators, collapsed filters, pruned segments.

use crate::generate::{Cut, Files, batch, ints};
use crate::support::{engine, rows, sample, view};

fn check(sql: &str, expected: &[&str]) {
    let engine = engine();
    engine.register(view("t", sample("spark/perfile").to_str().unwrap()));
    check_on(&engine, sql, expected);
}

fn check_on(engine: &growler_exec::Engine, sql: &str, expected: &[&str]) {
    let found = rows(engine, sql);
    let operators: Vec<_> = found.iter().map(|row| row[0].as_str().unwrap()).collect();
    assert_eq!(operators, expected, "{sql}");
}

#[test]
fn a_key_is_one_leaf() {
    check(
        "EXPLAIN PLAN FOR SELECT COUNT(*) FROM t WHERE props['page_type'] = 'HOME'",
        &[
            "BROKER_REDUCE(limit:10)",
            "COMBINE_AGGREGATE",
            "PLAN_START(numSegmentsForThisPlan:5)",
            "AGGREGATE(aggregations:count(*))",
            "PROJECT()",
            "DOC_ID_SET",
            "FILTER_MAP(column:props,key:page_type,indexLookUp:map_index,operator:EQ,\
             predicate:item(props,'page_type') = 'HOME',delegateTo:full_scan)",
        ],
    );
}

#[test]
fn count_of_all_rows_scans_nothing() {
    check(
        "EXPLAIN PLAN FOR SELECT COUNT(*) FROM t",
        &[
            "BROKER_REDUCE(limit:10)",
            "COMBINE_AGGREGATE",
            "PLAN_START(numSegmentsForThisPlan:5)",
            "AGGREGATE_NO_SCAN",
        ],
    );
}

#[test]
fn groups_and_their_filters() {
    // In the other three files statistics exclude u-1, so that all rows pass.
    check(
        "EXPLAIN PLAN FOR SELECT user_id, SUM(ts) FILTER (WHERE ts > 5) FROM t \
         WHERE ts + 1 > 5 AND NOT (user_id = 'u-1') GROUP BY user_id HAVING COUNT(*) > 1 ORDER BY 2 DESC",
        &[
            "BROKER_REDUCE(havingFilter:count(*) > '1',sort:[filter(sum(ts),greater_than(ts,'5')) DESC],limit:10)",
            "COMBINE_GROUP_BY",
            "PLAN_START(numSegmentsForThisPlan:2)",
            "GROUP_BY(groupKeys:user_id, aggregations:filter(sum(ts),greater_than(ts,'5')), count(*))",
            "PROJECT(user_id, ts)",
            "DOC_ID_SET",
            "FILTER_AND",
            "FILTER_NOT",
            "FILTER_FULL_SCAN(operator:EQ,predicate:user_id = 'u-1')",
            "FILTER_EXPRESSION(operator:RANGE,predicate:plus(ts,'1') > '5')",
        ],
    );
}

#[test]
fn statistics_collapse_leaves_and_prune_segments() {
    let parts = [[1, 2, 3], [10, 20, 30], [100, 200, 300]];
    let parts = parts.map(|part| batch(vec![("c", ints(&part.map(Some)))]));
    let files = Files::new(&parts, Cut::default());
    let engine = engine();
    files.register(&engine, "t");
    check_on(
        &engine,
        "SET explainPlanVerbose = true; EXPLAIN PLAN FOR SELECT c FROM t WHERE c BETWEEN 5 AND 20 OR c >= 100",
        &[
            "BROKER_REDUCE(limit:10)",
            "COMBINE_SELECT",
            "PLAN_START(numSegmentsForThisPlan:1)",
            "ALL_SEGMENTS_PRUNED_ON_SERVER",
            "PLAN_START(numSegmentsForThisPlan:1)",
            "SELECT(selectList:c)",
            "PROJECT(c)",
            "DOC_ID_SET",
            "FILTER_FULL_SCAN(operator:RANGE,predicate:c BETWEEN '5' AND '20')",
            "PLAN_START(numSegmentsForThisPlan:1)",
            "SELECT(selectList:c)",
            "PROJECT(c)",
            "DOC_ID_SET",
            "FILTER_MATCH_ENTIRE_SEGMENT(docs:3)",
        ],
    );
    check_on(
        &engine,
        "EXPLAIN PLAN FOR SELECT DISTINCT c FROM t WHERE c < 0",
        &[
            "BROKER_REDUCE(limit:10)",
            "PLAN_START(numSegmentsForThisPlan:3)",
            "ALL_SEGMENTS_PRUNED_ON_SERVER",
        ],
    );
    let counted = engine.query(
        "EXPLAIN PLAN FOR SELECT c FROM t WHERE c > 0",
        &growler_exec::Request::default(),
    );
    assert_eq!(
        counted
            .response
            .statistics
            .explain_plan_num_match_all_filter_segments,
        3
    );
    assert_eq!(counted.response.statistics.num_docs_scanned, 0);
}
