//! Reloads by the real engine: what is built, what is damaged, what goes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use growler_exec::{Engine, EngineOptions};
use growler_server::{EngineBackend, ServerConfig};
use serde_json::{Value, json};

use crate::client::Running;

const SQL: &str = "SELECT COUNT(*) FROM t WHERE props['page_type'] = 'HOME'";

async fn start(folder: &Path) -> Running<EngineBackend> {
    let options = EngineOptions {
        threads: 1,
        ..EngineOptions::default()
    };
    let config = json!({"dataDir": "data"});
    let parsed = ServerConfig::parse(config.to_string().as_bytes(), folder.to_owned()).unwrap();
    let engine = Engine::new(options).unwrap();
    let store = parsed.indexes.store(parsed.data_dir.as_deref());
    let engine = EngineBackend::new(engine).with_indexes(store, &parsed.indexes);
    Running::start_with(&config, folder, Arc::new(engine)).await
}

/// Makes a table of three copies of a file, an index wanted on one key.
async fn create(server: &Running<EngineBackend>, folder: &Path) {
    let sample = "../../testdata/spark/seed4_typed.parquet";
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join(sample);
    fs::create_dir_all(folder.join("files")).unwrap();
    for name in ["a", "b", "c"] {
        fs::copy(&sample, folder.join(format!("files/{name}.parquet"))).unwrap();
    }
    let key = json!({"name": "page_type", "encodingType": "RAW",
        "indexes": {"dictionary": {}, "inverted": {}}});
    let table = json!({
        "tableName": "t",
        "source": {"path": "files"},
        "fieldConfigList": [{
            "name": "props",
            "encodingType": "RAW",
            "indexes": {"open_struct": {"valueFieldConfigs": [key]}},
        }],
    });
    let answer = server.call("POST", "/tables", &table).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}

async fn reload(server: &Running<EngineBackend>) -> Value {
    let answer = server
        .call("POST", "/segments/t/reload", &Value::Null)
        .await
        .json();
    let text = answer["status"].as_str().unwrap();
    let jobs: Value = serde_json::from_str(text).unwrap();
    let id = jobs["t_OFFLINE"]["reloadJobId"].as_str().unwrap();
    loop {
        let path = format!("/segments/segmentReloadStatus/{id}");
        let status = server.get(&path).await.json();
        if status["status"] != "IN_PROGRESS" {
            return status;
        }
    }
}

/// Returns the count and the values that the filter read.
async fn ask(server: &Running<EngineBackend>) -> (Value, u64) {
    let answer = server.sql(SQL).await.json();
    assert_eq!(answer["exceptions"], json!([]));
    let scanned = answer["numEntriesScannedInFilter"].as_u64().unwrap();
    (answer["resultTable"]["rows"][0][0].clone(), scanned)
}

fn index_files(folder: &Path) -> Vec<PathBuf> {
    let segments = fs::read_dir(folder.join("data/segments/t")).unwrap();
    let mut files: Vec<PathBuf> = segments
        .map(|segment| segment.unwrap().path().join("index.gix"))
        .filter(|file| file.exists())
        .collect();
    files.sort();
    files
}

#[tokio::test]
async fn a_segment_that_cannot_be_indexed_stops_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    create(&server, folder.path()).await;
    // A folder stands where the file of indexes must be, under the name that the store gives it.
    assert_eq!(reload(&server).await["successCount"], 3);
    let broken = index_files(folder.path()).remove(1);
    fs::remove_file(&broken).unwrap();
    fs::create_dir_all(broken.join("in the way")).unwrap();
    let status = reload(&server).await;
    assert_eq!(status["status"], "COMPLETED_WITH_ERRORS", "{status}");
    assert_eq!(status["successCount"], 2);
    let failure = &status["segmentReloadFailures"][0];
    assert_eq!(failure["segmentName"], "b.parquet");
    let error = failure["error"]["errorMsg"].as_str().unwrap();
    assert!(error.contains("index"), "{error}");
    // It serves on with what it has.
    assert_eq!(ask(&server).await, (json!(3), 0));

    fs::remove_dir_all(&broken).unwrap();
    let need = server.get("/segments/t/needReload").await.json();
    assert_eq!(need["needReload"], true);
    assert_eq!(reload(&server).await["status"], "COMPLETED");
    assert_eq!(ask(&server).await, (json!(3), 0));
    server.stop().await;
}

#[tokio::test]
async fn damaged_indexes_are_scanned_past_and_built_anew() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    create(&server, folder.path()).await;
    reload(&server).await;
    assert_eq!(ask(&server).await, (json!(3), 0));
    server.stop().await;
    let files = index_files(folder.path());
    let whole = fs::read(&files[0]).unwrap();
    fs::write(&files[0], &whole[..whole.len() / 2]).unwrap();
    let mut flipped = fs::read(&files[1]).unwrap();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x55;
    fs::write(&files[1], flipped).unwrap();

    let server = start(folder.path()).await;
    assert_eq!(ask(&server).await.0, json!(3));
    let need = server.get("/segments/t/needReload?verbose=true").await;
    assert_eq!(need.json()["needReload"], true, "{}", need.body);
    let status = reload(&server).await;
    assert_eq!(status["status"], "COMPLETED", "{status}");
    assert_eq!(ask(&server).await, (json!(3), 0));
    server.stop().await;
}

#[tokio::test]
async fn damage_that_a_query_met_is_told_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    create(&server, folder.path()).await;
    reload(&server).await;
    server.stop().await;
    let path = index_files(folder.path()).remove(1);
    let whole = fs::read(&path).unwrap();
    let mut met = 0;
    // Header and directory stay readable, so that only a query finds out.
    for at in (128..whole.len()).step_by(whole.len() / 12) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x55;
        fs::write(&path, flipped).unwrap();
        let server = start(folder.path()).await;
        let need = server.get("/segments/t/needReload").await.json();
        if need["needReload"] == false && ask(&server).await.1 > 0 {
            met += 1;
            let need = server.get("/segments/t/needReload?verbose=true").await;
            assert_eq!(need.json()["needReload"], true, "{}", need.body);
            assert!(need.body.contains("b.parquet"), "{}", need.body);
            assert_eq!(reload(&server).await["status"], "COMPLETED");
            let need = server.get("/segments/t/needReload").await.json();
            assert_eq!(need["needReload"], false);
            assert_eq!(ask(&server).await, (json!(3), 0));
        }
        server.stop().await;
    }
    assert!(met > 0);
}

#[tokio::test]
async fn indexes_that_come_while_the_server_runs_are_told_and_taken() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    create(&server, folder.path()).await;
    reload(&server).await;
    server.stop().await;
    let path = index_files(folder.path()).remove(0);
    let aside = folder.path().join("aside.gix");
    fs::rename(&path, &aside).unwrap();
    let server = start(folder.path()).await;
    assert!(ask(&server).await.1 > 0);
    fs::rename(&aside, &path).unwrap();
    let need = server.get("/segments/t/needReload").await.json();
    assert_eq!(need["needReload"], true);
    let status = reload(&server).await;
    assert_eq!(status["status"], "COMPLETED", "{status}");
    assert_eq!(ask(&server).await, (json!(3), 0));
    let need = server.get("/segments/t/needReload").await.json();
    assert_eq!(need["needReload"], false);
    server.stop().await;
}

#[tokio::test]
async fn indexes_of_files_that_are_gone_go_with_the_next_reload() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    create(&server, folder.path()).await;
    reload(&server).await;
    server.stop().await;
    assert_eq!(index_files(folder.path()).len(), 3);
    fs::remove_file(folder.path().join("files/b.parquet")).unwrap();
    let server = start(folder.path()).await;
    let one = "/segments/t/a.parquet/reload";
    let answer = server.call("POST", one, &Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    reload(&server).await;
    assert_eq!(index_files(folder.path()).len(), 2);
    assert_eq!(ask(&server).await, (json!(2), 0));
    server.stop().await;
}

#[tokio::test]
async fn a_dropped_table_takes_its_indexes_along() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    create(&server, folder.path()).await;
    reload(&server).await;
    assert_eq!(index_files(folder.path()).len(), 3);
    server.call("DELETE", "/tables/t", &Value::Null).await;
    assert!(!folder.path().join("data/segments/t").exists());
    assert!(folder.path().join("files/a.parquet").exists());
    create(&server, folder.path()).await;
    assert!(ask(&server).await.1 > 0, "indexed without a reload");
    server.stop().await;
}
