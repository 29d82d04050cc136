//! A disk that is full while a server follows a source: the run says so, the old view serves on, and once
//! there is room the next run succeeds.

use std::fs;
use std::path::Path;

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::Value;

use crate::external::{Table, ddl, growler, rows};
use crate::growler::Failure;
use crate::reload_full::scripted;
use crate::server::Server;

#[test]
fn a_store_that_may_not_grow_is_an_error_of_the_run() -> Result<(), Failure> {
    let table = Table::copy()?;
    let folder = tempfile::tempdir()?;
    let data = folder.path().to_string_lossy().into_owned();
    let arguments = ["serve", "-l", "127.0.0.1:0", "--data-dir", &data];
    // Ignored, the signal leaves an error as of a full disk.
    let script = "trap '' XFSZ; exec \"$0\" \"$@\"";
    let server = Server::start_by(scripted(&[], script, &arguments))?;
    let create = format!(
        "CREATE EXTERNAL TABLE orders_ext WITH (type = 'iceberg', catalog_type = 'folder', path = '{}', \
         enabled = true, refresh_interval = '1h', schema_evolution.enabled = true, \
         schema_evolution.type_widening.enabled = true)",
        table.path().display()
    );
    assert_eq!(ddl(&server, &create)?.0, 201);
    let synced = growler(&server, &["sync", "orders_ext"])?;
    assert_eq!(synced.code, Some(0), "{synced:?}");
    let sql = "SELECT id, qty FROM orders_ext ORDER BY id";
    let before = rows(&server, sql)?;

    table.advance(1)?;
    let limit = |current: Option<u64>| -> Result<(), Failure> {
        let process = i32::try_from(server.id()).ok().and_then(Pid::from_raw);
        let maximum = None;
        prlimit(process, Resource::Fsize, Rlimit { current, maximum })?;
        Ok(())
    };
    limit(Some(smallest(folder.path())?))?;
    let failed = growler(&server, &["sync", "orders_ext"])?;
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert_eq!(rows(&server, sql)?, before, "the old view serves on");
    let path = "GET /tables/orders_ext/externalTable/status";
    let status = server.json(path, &Value::Null)?;
    assert_eq!(status["lastTask"]["taskState"], "FAILED", "{status}");
    let error = status["lastTask"]["error"].as_str().ok_or("no error")?;
    assert!(
        error.contains("growler.db") || error.contains("disk"),
        "{error}"
    );

    limit(None)?;
    let synced = growler(&server, &["sync", "orders_ext"])?;
    assert_eq!(synced.code, Some(0), "{synced:?}");
    assert_ne!(rows(&server, sql)?, before);
    Ok(())
}

/// The length of the shortest file of the store: none may grow beyond it.
fn smallest(folder: &Path) -> Result<u64, Failure> {
    let mut smallest = 4096;
    for entry in fs::read_dir(folder)? {
        let length = entry?.metadata()?.len();
        smallest = smallest.min(length.max(1));
    }
    Ok(smallest)
}
