//! The path of the seed's pages: create the table, configure indexes, reload, confirm, verify.

use serde_json::{Value, json};

use crate::growler::{Failure, root};
use crate::server::Server;

pub const TABLE: &str = "events_variant";
/// The seed's filters: an inverted index, a range index, the index of the remainder.
const SERVED: [(&str, i64); 3] = [
    ("props['page_type'] = 'HOME'", 1),
    ("props['latency_ms'] >= 100", 2),
    ("props['user_tier'] = 'gold'", 1),
];

pub fn count(filter: &str) -> String {
    format!("SELECT COUNT(*) FROM {TABLE} WHERE {filter}")
}

/// Returns the count and the values that the filter read.
pub fn ask(server: &Server, sql: &str) -> Result<(Value, u64), Failure> {
    let answer = server.answer(sql)?;
    let scanned = answer["numEntriesScannedInFilter"].as_u64();
    let count = answer["resultTable"]["rows"][0][0].clone();
    Ok((count, scanned.ok_or("no counter")?))
}

pub fn check_served(server: &Server) -> Result<(), Failure> {
    for (filter, expected) in SERVED {
        let sql = count(filter);
        assert_eq!(ask(server, &sql)?, (json!(expected), 0), "{sql}");
        let scan = format!("SET skipIndexes='*'; {sql}");
        let (rows, _) = ask(server, &scan)?;
        assert_eq!(rows, json!(expected), "{scan}");
    }
    let scan = format!("SET skipIndexes='*'; {}", count(SERVED[2].0));
    assert!(ask(server, &scan)?.1 > 0, "{scan}");
    Ok(())
}

/// The seed's full example.
fn field_config() -> Value {
    let key = |name: &str, index: &str| json!({"name": name, "encodingType": "RAW", "indexes": {"dictionary": {}, index: {}}});
    json!([{
        "name": "props",
        "encodingType": "RAW",
        "indexes": {
            "forward": {"encodingType": "RAW"},
            "open_struct": {
                "valueFieldConfigs": [
                    key("page_type", "inverted"),
                    key("latency_ms", "range"),
                    key("device.os", "inverted"),
                ],
                "sparseFieldConfig": {"name": "props$__sparse__", "indexes": {"json": {}}},
            },
        },
    }])
}

/// Creates the table and gives it the seed's indexes, without a reload.
pub fn configure(server: &Server, path: &Value) -> Result<(), Failure> {
    let table = json!({"tableName": TABLE, "tableType": "OFFLINE", "source": {"path": path}});
    server.json("POST /tables", &table)?;
    let sql = count(SERVED[2].0);
    assert!(ask(server, &sql)?.1 > 0, "indexed without a config");
    let shown = server.json(&format!("GET /tables/{TABLE}"), &Value::Null)?;
    let mut config = shown["OFFLINE"].clone();
    config["fieldConfigList"] = field_config();
    let put = server.json(&format!("PUT /tables/{TABLE}"), &config)?;
    assert_eq!(put["status"], format!("Table config updated for {TABLE}"));
    assert!(ask(server, &sql)?.1 > 0, "indexed without a reload");
    Ok(())
}

fn need_reload(server: &Server) -> Result<Value, Failure> {
    let head = format!("GET /segments/{TABLE}_OFFLINE/needReload");
    Ok(server.json(&head, &Value::Null)?["needReload"].clone())
}

pub fn reload(server: &Server) -> Result<Value, Failure> {
    let job = server.reload(&format!("/segments/{TABLE}_OFFLINE/reload"))?;
    let status = server.wait_reloaded(&job)?;
    assert_eq!(status["status"], "COMPLETED", "{status}");
    Ok(status)
}

#[test]
fn the_seeds_filters_are_answered_by_indexes_after_a_reload() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data").to_string_lossy().into_owned();
    let arguments = ["serve", "-l", "127.0.0.1:0", "--data-dir", &data];
    let server = Server::start(&arguments)?;
    let file = root().join("testdata/spark/seed4_typed.parquet");
    configure(&server, &json!(file.canonicalize()?))?;
    assert_eq!(need_reload(&server)?, true);
    let status = reload(&server)?;
    assert_eq!(status["successCount"], 1);
    assert_eq!(status["segments"][0]["changed"], true);
    check_served(&server)?;
    check_plans(&server)?;
    check_metadata(&server)?;

    assert_eq!(need_reload(&server)?, false);
    assert_eq!(reload(&server)?["segments"][0]["changed"], false);

    // Indexes are there again after a restart, without a reload.
    server.kill()?;
    let server = Server::start(&arguments)?;
    check_served(&server)?;
    check_removal(&server)?;
    Ok(())
}

fn check_plans(server: &Server) -> Result<(), Failure> {
    for ((filter, _), index) in SERVED
        .iter()
        .zip(["inverted_index", "range_index", "json_index"])
    {
        let sql = format!(
            "SET explainPlanVerbose = true; EXPLAIN PLAN FOR {}",
            count(filter)
        );
        let plan = server.answer(&sql)?["resultTable"]["rows"].to_string();
        assert!(
            plan.contains(&format!("delegateTo:{index}")),
            "{sql}: {plan}"
        );
    }
    Ok(())
}

fn check_metadata(server: &Server) -> Result<(), Failure> {
    let segments = server.json(&format!("GET /segments/{TABLE}"), &Value::Null)?;
    let segment = segments[0]["OFFLINE"][0].as_str().ok_or("no segment")?;
    let head = format!("GET /segments/{TABLE}/{segment}/metadata");
    let metadata = server.json(&head, &Value::Null)?;
    assert_eq!(metadata["segment.total.docs"], "4");
    for (subject, kind) in [
        ("props['page_type']", "inverted-index"),
        ("props['latency_ms']", "range-index"),
        ("props['user_tier']", "dictionary"),
    ] {
        assert_eq!(
            metadata["indexes"][subject][kind], "YES",
            "{subject}: {metadata}"
        );
    }
    let metrics = server.request("GET /metrics", "")?;
    let bytes = format!("growler_index_bytes{{table=\"{TABLE}\"}} ");
    let line = metrics.lines().find_map(|line| line.strip_prefix(&bytes));
    assert!(line.ok_or("no gauge")?.parse::<f64>()? > 0.0);
    Ok(())
}

/// Indexes serve on when the config wants them no more, until the next reload takes them away.
fn check_removal(server: &Server) -> Result<(), Failure> {
    let shown = server.json(&format!("GET /tables/{TABLE}"), &Value::Null)?;
    let mut config = shown["OFFLINE"].clone();
    config["fieldConfigList"] = json!([]);
    server.json(&format!("PUT /tables/{TABLE}"), &config)?;
    check_served(server)?;
    assert_eq!(need_reload(server)?, true);
    reload(server)?;
    let sql = count(SERVED[2].0);
    let (rows, scanned) = ask(server, &sql)?;
    assert_eq!(rows, 1);
    assert!(scanned > 0, "still indexed");
    assert_eq!(need_reload(server)?, false);
    Ok(())
}

#[test]
fn indexes_without_a_place_are_refused_with_what_to_do() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.parquet");
    std::fs::copy(root().join("testdata/spark/seed4_typed.parquet"), &file)?;
    let config = folder.path().join("server.json");
    std::fs::write(&config, json!({"listen": "127.0.0.1:0"}).to_string())?;
    let arguments = ["serve", "--config", &config.to_string_lossy()];
    let server = Server::start(&arguments)?;
    configure(&server, &json!(file))?;
    let answer = server.request(&format!("POST /segments/{TABLE}/reload"), "")?;
    assert!(answer.starts_with("HTTP/1.1 409"), "{answer}");
    assert!(answer.contains("indexes.besideFiles"), "{answer}");
    drop(server);

    let text = json!({"listen": "127.0.0.1:0", "indexes": {"besideFiles": true}});
    std::fs::write(&config, text.to_string())?;
    let server = Server::start(&arguments)?;
    configure(&server, &json!(file))?;
    reload(&server)?;
    check_served(&server)?;
    assert!(folder.path().join("_growler").is_dir());
    Ok(())
}
