//! A server that is killed while it reloads: whatever is on disk then must load and answer right.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::growler::{Failure, root};
use crate::server::Server;

const COPIES: usize = 6;
const KILLS: u32 = 10;
/// Each is typed in some of the files.
const KEYS: [&str; 5] = [
    "page_type",
    "latency_ms",
    "device.os",
    "user_tier",
    "session",
];
const FILTERS: [&str; 5] = [
    // Text in one of the files, so that the others' numbers are read as they are written.
    "props['latency_ms'] >= 100",
    "props['page_type'] = 'HOME'",
    "props['user_tier'] = 'gold'",
    "props['device.os'] <> 'ios'",
    "props['session'] IS NULL",
];

/// Copies the five sample files, each shredded differently, to make a reload of some length.
fn copy_samples(folder: &Path) -> Result<usize, Failure> {
    fs::create_dir_all(folder)?;
    let mut count = 0;
    for entry in fs::read_dir(root().join("testdata/spark/perfile"))? {
        let path = entry?.path();
        if path
            .extension()
            .is_none_or(|extension| extension != "parquet")
        {
            continue;
        }
        for copy in 0..COPIES {
            let name = path.file_name().ok_or("no name")?.to_string_lossy();
            fs::copy(&path, folder.join(format!("{copy}-{name}")))?;
            count += 1;
        }
    }
    Ok(count)
}

fn config(path: &Path) -> Value {
    let all = json!({"dictionary": {}, "inverted": {}, "range": {}, "bloom": {}});
    let key = |name: &str| json!({"name": name, "encodingType": "RAW", "indexes": all});
    json!({
        "tableName": "t",
        "source": {"path": path},
        "fieldConfigList": [{
            "name": "props",
            "encodingType": "RAW",
            "indexes": {"open_struct": {
                "valueFieldConfigs": KEYS.map(key),
                "sparseFieldConfig": {"name": "props$__sparse__", "indexes": {"json": {}}},
            }},
        }],
    })
}

fn answers(server: &Server, prefix: &str) -> Result<Vec<Value>, Failure> {
    let ask = |filter: &&str| {
        let sql = format!("{prefix}SELECT COUNT(*), MIN(ts), MAX(ts) FROM t WHERE {filter}");
        Ok(server.answer(&sql)?["resultTable"]["rows"].clone())
    };
    FILTERS.iter().map(ask).collect()
}

/// Lists what is below a folder, files only.
fn files(folder: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.insert(path);
        }
    }
    Ok(found)
}

#[test]
fn a_kill_at_any_point_of_a_reload_leaves_a_state_that_loads() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("files");
    let segment_count = copy_samples(&source)?;
    let data = folder.path().join("data");
    let data_dir = data.to_string_lossy().into_owned();
    let arguments = ["serve", "-l", "127.0.0.1:0", "--data-dir", &data_dir];

    let server = Server::start(&arguments)?;
    server.json("POST /tables", &config(&source))?;
    let expected = answers(&server, "")?;
    let started = Instant::now();
    let job = server.reload("/segments/t/reload")?;
    assert_eq!(server.wait_reloaded(&job)?["successCount"], segment_count);
    let whole = started.elapsed();
    assert_eq!(answers(&server, "")?, expected);
    server.kill()?;
    let complete = files(&data)?;
    fs::remove_dir_all(data.join("segments"))?;

    for kill in 0..KILLS {
        let server = Server::start(&arguments)?;
        assert_eq!(answers(&server, "")?, expected, "after {kill} kills");
        // From nothing the first half of the time, over what is there the other half.
        let force = if kill % 2 == 1 {
            "?forceDownload=true"
        } else {
            ""
        };
        server.reload(&format!("/segments/t/reload{force}"))?;
        thread::sleep(moment(whole, kill));
        server.kill()?;
    }

    let server = Server::start(&arguments)?;
    assert_eq!(answers(&server, "")?, expected);
    let job = server.reload("/segments/t/reload")?;
    let status = server.wait_reloaded(&job)?;
    assert_eq!(status["status"], "COMPLETED", "{status}");
    assert_eq!(answers(&server, "")?, expected);
    assert_eq!(answers(&server, "SET skipIndexes='*'; ")?, expected);
    check_done(&server, &status, segment_count)?;
    assert_eq!(files(&data)?, complete, "leftovers of the kills");
    Ok(())
}

/// Spreads the kills over the time that a whole reload takes, each somewhere else.
fn moment(whole: Duration, kill: u32) -> Duration {
    let golden = 0.618_033_988_75;
    whole.mul_f64((f64::from(kill) * golden).fract())
}

/// A reload over what a complete one left does nothing, and the filters are served.
fn check_done(server: &Server, status: &Value, segment_count: usize) -> Result<(), Failure> {
    assert_eq!(status["successCount"], segment_count);
    let job = server.reload("/segments/t/reload")?;
    let status = server.wait_reloaded(&job)?;
    let segments = status["segments"].as_array().ok_or("no segments")?;
    let changed = segments.iter().filter(|segment| segment["changed"] == true);
    assert_eq!(changed.count(), 0, "{status}");
    for filter in &FILTERS[1..] {
        let sql = format!("SELECT COUNT(*) FROM t WHERE {filter}");
        let answer = server.answer(&sql)?;
        assert_eq!(answer["numEntriesScannedInFilter"], 0, "{sql}");
    }
    Ok(())
}
