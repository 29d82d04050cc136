//! T44: while schemas change, are synced and reloaded by the server itself, no query fails, none is
//! partial, and each has the one right answer of a version that was served while it ran.
//!
//! `GROWLER_RACE_QUERIES` says how many are asked, `GROWLER_RACE_SEGMENTS` of how many files. One in a
//! hundred goes over HTTP.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use growler_exec::{Engine, EngineOptions, reload::IndexStore};
use growler_server::{Backend, EngineBackend, IndexSettings, QueryRequest};
use serde_json::{Value, json};

use self::model::{COLUMNS, Expected, History, QUESTIONS, question};
use crate::client::Running;
use crate::lake::{Cells, Lake};

mod model;

/// Threads that ask.
const ASKING: usize = 2;
/// One question in so many goes over HTTP.
const OVER_HTTP: usize = 100;
/// Questions that are asked at least between two changes of the table.
const BETWEEN: usize = 25;

fn setting(name: &str, default: usize) -> usize {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What was asked and what came of it.
#[derive(Default)]
struct Tally {
    asked: AtomicUsize,
    over_http: AtomicUsize,
    failures: Mutex<Vec<String>>,
}

/// How far the table is, in versions that may be served: see [`History`].
#[derive(Default)]
struct Reached {
    /// Served for certain.
    at_least: AtomicUsize,
    /// Perhaps served.
    at_most: AtomicUsize,
    /// Asking is over.
    over: AtomicBool,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t44_no_query_fails_while_schemas_change_and_segments_are_reloaded() {
    let (queries, segments) = (
        setting("GROWLER_RACE_QUERIES", 250),
        setting("GROWLER_RACE_SEGMENTS", 40),
    );
    let data = tempfile::tempdir().unwrap();
    let engine = Engine::new(EngineOptions::default()).unwrap();
    let indexes = IndexStore::Folder(data.path().join("indexes"));
    let backend = EngineBackend::new(engine).with_indexes(indexes, &IndexSettings::default());
    let config = json!({"dataDir": "data"});
    let server = Running::start_with(&config, data.path(), Arc::new(backend)).await;
    let (tally, started) = (Arc::new(Tally::default()), Instant::now());
    let (mut tables, mut reloads) = (0, 0);
    while tally.asked.load(Ordering::Relaxed) < queries {
        let between = queries.div_ceil(COLUMNS * 2).clamp(BETWEEN, 300);
        reloads += one_table(&server, &format!("t{tables}"), segments, between, &tally).await;
        tables += 1;
    }
    let asked = tally.asked.load(Ordering::Relaxed);
    let over_http = tally.over_http.load(Ordering::Relaxed);
    let failures = tally.failures.lock().unwrap().clone();
    eprintln!(
        "queries={asked} over_http={over_http} failed_partial_or_wrong={} segments={segments} \
         tables={tables} widenings={} segments_reloaded={reloads} seconds={:.0}",
        failures.len(),
        tables * COLUMNS,
        started.elapsed().as_secs_f64()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(reloads >= segments, "reloads ran: {reloads}");
    server.stop().await;
}

/// Takes one table through all of its changes while it is asked; returns how many segments were
/// reloaded.
async fn one_table(
    server: &Running<EngineBackend>,
    table: &str,
    segments: usize,
    between: usize,
    tally: &Arc<Tally>,
) -> usize {
    let mut lake = Lake::new(&columns(&[], &[]));
    let mut history = History::new(segments);
    let files = history.files().iter();
    let files: Vec<_> = files.map(|f| lake.write(&cells(f, &[], &[]))).collect();
    lake.commit(|live| live.extend(files));
    create(server, table, &lake).await;
    sync(server, table, "first").await;
    let versions = history.plan();
    let reached = Arc::new(Reached::default());
    let expected = Arc::new(Mutex::new(HashMap::new()));
    let asking: Vec<_> = (0..ASKING)
        .map(|thread| {
            let (reached, tally, expected) = (reached.clone(), tally.clone(), expected.clone());
            let (engine, versions) = (server.engine.clone(), versions.clone());
            let (table, address) = (table.to_owned(), server.address);
            let asker = Asker {
                table,
                address,
                engine,
                versions,
                reached,
                tally,
                expected,
            };
            tokio::task::spawn_blocking(move || asker.ask_until_over(thread))
        })
        .collect();
    let (mut widened, mut renamed) = (Vec::new(), Vec::new());
    for step in 0..COLUMNS * 2 {
        until(tally, between).await;
        match step % 2 {
            0 => widened.push(step / 2),
            _ => renamed.push(step / 2),
        }
        lake.alter(&columns(&widened, &renamed));
        let file = history.next(step);
        lake.append(&cells(&file, &widened, &renamed));
        reached.at_most.store(2 * step + 2, Ordering::SeqCst);
        sync(server, table, &format!("s{step}")).await;
        reached.at_least.store(2 * step + 2, Ordering::SeqCst);
        // Somebody asks for a reload too.
        server
            .call("POST", &format!("/segments/{table}/reload"), &Value::Null)
            .await;
    }
    until(tally, between).await;
    reached.over.store(true, Ordering::SeqCst);
    for asking in asking {
        asking.await.unwrap();
    }
    let reloaded = reloaded(server, table).await;
    let dropped = server
        .call("DELETE", &format!("/tables/{table}"), &Value::Null)
        .await;
    assert_eq!(dropped.status, 200, "{}", dropped.body);
    reloaded
}

/// Waits until some more questions were asked.
async fn until(tally: &Tally, more: usize) {
    let until = tally.asked.load(Ordering::Relaxed) + more;
    while tally.asked.load(Ordering::Relaxed) < until {
        let failures = tally.failures.lock().unwrap().clone();
        assert!(failures.len() < 5, "{}", failures.join("\n"));
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
}

async fn create(server: &Running<EngineBackend>, table: &str, lake: &Lake) {
    let task = json!({"catalogType": "iceberg-folder", "path": lake.location(), "executor": "controller",
        "enabled": "true", "refreshInterval": "1d", "schemaEvolution.enabled": "true",
        "schemaEvolution.typeWidening.enabled": "true"});
    let indexed = (0..COLUMNS).map(|k| {
        json!({"name": format!("q{k}"), "encodingType": "RAW",
            "indexes": {"inverted": {}, "range": {}}})
    });
    let config = json!({"tableName": table, "tableType": "OFFLINE",
        "fieldConfigList": indexed.collect::<Vec<_>>(),
        "task": {"taskTypeConfigsMap": {"ExternalTableSyncTask": task}}});
    let added = server.call("POST", "/tables", &config).await;
    assert_eq!(added.status, 200, "{}", added.body);
}

async fn sync(server: &Running<EngineBackend>, table: &str, name: &str) {
    let name = format!("{table}-{name}");
    let asked = json!({"taskType": "ExternalTableSyncTask", "tableName": table, "taskName": name});
    let asked = server.call("POST", "/tasks/execute", &asked).await;
    // A run that waits already, as the first of a new table does, is as good.
    let task = asked.json()[format!("{table}_OFFLINE")].clone();
    let task = task
        .as_str()
        .unwrap_or_else(|| panic!("{}", asked.body))
        .to_owned();
    loop {
        let state = server.get(&format!("/tasks/task/{task}/state")).await;
        match state.json().as_str() {
            Some("NOT_STARTED" | "IN_PROGRESS") => {
                tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            }
            Some("COMPLETED") => return,
            _ => {
                let debug = server.get(&format!("/tasks/task/{task}/debug")).await;
                panic!("{task}: {}", debug.body);
            }
        }
    }
}

/// Counts the segments that the jobs of a table brought to an end.
async fn reloaded(server: &Running<EngineBackend>, table: &str) -> usize {
    let jobs = server.get(&format!("/table/{table}/jobs")).await.json();
    let mut count = 0;
    for (id, job) in jobs.as_object().unwrap() {
        let status = server
            .get(&format!("/segments/segmentReloadStatus/{id}"))
            .await;
        let status = status.json();
        let done = status["successCount"].as_u64();
        count += done.unwrap_or_else(|| panic!("{job}: {status}"));
    }
    usize::try_from(count).unwrap()
}

/// The source's columns, when some were widened and some renamed; with each rename one comes.
fn columns(widened: &[usize], renamed: &[usize]) -> Vec<(i32, &'static str, &'static str)> {
    let mut columns = vec![(1, "id", "long")];
    for k in 0..COLUMNS {
        let name = if renamed.contains(&k) {
            model::RENAMED[k]
        } else {
            model::NAMES[k]
        };
        let kind = if widened.contains(&k) { "long" } else { "int" };
        columns.push((i32::try_from(10 + k).unwrap(), name, kind));
    }
    for k in renamed {
        columns.push((i32::try_from(50 + k).unwrap(), model::ADDED[*k], "int"));
    }
    columns
}

fn cells(file: &model::File, widened: &[usize], renamed: &[usize]) -> Vec<(&'static str, Cells)> {
    let ints = |values: Vec<i64>| {
        let narrow = values
            .into_iter()
            .map(|value| i32::try_from(value).unwrap());
        Cells::Int(narrow.collect())
    };
    let mut cells = vec![("id", Cells::Long(file.ids()))];
    for k in 0..COLUMNS {
        let name = if renamed.contains(&k) {
            model::RENAMED[k]
        } else {
            model::NAMES[k]
        };
        let values = file.values(k);
        let values = if widened.contains(&k) {
            Cells::Long(values)
        } else {
            ints(values)
        };
        cells.push((name, values));
    }
    for k in renamed {
        cells.push((model::ADDED[*k], ints(file.added())));
    }
    cells
}

/// Right answers by version, question and column.
type Answers = HashMap<(usize, usize, usize), Arc<Expected>>;

/// One who asks, again and again.
struct Asker {
    table: String,
    address: std::net::SocketAddr,
    engine: Arc<EngineBackend>,
    versions: Arc<Vec<model::Version>>,
    reached: Arc<Reached>,
    tally: Arc<Tally>,
    expected: Arc<Mutex<Answers>>,
}

impl Asker {
    fn ask_until_over(&self, thread: usize) {
        let mut turn = thread * 3;
        while !self.reached.over.load(Ordering::SeqCst) {
            turn += 1;
            let from = self.reached.at_least.load(Ordering::SeqCst);
            // The column that changes now, and now and then another.
            let column = match turn % 5 {
                0 => turn / 5 % COLUMNS,
                _ => (from / 4).min(COLUMNS - 1),
            };
            let about = turn % QUESTIONS;
            let sql = question(about, column, &self.table);
            let over_http = turn.is_multiple_of(OVER_HTTP);
            let answer = if over_http {
                self.over_http(&sql)
            } else {
                self.in_process(&sql)
            };
            let to = self.reached.at_most.load(Ordering::SeqCst);
            let is_right = |version: usize| *self.expected(version, about, column) == answer;
            if !(from..=to).any(is_right) {
                let wanted: Vec<_> = (from..=to)
                    .map(|v| self.expected(v, about, column))
                    .collect();
                let mut failures = self.tally.failures.lock().unwrap();
                failures.push(format!(
                    "{sql}\n  versions {from}..={to}\n  {answer:?}\n  {wanted:?}"
                ));
            }
            self.tally.asked.fetch_add(1, Ordering::Relaxed);
            self.tally
                .over_http
                .fetch_add(usize::from(over_http), Ordering::Relaxed);
        }
    }

    fn expected(&self, version: usize, about: usize, column: usize) -> Arc<Expected> {
        let key = (version, about, column);
        if let Some(known) = self.expected.lock().unwrap().get(&key) {
            return known.clone();
        }
        let found = Arc::new(self.versions[version].answer(about, column));
        self.expected.lock().unwrap().insert(key, found.clone());
        found
    }

    fn in_process(&self, sql: &str) -> Expected {
        let request = QueryRequest {
            sql: sql.to_owned(),
            options: String::new(),
        };
        let response = self.engine.query(&request, &Default::default());
        Expected::of(&serde_json::from_slice(&response.to_json()).unwrap())
    }

    fn over_http(&self, sql: &str) -> Expected {
        let body = json!({"sql": sql}).to_string();
        let request = crate::client::request("POST", "/query/sql", "", &body);
        let handle = tokio::runtime::Handle::current();
        let answer = handle.block_on(crate::client::send(self.address, request.as_bytes()));
        Expected::of(&answer.json())
    }
}
