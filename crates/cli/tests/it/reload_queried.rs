//! Queries while a table's indexes come, change and go: every answer is that of the plain scan.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

use crate::copies::{answers, config, copy_samples};
use crate::growler::Failure;
use crate::server::Server;

const COPIES: usize = 4;
const CLIENTS: usize = 2;
/// Configs that follow each other.
const KINDS: [&[&str]; 4] = [
    &["dictionary", "inverted"],
    &["dictionary", "range", "bloom"],
    &["dictionary", "inverted", "range", "bloom"],
    &["dictionary", "inverted"],
];

#[test]
fn answers_stay_the_same_while_indexes_change() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("files");
    copy_samples(&source, COPIES)?;
    let file = folder.path().join("server.json");
    let settings = json!({"listen": "127.0.0.1:0", "dataDir": "data", "shadowVerify": 1});
    fs::write(&file, settings.to_string())?;
    let server = Server::start(&["serve", "--config", &file.to_string_lossy()])?;
    server.json("POST /tables", &config(&source, KINDS[0]))?;
    let expected = answers(&server, "SET skipIndexes='*'; ")?;

    let (is_over, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    let ask = || {
        while !is_over.load(Ordering::Relaxed) {
            let found = answers(&server, "").map_err(|error| error.to_string())?;
            assert_eq!(found, expected);
            asked.fetch_add(1, Ordering::Relaxed);
        }
        Ok::<(), String>(())
    };
    thread::scope(|scope| -> Result<(), Failure> {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(ask)).collect();
        let changed = change(&server, &source);
        is_over.store(true, Ordering::Relaxed);
        for client in clients {
            client.join().map_err(|_| "a client panicked")??;
        }
        changed
    })?;
    assert!(asked.load(Ordering::Relaxed) > 0);
    check_shadow(&server)
}

/// Takes the table through all configs, reloading after each.
fn change(server: &Server, source: &std::path::Path) -> Result<(), Failure> {
    for kinds in KINDS {
        server.json("PUT /tables/t", &config(source, kinds))?;
        let job = server.reload("/segments/t/reload")?;
        let status = server.wait_reloaded(&job)?;
        assert_eq!(status["status"], "COMPLETED", "{status}");
    }
    Ok(())
}

/// No answer differed from the one by scan; where there was time, it was looked at.
fn check_shadow(server: &Server) -> Result<(), Failure> {
    let compared = "growler_shadow_queries_total{result=\"same\"} ";
    loop {
        let metrics = server.request("GET /metrics", "")?;
        let counter = |name: &str| metrics.lines().find_map(|line| line.strip_prefix(name));
        assert_eq!(counter("growler_shadow_mismatches_total "), Some("0"));
        if counter(compared).is_some() {
            return Ok(());
        }
        server
            .json(
                "POST /query/sql",
                &json!({"sql": "SELECT COUNT(*) FROM t WHERE props['session'] = 's-1'"}),
            )
            .map(|_: Value| ())?;
    }
}
