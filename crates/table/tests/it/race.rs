//! T44: while a widening is synced and reloaded, no query fails, none is partial, all see one type.
//!
//! `GROWLER_RACE_QUERIES` says how many are asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use growler_exec::{Engine, Request};
use growler_table::store::RunState;
use serde_json::Value;

use crate::lake::{Cells, Lake};
use crate::world::{Script, World};

const OLD_FILES: i64 = 50;
const ROWS: i64 = 8;

/// What a question must answer, by how many rows of the new file are seen.
type Check = fn(&[Vec<Value>], &[String]) -> bool;

const QUESTIONS: [(&str, Check); 7] = [
    (
        "SELECT qty, id FROM orders_ext ORDER BY qty DESC, id LIMIT 5",
        |rows, types| {
            rows.len() == 5
                && (types[0] == "LONG") >= (rows[0][0].as_i64() > Some(i64::from(i32::MAX)))
        },
    ),
    (
        "SELECT qty, COUNT(*) FROM orders_ext GROUP BY qty ORDER BY qty LIMIT 1000",
        |rows, _| {
            let counted: i64 = rows.iter().map(|row| row[1].as_i64().unwrap()).sum();
            rows.len() >= usize::try_from(ROWS).unwrap() && (counted - OLD_FILES * ROWS) % ROWS == 0
        },
    ),
    (
        "SELECT DISTINCT qty FROM orders_ext LIMIT 1000",
        |rows, _| rows.len() >= usize::try_from(ROWS).unwrap(),
    ),
    ("SELECT qty FROM orders_ext LIMIT 100000", |rows, _| {
        (i64::try_from(rows.len()).unwrap() - OLD_FILES * ROWS) % ROWS == 0
    }),
    (
        "SELECT SUM(qty), COUNT(*), MIN(qty) FROM orders_ext",
        |rows, _| (rows[0][1].as_i64().unwrap() - OLD_FILES * ROWS) % ROWS == 0,
    ),
    (
        "SELECT COUNT(*) FROM orders_ext WHERE qty >= 5000000000",
        |rows, _| rows[0][0].as_i64().unwrap() % ROWS == 0,
    ),
    (
        "SELECT qty, SUM(id) FROM orders_ext GROUP BY qty HAVING SUM(id) > 10 ORDER BY SUM(id) DESC LIMIT 7",
        |rows, _| rows.len() == 7,
    ),
];

#[test]
fn t44_no_query_fails_while_types_widen() {
    let wanted = std::env::var("GROWLER_RACE_QUERIES")
        .ok()
        .and_then(|text| text.parse().ok());
    let wanted: u64 = wanted.unwrap_or(3_000);
    let failures = AtomicU64::new(0);
    let asked = AtomicU64::new(0);
    let mut rounds = 0;
    while asked.load(Ordering::Relaxed) < wanted {
        rounds += 1;
        round(&asked, &failures, wanted);
    }
    let (asked, failures) = (asked.into_inner(), failures.into_inner());
    eprintln!("queries={asked} failed_or_partial={failures} widenings={rounds}");
    assert_eq!(failures, 0);
}

/// One table, widened once while questions are asked.
fn round(asked: &AtomicU64, failures: &AtomicU64, wanted: u64) {
    let mut lake = Lake::new(&[(1, "id", "long"), (2, "qty", "int")]);
    let values = |from: i64| (from..from + ROWS).collect::<Vec<i64>>();
    let ints = |from: i64| {
        values(from)
            .iter()
            .map(|v| i32::try_from(*v).unwrap())
            .collect()
    };
    for file in 0..OLD_FILES {
        lake.append(&[
            ("id", Cells::Long(values(file))),
            ("qty", Cells::Int(ints(file))),
        ]);
    }
    let script = Arc::new(Script::default());
    *script.metadata_file.lock().unwrap() = lake.metadata_file();
    let folder = tempfile::tempdir().unwrap();
    let world = World::new(folder.path(), script.clone());
    world.evolve();
    assert_eq!(world.run().state, RunState::Completed);
    let (done, exec) = (AtomicBool::new(false), &world.serving.exec);
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let done = &done;
            scope.spawn(move || {
                for question in (thread..).map(|idx: usize| &QUESTIONS[idx % QUESTIONS.len()]) {
                    if done.load(Ordering::Relaxed) {
                        break;
                    }
                    if !is_right(exec, question) {
                        failures.fetch_add(1, Ordering::Relaxed);
                    }
                    asked.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let until = (asked.load(Ordering::Relaxed) + 100).min(wanted);
        wait(asked, until);
        lake.alter(&[(1, "id", "long"), (2, "qty", "long")]);
        for file in 0..10 {
            let far = values(5_000_000_000 + file);
            lake.append(&[("id", Cells::Long(values(file))), ("qty", Cells::Long(far))]);
            *script.metadata_file.lock().unwrap() = lake.metadata_file();
            assert_eq!(world.run().state, RunState::Completed);
            // What a reload does: the same view, registered anew.
            let view = exec.view("orders_ext").unwrap();
            exec.register(view.with_segment_indexes(0, None));
            wait(asked, (asked.load(Ordering::Relaxed) + 100).min(wanted));
        }
        done.store(true, Ordering::Relaxed);
    });
}

fn wait(asked: &AtomicU64, until: u64) {
    while asked.load(Ordering::Relaxed) < until {
        std::thread::yield_now();
    }
}

fn is_right(exec: &Engine, (sql, check): &(&str, Check)) -> bool {
    let outcome = exec.query(sql, &Request::default());
    if let Some(error) = outcome.error {
        eprintln!("{sql}: {error}");
        return false;
    }
    let statistics = &outcome.response.statistics;
    let whole = statistics.num_segments_queried >= u64::try_from(OLD_FILES).unwrap();
    let table = outcome.response.result_table.unwrap();
    let types: Vec<String> = table.types.iter().map(|column| column.name()).collect();
    let mut json = Vec::new();
    table.write_json_rows(&mut json).unwrap();
    let rows: Vec<Vec<Value>> = serde_json::from_slice(&json).unwrap();
    let right = whole && check(&rows, &types);
    if !right {
        eprintln!("{sql}: wrong answer rows={} types={types:?}", rows.len());
    }
    right
}
