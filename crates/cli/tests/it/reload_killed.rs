//! A server that is killed while it reloads: whatever is on disk then must load and answer right.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::copies::{FILTERS, answers, config, copy_samples};
use crate::growler::Failure;
use crate::server::Server;

const COPIES: usize = 6;
const KILLS: u32 = 10;
const KINDS: [&str; 4] = ["dictionary", "inverted", "range", "bloom"];

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
    let segment_count = copy_samples(&source, COPIES)?;
    let data = folder.path().join("data");
    let data_dir = data.to_string_lossy().into_owned();
    let arguments = ["serve", "-l", "127.0.0.1:0", "--data-dir", &data_dir];

    let server = Server::start(&arguments)?;
    server.json("POST /tables", &config(&source, &KINDS))?;
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
