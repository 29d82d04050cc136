//! The real engine over the sample files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use growler_exec::{Engine, EngineOptions};
use growler_server::EngineBackend;
use serde_json::{Value, json};

use crate::client::Running;

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

async fn start(config: &Value) -> Running<EngineBackend> {
    let options = EngineOptions {
        threads: 1,
        ..EngineOptions::default()
    };
    let engine = Arc::new(EngineBackend::new(Engine::new(options).unwrap()));
    Running::start_with(config, &samples(), engine).await
}

#[tokio::test]
async fn a_file_becomes_the_documented_schema() {
    let tables =
        json!([{"tableName": "events_variant", "source": {"path": "spark/seed4_typed.parquet"}}]);
    let server = start(&json!({"tables": tables})).await;
    let expected = json!({
        "schemaName": "events_variant",
        "dimensionFieldSpecs": [
            {"name": "ts", "dataType": "LONG"},
            {"name": "user_id", "dataType": "STRING"}
        ],
        "complexFieldSpecs": [
            {"name": "props", "dataType": "OPEN_STRUCT", "fieldType": "COMPLEX", "childFieldSpecs": {}}
        ]
    });
    for path in [
        "/schemas/events_variant",
        "/tables/events_variant_OFFLINE/schema",
    ] {
        let schema = server.get(path).await;
        assert_eq!(
            schema.body,
            expected.to_string(),
            "{path}: members and their order"
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn folders_and_globs_are_tables_of_several_segments() {
    let server = start(&json!({})).await;
    for (name, path) in [("a", "duckdb/perfile"), ("b", "duckdb/perfile/f*.parquet")] {
        let body = json!({"tableName": name, "source": {"path": path}});
        let answer = server.call("POST", "/tables", &body).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let segments = server.get(&format!("/segments/{name}")).await.json();
        assert_eq!(segments[0]["OFFLINE"].as_array().unwrap().len(), 5);
    }
    let metrics = server.get("/metrics").await.body;
    assert!(
        metrics.contains("growler_variant_malformed_rows_total{table=\"a\"} 0"),
        "{metrics}"
    );
    server.stop().await;
}

#[tokio::test]
async fn files_that_cannot_be_read_are_named_with_the_cause() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(samples().join("spark/seed4_typed.parquet")).unwrap();
    let text = folder.path().join("text.parquet");
    let cut = folder.path().join("cut.parquet");
    std::fs::write(&text, "not a parquet file").unwrap();
    std::fs::write(&cut, &whole[..whole.len() - 100]).unwrap();
    let tables = json!([{"tableName": "fine", "source": {"path": "spark/seed4_typed.parquet"}}]);
    let server = start(&json!({"tables": tables})).await;
    for path in [
        text.as_path(),
        &cut,
        &folder.path().join("none.parquet"),
        folder.path(),
    ] {
        let body = json!({"tableName": "bad", "source": {"path": path}});
        let (code, error) = server.call("POST", "/tables", &body).await.error();
        assert_eq!(code, 400);
        assert!(error.contains(path.to_str().unwrap()), "{error}");
    }
    assert_eq!(
        server.get("/tables").await.json(),
        json!({"tables": ["fine"]})
    );
    assert_eq!(server.get("/segments/fine").await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn queries_are_answered() {
    let tables = json!([
        {"tableName": "events", "source": {"path": "spark/seed4_typed.parquet"}},
        {"tableName": "gone", "source": {"path": "spark/no_such_file.parquet"}}
    ]);
    let server = start(&json!({"tables": tables})).await;
    let check = async |sql: &str, types: Value, rows: Value| {
        let answer = server.sql(sql).await.json();
        assert_eq!(answer["exceptions"], json!([]), "{sql}");
        assert_eq!(
            answer["resultTable"]["dataSchema"]["columnDataTypes"], types,
            "{sql}"
        );
        assert_eq!(answer["resultTable"]["rows"], rows, "{sql}");
        assert_eq!(answer["totalDocs"], 4, "{sql}");
    };
    check("SELECT COUNT(*) FROM events", json!(["LONG"]), json!([[4]])).await;
    check(
        "SELECT user_id, props['latency_ms'] FROM events_OFFLINE ORDER BY user_id",
        json!(["STRING", "INT"]),
        json!([["u-0", 100], ["u-1", 110], ["u-4", null], ["u-5", null]]),
    )
    .await;
    check(
        "SET enableNullHandling = true; SELECT MIN(props['latency_ms']) FROM events",
        json!(["DOUBLE"]),
        json!([[100.0]]),
    )
    .await;
    for (sql, code, text) in [
        ("SELEC 1", 150, ""),
        (
            "SELECT nope FROM events",
            710,
            "Unknown columnName 'nope' found in the query",
        ),
        ("SELECT 1 FROM nope", 190, "TableDoesNotExistError"),
        (
            "SELECT COUNT(*) FROM gone",
            190,
            "Table gone is not served: ",
        ),
        ("SELECT JSON_MATCH(props, 'x') FROM events", 700, ""),
    ] {
        let answer = server.sql(sql).await.json();
        let exception = &answer["exceptions"][0];
        assert_eq!(exception["errorCode"], code, "{sql}: {exception}");
        assert!(
            exception["message"].as_str().unwrap().contains(text),
            "{sql}: {exception}"
        );
    }
    server.stop().await;
}
