//! A query's limits hold for what its indexes are asked, too.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array};
use growler_exec::{Engine, EngineOptions, Error, Request, View};

use super::harness::inverted;
use crate::generate::{Cut, Files, batch, ints};
use crate::indexing::{Wanted, build};
use crate::support::run;

const ROWS: i64 = 100_000;

fn files() -> Files {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS));
    let parts: Vec<_> = (0..ROWS).map(|id| i32::try_from(id % 7).ok()).collect();
    Files::new(
        &[batch(vec![("id", ids), ("part", ints(&parts))])],
        Cut::default(),
    )
}

fn indexed(files: &Files, folder: &tempfile::TempDir) -> View {
    let view = files.view("t");
    let wanted = ["id", "part"].map(|column| Wanted::new(column, None, inverted()));
    let indexes = build(&view, 0, &wanted, Vec::new(), folder.path());
    view.with_indexes(vec![Some(indexes)])
}

#[test]
fn rows_that_indexes_find_are_within_the_memory_budget() {
    let (files, folder) = (files(), tempfile::tempdir().unwrap());
    let odd: Vec<String> = (0..ROWS / 400).map(|id| (id * 2).to_string()).collect();
    let cases = [
        ("part = 3 OR id = 5".to_owned(), 5_000),
        (format!("id IN ({}) AND part < 9", odd.join(",")), 2_000),
        ("part IS NULL OR NOT part = 1 OR id = 3".to_owned(), 5_000),
    ];
    for (filter, memory_bytes) in cases {
        let sql = format!("SELECT COUNT(*) FROM t WHERE {filter}");
        let asked = |memory_bytes: usize| {
            let options = EngineOptions {
                threads: 1,
                memory_bytes,
                ..EngineOptions::default()
            };
            let engine = Engine::new(options).unwrap();
            engine.register(indexed(&files, &folder));
            run(&engine, &sql).error
        };
        assert_eq!(asked(200_000), None, "{filter}");
        let refused = asked(memory_bytes);
        let is_right = matches!(
            refused,
            Some(Error::Memory { budget_bytes, purpose: "index look-ups", .. })
                if budget_bytes == memory_bytes
        );
        assert!(is_right, "{filter} {refused:?}");
    }
}

#[test]
fn values_of_a_dictionary_are_within_the_memory_budget() {
    let (files, folder) = (files(), tempfile::tempdir().unwrap());
    let options = EngineOptions {
        threads: 1,
        memory_bytes: 100_000,
        ..EngineOptions::default()
    };
    let engine = Engine::new(options).unwrap();
    engine.register(indexed(&files, &folder));
    let outcome = engine.query("SELECT DISTINCTCOUNT(id) FROM t", &Request::default());
    assert!(
        matches!(outcome.error, Some(Error::Memory { .. })),
        "{:?}",
        outcome.error
    );
}
