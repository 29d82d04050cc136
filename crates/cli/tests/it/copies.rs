//! A table of many files, each shredded in one of five ways.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::growler::{Failure, root};
use crate::server::Server;

/// Each is typed in some of the files.
const KEYS: [&str; 5] = [
    "page_type",
    "latency_ms",
    "device.os",
    "user_tier",
    "session",
];
/// Filters of many kinds.
pub const FILTERS: [&str; 5] = [
    // Text in one of the files, so that the others' numbers are read as they are written.
    "props['latency_ms'] >= 100",
    "props['page_type'] = 'HOME'",
    "props['user_tier'] = 'gold'",
    "props['device.os'] <> 'ios'",
    "props['session'] IS NULL",
];

/// Copies the five sample files, each shredded differently, to make a reload of some length.
pub fn copy_samples(folder: &Path, copies: usize) -> Result<usize, Failure> {
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
        for copy in 0..copies {
            let name = path.file_name().ok_or("no name")?.to_string_lossy();
            fs::copy(&path, folder.join(format!("{copy}-{name}")))?;
            count += 1;
        }
    }
    Ok(count)
}

/// Makes the config of a table `t` with these kinds of index on every key, and on what is not typed.
pub fn config(path: &Path, kinds: &[&str]) -> Value {
    let kinds: Map<String, Value> = kinds
        .iter()
        .map(|kind| ((*kind).to_owned(), json!({})))
        .collect();
    let key = |name: &str| json!({"name": name, "encodingType": "RAW", "indexes": kinds});
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

/// Asks for rows by each of the filters.
pub fn answers(server: &Server, prefix: &str) -> Result<Vec<Value>, Failure> {
    let ask = |filter: &&str| {
        let sql = format!("{prefix}SELECT COUNT(*), MIN(ts), MAX(ts) FROM t WHERE {filter}");
        Ok(server.answer(&sql)?["resultTable"]["rows"].clone())
    };
    FILTERS.iter().map(ask).collect()
}
