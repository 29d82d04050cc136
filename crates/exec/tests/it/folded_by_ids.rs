//! Rows that are folded as ids into dictionaries: their answers are those of rows read as arrays.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use growler_exec::{Engine, Request};
use proptest::prelude::*;

use crate::generate::{Cut, Files, batch, booleans, ints, texts};
use crate::support::{Rows, engine_with, rows};

#[derive(Debug, Clone)]
struct Row {
    a: Option<i32>,
    b: Option<i64>,
    f: Option<f64>,
    s: Option<&'static str>,
    u: u32,
    w: Option<bool>,
}

fn row() -> impl Strategy<Value = Row> {
    let text = prop::sample::select(vec!["x", "y", "a longer text than inlined", "null", ""]);
    let float = prop::sample::select(vec![0.1, -2.5, 1e16, 3.0, -0.0, 0.0, f64::NAN]);
    let long = prop::sample::select(vec![i64::MAX, i64::MIN + 1, -3, 0, 1 << 54]);
    (
        prop::option::weighted(0.8, -5..20i32),
        prop::option::weighted(0.9, long),
        prop::option::weighted(0.8, float),
        prop::option::weighted(0.8, text),
        0..60u32,
        prop::option::weighted(0.8, any::<bool>()),
    )
        .prop_map(|(a, b, f, s, u, w)| Row { a, b, f, s, u, w })
}

fn record(rows: &[Row]) -> RecordBatch {
    let b: ArrayRef = Arc::new(rows.iter().map(|row| row.b).collect::<Int64Array>());
    let f: ArrayRef = Arc::new(rows.iter().map(|row| row.f).collect::<Float64Array>());
    let users: Vec<String> = rows.iter().map(|row| format!("user {}", row.u)).collect();
    let users: Vec<Option<&str>> = users.iter().map(|user| Some(user.as_str())).collect();
    batch(vec![
        ("a", ints(&rows.iter().map(|row| row.a).collect::<Vec<_>>())),
        ("b", b),
        ("f", f),
        (
            "s",
            texts(&rows.iter().map(|row| row.s).collect::<Vec<_>>()),
        ),
        ("u", texts(&users)),
        (
            "w",
            booleans(&rows.iter().map(|row| row.w).collect::<Vec<_>>()),
        ),
    ])
}

/// Queries over all rows, whose groups come in the order of rows unless they are sorted.
const QUERIES: [&str; 16] = [
    "SELECT COUNT(*), COUNT(a), SUM(a), MIN(a), MAX(a), AVG(a), COUNT(s) FROM t",
    "SELECT SUM(b), AVG(b), MINLONG(b), MAXLONG(b), MINMAXRANGE(a), SUMLONG(a) FROM t",
    "SELECT SUM(f), AVG(f), MIN(f), MAX(f), VARPOP(f), STDDEVSAMP(a), VARSAMP(b) FROM t",
    "SELECT PERCENTILE(a, 40), PERCENTILETDIGEST(a, 90), PERCENTILEEST(b, 50), MODE(a), MODE(b, 'AVG') FROM t",
    "SELECT COUNT(DISTINCT s), DISTINCTCOUNTHLL(u), DISTINCTSUM(a), DISTINCTAVG(b), MINSTRING(s), MAXSTRING(u) FROM t",
    "SELECT SUM(a), BOOLAND(w), BOOLOR(w), COUNT(DISTINCT f) FROM t",
    "SELECT COUNT(f), MINLONG(f), MAXLONG(f), MIN(f), MAX(f), MINSTRING(s), BOOLAND(w) FROM t",
    "SELECT MIN(a), MAX(a), MINLONG(b), MAXLONG(b), MAXSTRING(u), BOOLOR(w), COUNT(*) FROM t",
    "SELECT s, COUNT(*) FROM t GROUP BY s LIMIT 1000",
    "SELECT u, COUNT(*), SUM(a), MAX(f), COUNT(DISTINCT s) FROM t GROUP BY u LIMIT 1000",
    "SELECT s, a, COUNT(*), AVG(f), MAX(b), COUNT(a) FROM t GROUP BY s, a LIMIT 1000",
    "SELECT w, s, f, SUM(a), MODE(a) FROM t GROUP BY w, s, f LIMIT 1000",
    "SELECT s, b, f, VARPOP(a), PERCENTILE(f, 50) FROM t GROUP BY s, b, f LIMIT 1000",
    "SELECT a, SUM(a), MIN(a) FROM t GROUP BY a HAVING COUNT(*) > 1 ORDER BY 2 DESC, a LIMIT 7",
    "SELECT DISTINCT s, a FROM t LIMIT 1000",
    "SELECT DISTINCT u FROM t LIMIT 4",
];

const FILTERS: [&str; 6] = [
    "a > 3",
    "s = 'x' OR s IS NULL",
    "NOT (b < 0) AND f <> 3",
    "$docId < 70",
    "$docId BETWEEN 40 AND 41 OR u = 'user 7'",
    "u = 'nobody'",
];

/// Returns an answer, and how many rows were folded as ids.
fn ask(engine: &Engine, sql: &str) -> (Rows, u64) {
    let request = Request::default();
    let outcome = engine.query(sql, &request);
    assert_eq!(outcome.error, None, "{sql}");
    let table = outcome.response.result_table.expect("a table");
    let mut json = Vec::new();
    table.write_json_rows(&mut json).unwrap();
    let rows = serde_json::from_slice(&json).unwrap();
    (rows, request.progress.rows_folded_unread())
}

/// Row group rows, page rows, files, batch rows, threads.
const GRID: [(usize, usize, usize, usize, usize); 6] = [
    (1 << 20, 1 << 14, 1, 8192, 1),
    (1 << 20, 5, 1, 7, 2),
    (1 << 20, 64, 1, 70, 1),
    (40, 16, 1, 8192, 2),
    (64, 3, 3, 1, 2),
    (7, 2, 2, 3, 1),
];

fn engine_over(
    table: &RecordBatch,
    dictionary: bool,
    (row_group_rows, page_rows, files, batch_rows, threads): (usize, usize, usize, usize, usize),
) -> (Engine, Files) {
    let count = table.num_rows();
    let file_rows = count.div_ceil(files).max(1);
    let parts = (0..count).step_by(file_rows);
    let parts: Vec<_> = parts
        .map(|start| table.slice(start, file_rows.min(count - start)))
        .collect();
    let cut = Cut {
        row_group_rows,
        page_rows,
        dictionary,
    };
    let files = Files::new(&parts, cut);
    let engine = engine_with(threads, batch_rows);
    files.register(&engine, "t");
    (engine, files)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, ..ProptestConfig::default() })]

    #[test]
    fn ids_never_change_an_answer(table in prop::collection::vec(row(), 1..300)) {
        let table = record(&table);
        for (idx, grid) in GRID.into_iter().enumerate() {
            // The same cut: `$docId` counts from the start of each file.
            let (with_ids, _files) = engine_over(&table, true, grid);
            let (without, _others) = engine_over(&table, false, grid);
            for on in [false, true] {
                let filters = std::iter::once(None).chain(FILTERS.map(Some));
                for (at, filter) in filters.enumerate() {
                    for sql in QUERIES.iter().skip((idx + at) % 4).step_by(4) {
                        let sql = match filter {
                            None => (*sql).to_owned(),
                            Some(filter) => sql.replace("FROM t", &format!("FROM t WHERE {filter}")),
                        };
                        let sql = format!("SET enableNullHandling = {on}; {sql}");
                        let (expected, _) = ask(&without, &sql);
                        let (found, _) = ask(&with_ids, &sql);
                        prop_assert_eq!(found, expected, "{:?} {}", grid, sql);
                    }
                }
            }
        }
    }
}

/// Rows of a table that has every value in every row group.
fn steady(count: u32) -> RecordBatch {
    let row = |at: u32| Row {
        a: (!at.is_multiple_of(5)).then(|| i32::try_from(at % 25).unwrap()),
        b: Some(i64::from(at % 3)),
        f: Some(f64::from(at % 4) / 8.0),
        s: ["x", "y", "null"].get(at as usize % 4).copied(),
        u: at % 60,
        w: Some(true),
    };
    record(&(0..count).map(row).collect::<Vec<_>>())
}

#[test]
fn rows_are_folded_as_ids_where_they_are_stored_so() {
    let table = steady(1200);
    for grid in [(1 << 20, 1 << 14, 1, 8192, 1), (300, 50, 2, 128, 2)] {
        let (engine, _files) = engine_over(&table, true, grid);
        for sql in QUERIES {
            // Booleans have no dictionary, and the last one wants four rows only.
            let by_ids = match sql.contains('w') || sql.contains("LIMIT 4") {
                true => continue,
                false => ask(&engine, sql).1,
            };
            assert_eq!(by_ids, 1200, "{sql}");
            let some = sql.replace("FROM t", "FROM t WHERE b = 1");
            assert_eq!(ask(&engine, &some).1, 400, "{some}");
        }
    }
}

#[test]
fn what_needs_more_than_ids_is_read_as_arrays() {
    let (engine, _files) = engine_over(&steady(1200), true, (300, 50, 1, 128, 2));
    for sql in [
        "SELECT ARRAYAGG(a, 'INT') FROM t",
        "SELECT FIRSTWITHTIME(a, b, 'INT') FROM t",
        "SELECT SUM(a + 1) FROM t",
        "SELECT SUM(a) FILTER (WHERE b = 1) FROM t",
        "SELECT UPPER(s), COUNT(*) FROM t GROUP BY UPPER(s)",
    ] {
        assert_eq!(ask(&engine, sql).1, 0, "{sql}");
    }
    assert_eq!(rows(&engine, "SELECT COUNT(*) FROM t"), [[1200]]);
}

#[test]
fn what_the_footer_tells_is_not_read() {
    let (engine, _files) = engine_over(&steady(1200), false, (300, 50, 2, 128, 2));
    for (sql, unread) in [
        (
            "SELECT COUNT(*), COUNT(a), MIN(b), MAX(a), MINMAXRANGE(a) FROM t",
            1200,
        ),
        ("SELECT MINSTRING(s), MAXSTRING(u), BOOLAND(w) FROM t", 1200),
        ("SELECT MAX(b) FROM t WHERE b < 10", 1200),
        ("SELECT MAX(b), SUM(b) FROM t", 0),
        ("SELECT MAX(b) FROM t WHERE b < 2", 0),
        ("SELECT COUNT(DISTINCT s) FROM t", 0),
        ("SELECT MAX(a), COUNT(*) FROM t GROUP BY s", 0),
    ] {
        for on in [false, true] {
            let sql = format!("SET enableNullHandling = {on}; {sql}");
            assert_eq!(ask(&engine, &sql).1, unread, "{sql}");
        }
    }
}
