//! The engine's surface: names, limits, failures, statistics, virtual columns, keys.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, Float64Array, Int64Array, ListArray, RecordBatch, StructArray,
    types::Int32Type,
};
use arrow_schema::{DataType as ArrowType, Field as ArrowField};
use growler_exec::{Engine, EngineOptions, Error, OpenError, QueryStatistics, Request, View};
use growler_segment::FooterCache;

use crate::generate::{Cut, Files, batch, ints, texts};
use crate::support::{
    assert_rows, engine, engine_with, expected, failure, rows, run, sample, view,
};

fn seed() -> Engine {
    let engine = engine();
    let path = |name: &str| sample(&format!("spark/seed4_{name}.parquet"));
    for name in ["typed", "none"] {
        engine.register(view(name, path(name).to_str().unwrap()));
    }
    engine
}

fn check(engine: &Engine, sql: &str, json: &str) {
    assert_rows(&rows(engine, sql), &expected(json), sql);
}

fn numbers(count: i64, cut: Cut) -> (Engine, Files) {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..count));
    let tens = ints(
        &(0..count)
            .map(|id| i32::try_from(id / 10).ok())
            .collect::<Vec<_>>(),
    );
    let files = Files::new(&[batch(vec![("id", ids), ("ten", tens)])], cut);
    let engine = engine();
    files.register(&engine, "t");
    (engine, files)
}

fn statistics(engine: &Engine, sql: &str) -> QueryStatistics {
    let outcome = run(engine, sql);
    assert_eq!(outcome.error, None, "{sql}");
    outcome.response.statistics
}

#[test]
fn failures_have_pinots_codes() {
    let engine = seed();
    for (sql, code, message) in [
        (
            "SELECT nosuch FROM typed",
            710,
            "Unknown columnName 'nosuch' found in the query",
        ),
        (
            "SELECT nosuch['a'] FROM typed",
            710,
            "Unknown columnName 'nosuch' found in the query",
        ),
        (
            "SELECT COUNT(*) FROM nosuch",
            190,
            "table 'nosuch' does not exist",
        ),
        ("SELECT FROM", 150, ""),
        (
            "SELECT SUM(user_id) FROM typed",
            700,
            "Cannot compute sum(user_id) over STRING",
        ),
        (
            "SELECT user_id['a'] FROM typed",
            700,
            "Column: user_id must be a MAP or OPEN_STRUCT column",
        ),
        ("SELECT NOSUCHFUNCTION(ts) FROM typed", 700, ""),
        ("SELECT ts, COUNT(*) FROM typed", 700, ""),
        ("SELECT COUNT(*) FROM typed WHERE ts = 'abc'", 700, ""),
    ] {
        let (found, text) = failure(&engine, sql);
        assert_eq!(found, code, "{sql}: {text}");
        assert!(text.contains(message), "{sql}: {text}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_harms_no_other_table() {
    let folder = tempfile::tempdir().unwrap();
    let good = std::fs::read(sample("spark/seed4_typed.parquet")).unwrap();
    std::fs::write(folder.path().join("a.parquet"), &good).unwrap();
    for (bytes, name) in [
        (&good[..good.len() / 2], "cut"),
        (&b"PAR1 no parquet"[..], "none"),
    ] {
        std::fs::write(folder.path().join("b.parquet"), bytes).unwrap();
        let location = folder.path().to_str().unwrap();
        let error = View::open("t", location, None, &FooterCache::default()).unwrap_err();
        assert!(
            matches!(error, OpenError::Segment { .. }),
            "{name}: {error}"
        );
        assert!(error.to_string().contains("b.parquet"), "{name}: {error}");
    }
    check(&seed(), "SELECT COUNT(*) FROM typed", "[[4]]");
}

#[test]
fn tables_come_and_go() {
    let engine = seed();
    assert_eq!(engine.tables(), ["none", "typed"]);
    assert_eq!(engine.view("typed").unwrap().row_count(), 4);
    assert!(engine.remove("typed").is_some());
    assert_eq!(failure(&engine, "SELECT COUNT(*) FROM typed").0, 190);
    assert!(engine.view("typed").is_none());
}

#[test]
fn virtual_columns_and_the_star() {
    let engine = seed();
    check(
        &engine,
        "SELECT $docId, $segmentName, $hostName, user_id FROM typed WHERE $docId >= 2 LIMIT 1",
        r#"[[2, "seed4_typed.parquet", "localhost", "u-4"]]"#,
    );
    check(
        &engine,
        "SELECT COUNT(*) FROM typed WHERE $segmentName = 'other'",
        "[[0]]",
    );
    check(
        &engine,
        "SELECT $segmentName, COUNT(*) FROM none GROUP BY $segmentName",
        r#"[["seed4_none.parquet", 4]]"#,
    );
    let star = run(&engine, "SELECT * FROM typed LIMIT 1")
        .response
        .result_table
        .unwrap();
    assert_eq!(star.names, ["props", "ts", "user_id"]);
    assert_eq!(
        star.type_names().collect::<Vec<_>>(),
        ["JSON", "LONG", "STRING"]
    );
}

#[test]
fn limits_and_offsets() {
    let (engine, _files) = numbers(
        100,
        Cut {
            row_group_rows: 7,
            ..Cut::default()
        },
    );
    check(
        &engine,
        "SELECT id FROM t LIMIT 3 OFFSET 12",
        "[[12], [13], [14]]",
    );
    check(
        &engine,
        "SELECT id FROM t LIMIT 5 OFFSET 98",
        "[[98], [99]]",
    );
    check(&engine, "SELECT id FROM t LIMIT 5 OFFSET 1000", "[]");
    check(
        &engine,
        "SELECT id FROM t ORDER BY id DESC LIMIT 2 OFFSET 1",
        "[[98], [97]]",
    );
    check(
        &engine,
        "SELECT ten, COUNT(*) FROM t GROUP BY ten LIMIT 2 OFFSET 3",
        "[[3, 10], [4, 10]]",
    );
    assert_eq!(rows(&engine, "SELECT id FROM t").len(), 10);
    let none = run(&engine, "SELECT id, ten FROM t LIMIT 0")
        .response
        .result_table
        .unwrap();
    assert_eq!((none.names.len(), none.row_count), (2, 0));
}

#[test]
fn equal_sort_keys_keep_the_order_of_rows() {
    let (engine, _files) = numbers(
        100,
        Cut {
            row_group_rows: 7,
            ..Cut::default()
        },
    );
    let sql = "SELECT id FROM t ORDER BY ten DESC LIMIT 12";
    check(
        &engine,
        sql,
        "[[90],[91],[92],[93],[94],[95],[96],[97],[98],[99],[80],[81]]",
    );
}

#[test]
fn statistics_tell_what_was_read() {
    let engine = seed();
    let all = statistics(&engine, "SELECT COUNT(*) FROM typed");
    assert_eq!(
        (all.num_docs_scanned, all.num_entries_scanned_in_filter),
        (4, 0)
    );
    assert_eq!(
        (
            all.total_docs,
            all.num_segments_queried,
            all.num_segments_matched
        ),
        (4, 1, 1)
    );
    let scan = statistics(
        &engine,
        "SELECT user_id, ts FROM none WHERE props['user_tier'] = 'gold'",
    );
    assert_eq!(
        (scan.num_docs_scanned, scan.num_entries_scanned_in_filter),
        (1, 4)
    );
    assert_eq!(scan.num_entries_scanned_post_filter, 2);
    assert!(scan.thread_cpu_time_ns > 0);
    let null = statistics(
        &engine,
        "SELECT COUNT(*) FROM none WHERE props['user_tier'] IS NULL",
    );
    assert_eq!(
        (null.num_docs_scanned, null.num_entries_scanned_in_filter),
        (3, 0)
    );
    let later = statistics(
        &engine,
        "SELECT COUNT(*) FROM typed WHERE user_id IN ('u-0', 'u-1') AND props['user_tier'] = 'gold'",
    );
    assert_eq!(later.num_entries_scanned_in_filter, 4 + 2);
    let pruned = statistics(&engine, "SELECT COUNT(*) FROM typed WHERE ts < 5");
    assert_eq!(
        (
            pruned.num_segments_processed,
            pruned.num_segments_pruned_by_value
        ),
        (0, 1)
    );
    assert_eq!(
        (
            pruned.num_docs_scanned,
            pruned.num_entries_scanned_in_filter
        ),
        (0, 0)
    );
    let whole = statistics(&engine, "SELECT COUNT(*) FROM typed WHERE ts > 5");
    assert_eq!(
        (whole.num_docs_scanned, whole.num_entries_scanned_in_filter),
        (4, 0)
    );
}

#[test]
fn row_groups_and_pages_that_cannot_match_are_not_read() {
    let cut = Cut {
        row_group_rows: 1000,
        page_rows: 100,
        dictionary: false,
    };
    let (engine, _files) = numbers(10_000, cut);
    let found = statistics(
        &engine,
        "SELECT SUM(ten) FROM t WHERE id BETWEEN 4210 AND 4219",
    );
    assert_eq!(found.num_docs_scanned, 10);
    assert_eq!(found.num_entries_scanned_in_filter, 100);
    check(
        &engine,
        "SELECT SUM(ten) FROM t WHERE id BETWEEN 4210 AND 4219",
        "[[4210.0]]",
    );
}

#[test]
fn a_limit_stops_early() {
    let (engine, _files) = numbers(
        100_000,
        Cut {
            row_group_rows: 1000,
            ..Cut::default()
        },
    );
    let some = statistics(&engine, "SELECT id FROM t LIMIT 5");
    assert_eq!((some.num_docs_scanned, some.num_segments_matched), (5, 1));
    let distinct = statistics(&engine, "SELECT DISTINCT ten FROM t LIMIT 5");
    assert!(
        distinct.num_docs_scanned < 20_000,
        "{}",
        distinct.num_docs_scanned
    );
}

#[test]
fn groups_beyond_the_limit_are_dropped_and_told() {
    let (engine, _files) = numbers(
        100,
        Cut {
            row_group_rows: 7,
            ..Cut::default()
        },
    );
    let sql = "SET numGroupsLimit = 3; SELECT ten, COUNT(*) FROM t GROUP BY ten";
    check(&engine, sql, "[[0, 10], [1, 10], [2, 10]]");
    let told = statistics(&engine, sql);
    assert!(told.num_groups_limit_reached && told.num_groups_warning_limit_reached);
    let untold = statistics(&engine, "SELECT ten, COUNT(*) FROM t GROUP BY ten");
    assert!(!untold.num_groups_limit_reached && !untold.num_groups_warning_limit_reached);
}

#[test]
fn memory_is_bounded_with_a_clear_error() {
    let (_, files) = numbers(50_000, Cut::default());
    let options = EngineOptions {
        memory_bytes: 100_000,
        ..EngineOptions::default()
    };
    let small = Engine::new(options).unwrap();
    files.register(&small, "t");
    for sql in [
        "SELECT id, COUNT(*) FROM t GROUP BY id",
        "SELECT DISTINCTCOUNT(id) FROM t",
        "SELECT PERCENTILE(id, 50) FROM t",
        "SELECT id FROM t LIMIT 50000",
        "SELECT id FROM t ORDER BY id DESC LIMIT 40000",
        "SELECT ARRAY_AGG(id, 'LONG') FROM t",
    ] {
        let error = run(&small, sql).error;
        assert!(
            matches!(
                error,
                Some(Error::Memory {
                    budget_bytes: 100_000,
                    ..
                })
            ),
            "{sql}: {error:?}"
        );
    }
    for sql in [
        "SELECT SUM(id), MAX(ten), DISTINCTCOUNTHLL(id) FROM t",
        "SELECT id FROM t ORDER BY id LIMIT 5",
    ] {
        assert_eq!(run(&small, sql).error, None, "{sql}");
    }
}

#[test]
fn computed_text_is_bounded() {
    let (engine, _files) = numbers(40, Cut::default());
    // Each text is below its own limit, those of a batch together are not.
    let sql = "SELECT COUNT(*) FROM t WHERE REPEAT('abcdefghijklmnop' || CAST(id AS STRING), 900000) = 'x'";
    let (code, message) = failure(&engine, sql);
    assert_eq!(code, 245, "{message}");
    assert!(message.contains("for=computed text"), "{message}");
    let sql = "SELECT COUNT(*) FROM t WHERE REPEAT('x' || CAST(id AS STRING), 100) <> 'x'";
    check(&engine, sql, "[[40]]");
}

#[test]
fn cancelled_and_late_queries_stop() {
    let (engine, _files) = numbers(
        50_000,
        Cut {
            row_group_rows: 100,
            ..Cut::default()
        },
    );
    let request = Request::default();
    request.cancel.cancel();
    let outcome = engine.query("SELECT SUM(id) FROM t", &request);
    assert_eq!(outcome.error, Some(Error::Cancelled));
    assert_eq!(outcome.response.exceptions[0].code, 503);
    let late = run(
        &engine,
        "SET timeoutMs = 1; SELECT id, SUM(id), DISTINCTCOUNT(ten) FROM t GROUP BY id",
    );
    assert_eq!(late.error, Some(Error::Timeout(1)));
}

#[test]
fn progress_reaches_the_end() {
    let (engine, _files) = numbers(
        5_000,
        Cut {
            row_group_rows: 100,
            ..Cut::default()
        },
    );
    let request = Request {
        request_id: "r-1".to_owned(),
        ..Request::default()
    };
    let outcome = engine.query("SELECT SUM(ten) FROM t WHERE id > 1000", &request);
    assert_eq!(outcome.response.request_id, "r-1");
    assert_eq!(outcome.response.tables_queried, ["t"]);
    assert_eq!(
        (request.progress.rows_total(), request.progress.rows_done()),
        (5_000, 5_000)
    );
}

#[test]
fn options_of_the_request_win() {
    let (engine, _files) = numbers(20, Cut::default());
    let options = "numGroupsLimit=1".to_owned();
    let request = Request {
        query_options: options,
        ..Request::default()
    };
    let outcome = engine.query(
        "SET numGroupsLimit = 2; SELECT ten FROM t GROUP BY ten, id",
        &request,
    );
    assert!(outcome.response.statistics.num_groups_limit_reached);
    assert_eq!(outcome.response.result_table.unwrap().row_count, 1);
    let dropped = run(&engine, "SET dropResults = true; SELECT id FROM t");
    assert!(dropped.response.result_table.is_none() && dropped.error.is_none());
}

#[test]
fn missing_keys() {
    let engine = seed();
    // Decision 3 and 4: a typed key shows null, an untyped one the text.
    let show = "SELECT props['latency_ms'], props['user_tier'] FROM typed WHERE user_id = 'u-5'";
    check(&engine, show, r#"[[null, "null"]]"#);
    check(
        &engine,
        &format!("SET enableNullHandling = true; {show}"),
        "[[null, null]]",
    );
    // Decision 5: a key that no row has matches nothing, save by negation when handling is off.
    for (predicate, off, on) in [
        ("= 'x'", 0, 0),
        ("= 'null'", 0, 0),
        ("IN ('null', 'x')", 0, 0),
        ("> 'a'", 0, 0),
        ("< 5", 0, 0),
        ("LIKE 'nu%'", 0, 0),
        ("<> 'x'", 4, 0),
        ("NOT IN ('x')", 4, 0),
        ("IS NULL", 4, 4),
        ("IS NOT NULL", 0, 0),
    ] {
        for table in ["typed", "none"] {
            let sql = format!("SELECT COUNT(*) FROM {table} WHERE props['nokey'] {predicate}");
            check(&engine, &sql, &format!("[[{off}]]"));
            check(
                &engine,
                &format!("SET enableNullHandling = true; {sql}"),
                &format!("[[{on}]]"),
            );
        }
    }
    // A key that some row has: its missing values read as the text "null".
    check(
        &engine,
        "SELECT COUNT(*) FROM none WHERE props['user_tier'] > 'h'",
        "[[3]]",
    );
}

#[test]
fn keys_stand_wherever_expressions_do() {
    let engine = seed();
    check(
        &engine,
        "SELECT UPPER(props['page_type']), props['device'], props['tags'] FROM typed WHERE user_id = 'u-0'",
        r#"[["HOME", "{\"os\":\"ios\"}", "[\"t0\",\"common\"]"]]"#,
    );
    check(
        &engine,
        "SELECT props['device.os'], MAX(props['latency_ms'] + 1) FROM typed GROUP BY props['device.os'] \
         HAVING COUNT(*) > 1 ORDER BY props['device.os']",
        r#"[["android", 111.0], ["ios", 101.0]]"#,
    );
    check(
        &engine,
        "SELECT CASE WHEN props['latency_ms'] > 100 THEN 'slow' ELSE 'fast' END AS speed, COUNT(*) FROM none \
         GROUP BY speed ORDER BY speed",
        r#"[["fast", 3], ["slow", 1]]"#,
    );
    check(
        &engine,
        "SELECT COUNT(*) FROM typed WHERE props['page_type'] = props['page_type']",
        "[[4]]",
    );
    check(
        &engine,
        "SELECT DISTINCT props['page_type'] FROM none LIMIT 2",
        r#"[["HOME"], ["SEARCH"]]"#,
    );
    check(
        &engine,
        "SELECT SUM(props['latency_ms']) FILTER (WHERE props['device.os'] = 'ios'), COUNT(*) \
         FILTER (WHERE ts > 1789700000000) FROM typed WHERE props['latency_ms'] IS NOT NULL",
        "[[100.0, 1]]",
    );
}

#[test]
fn multi_value_columns() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![
        Some(vec![Some(1), Some(2)]),
        Some(vec![Some(2)]),
        Some(vec![]),
        None,
    ]);
    let files = Files::new(
        &[batch(vec![
            ("mv", Arc::new(lists) as ArrayRef),
            ("c", ints(&[Some(1), Some(2), Some(3), Some(4)])),
        ])],
        Cut::default(),
    );
    let engine = engine();
    files.register(&engine, "t");
    let on = |sql: &str| format!("SET enableNullHandling = true; {sql}");
    check(
        &engine,
        "SELECT mv FROM t WHERE mv = 2",
        "[[[1, 2]], [[2]]]",
    );
    check(
        &engine,
        &on("SELECT mv, COUNT(*), SUM(c) FROM t GROUP BY mv ORDER BY mv"),
        "[[1, 1, 1.0], [2, 2, 3.0], [null, 2, 7.0]]",
    );
    check(
        &engine,
        &on("SELECT SUM(mv), COUNT(mv), DISTINCTCOUNT(mv) FROM t"),
        "[[5.0, 3, 2]]",
    );
    check(&engine, "SELECT MIN(mv) FROM t", "[[-2147483648.0]]");
    check(
        &engine,
        &on("SELECT COUNT(*) FILTER (WHERE c > 1), mv FROM t GROUP BY mv ORDER BY mv"),
        "[[0, 1], [1, 2], [2, null]]",
    );
}

#[test]
fn aggregates_over_groups_and_what_is_made_of_them() {
    let (engine, _files) = numbers(
        30,
        Cut {
            row_group_rows: 4,
            ..Cut::default()
        },
    );
    check(
        &engine,
        "SELECT ten, SUM(id) / COUNT(*), MAX(id) - MIN(id) FROM t GROUP BY ten HAVING SUM(id) > 50 ORDER BY 2 DESC",
        "[[2, 24.5, 9.0], [1, 14.5, 9.0]]",
    );
    check(
        &engine,
        "SELECT FIRSTWITHTIME(ten, id, 'INT'), LASTWITHTIME(ten, id, 'INT'), SUMLONG(id), MINLONG(id) FROM t",
        "[[0, 2, 435, 0]]",
    );
    check(
        &engine,
        "SELECT ARRAY_AGG(ten, 'INT', true) FROM t",
        "[[[0, 1, 2]]]",
    );
    check(
        &engine,
        "SELECT COUNT(*) + 1 FROM t WHERE id < 5",
        "[[6.0]]",
    );
    check(
        &engine,
        "SET autoRewriteAggregationType = true; SELECT MAX(id), SUM(ten) FROM t",
        "[[29, 30]]",
    );
}

#[test]
fn nothing_depends_on_how_rows_are_cut() {
    let count = 5_000i64;
    let mut state = 1u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64
    };
    let floats: Vec<f64> = (0..count)
        .map(|_| (random() - 1e9) * 10f64.powf(random() % 30.0 - 15.0))
        .collect();
    let names: Vec<String> = (0..count).map(|id| format!("n{}", id * 7 % 97)).collect();
    let data = batch(vec![
        ("f", Arc::new(Float64Array::from(floats)) as ArrayRef),
        ("id", Arc::new(Int64Array::from_iter_values(0..count))),
        (
            "s",
            texts(
                &names
                    .iter()
                    .map(|name| Some(name.as_str()))
                    .collect::<Vec<_>>(),
            ),
        ),
    ]);
    let sqls = [
        "SELECT SUM(f), AVG(f), STDDEV_SAMP(f), VAR_POP(f), PERCENTILETDIGEST(f, 30), DISTINCTCOUNTHLL(f), MODE(id) FROM t",
        "SELECT s, SUM(f), PERCENTILE(f, 90), LASTWITHTIME(id, id, 'LONG') FROM t GROUP BY s LIMIT 1000",
        "SELECT s, f FROM t ORDER BY s DESC LIMIT 70",
        "SELECT DISTINCT s FROM t LIMIT 50",
        "SELECT ARRAY_AGG(s, 'STRING', true) FROM t WHERE f > 0",
    ];
    let mut first: Option<Vec<_>> = None;
    for (row_group_rows, batch_rows, threads, dictionary) in [
        (1 << 20, 8192, 1, true),
        (1 << 20, 7, 2, false),
        (64, 8192, 2, true),
        (501, 100, 3, false),
    ] {
        let files = Files::new(
            std::slice::from_ref(&data),
            Cut {
                row_group_rows,
                dictionary,
                ..Cut::default()
            },
        );
        let engine = engine_with(threads, batch_rows);
        files.register(&engine, "t");
        let found: Vec<_> = sqls.iter().map(|sql| rows(&engine, sql)).collect();
        match &first {
            None => first = Some(found),
            Some(first) => assert_eq!(&found, first, "{row_group_rows} {batch_rows} {threads}"),
        }
    }
}

/// A VARIANT column of these value bytes, with an empty dictionary.
pub fn variants(values: &[&[u8]]) -> RecordBatch {
    let metadata: ArrayRef = Arc::new(BinaryArray::from(vec![&[1u8, 0, 0][..]; values.len()]));
    let value: ArrayRef = Arc::new(BinaryArray::from(values.to_vec()));
    let field = |name: &str| Arc::new(ArrowField::new(name, ArrowType::Binary, false));
    let group = StructArray::from(vec![(field("metadata"), metadata), (field("value"), value)]);
    batch(vec![("props", Arc::new(group) as ArrayRef)])
}

#[test]
fn a_root_that_is_no_object_fails_the_read() {
    let object: &[u8] = &[2, 0, 0];
    let files = Files::new(
        &[variants(&[object, object, &[0x0c, 5], object])],
        Cut::default(),
    );
    let engine = engine();
    files.register(&engine, "t");
    for sql in [
        "SELECT props FROM t",
        "SELECT COUNT(*) FROM t WHERE props['a'] = 'x'",
    ] {
        let (code, text) = failure(&engine, sql);
        assert_eq!(code, 200, "{text}");
        assert!(
            text.contains("VARIANT column props has a non-object root at docId 2"),
            "{text}"
        );
    }
    check(
        &engine,
        "SET variantNonObjectRoot = 'null'; SET enableNullHandling = true; SELECT props FROM t",
        r#"[["{}"], ["{}"], [null], ["{}"]]"#,
    );
    check(&engine, "SELECT COUNT(*) FROM t", "[[4]]");
}
