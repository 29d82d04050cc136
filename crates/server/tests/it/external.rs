//! Tables that follow a source: previews, listings, runs, and what outlives the server.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Running;
use crate::double::Double;

fn task(namespace: &str) -> Value {
    json!({"catalogType": "iceberg-rest", "catalogUri": "http://catalog", "schemaName": namespace,
        "tableName": "events", "executor": "controller", "enabled": "true", "refreshInterval": "1h"})
}

fn table(name: &str, task: &Value) -> Value {
    json!({"tableName": name, "tableType": "OFFLINE",
        "task": {"taskTypeConfigsMap": {"ExternalTableSyncTask": task}}})
}

async fn start(folder: &Path) -> Running {
    Running::start(&json!({"dataDir": "data"}), folder).await
}

async fn ended(server: &Running, task: &str) -> String {
    loop {
        let state = server
            .get(&format!("/tasks/task/{task}/state"))
            .await
            .json();
        let state = state.as_str().unwrap().to_owned();
        if state != "NOT_STARTED" && state != "IN_PROGRESS" {
            return state;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

async fn first_run(server: &Running) -> String {
    loop {
        let states = server
            .get("/tasks/ExternalTableSyncTask/taskstates")
            .await
            .json();
        if let Some((task, _)) = states.as_object().unwrap().iter().next() {
            return ended(server, task).await;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn a_table_is_previewed_added_and_outlives_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    let preview = server
        .call("POST", "/tables/preview", &table("t", &task("a")))
        .await;
    assert_eq!(preview.status, 200, "{}", preview.body);
    let preview = preview.json();
    assert_eq!(preview["schema"]["complexFieldSpecs"][0]["name"], "props");
    assert_eq!(server.get("/tables").await.json(), json!({"tables": []}));

    // The steps of onboarding by calls: schema, then table, both of the preview.
    let schema = server.call("POST", "/schemas", &preview["schema"]).await;
    assert_eq!(schema.status, 200, "{}", schema.body);
    let added = server
        .call("POST", "/tables", &preview["tableConfig"])
        .await;
    assert_eq!(added.status, 200, "{}", added.body);
    assert_eq!(added.json()["status"], "Table t_OFFLINE successfully added");
    assert_eq!(first_run(&server).await, "COMPLETED");
    assert_eq!(server.get("/tables/t/schema").await.status, 200);
    assert!(
        server.engine.sources.followed.lock().unwrap()["t"]
            .1
            .is_some()
    );
    let config = server.get("/tables/t").await.json();
    // The schema that it began with is not declared again by a change of the config.
    let written = server.call("PUT", "/tables/t", &config["OFFLINE"]).await;
    assert_eq!(written.status, 200, "{}", written.body);
    assert!(
        server.engine.sources.followed.lock().unwrap()["t"]
            .1
            .is_none()
    );
    server.stop().await;

    let server = start(folder.path()).await;
    assert_eq!(server.get("/tables/t").await.json(), config);
    assert!(
        server
            .engine
            .sources
            .followed
            .lock()
            .unwrap()
            .contains_key("t")
    );
    assert_eq!(server.engine.sources.previews.load(Ordering::SeqCst), 0);
    assert_eq!(
        server
            .call("DELETE", "/tables/t_OFFLINE", &Value::Null)
            .await
            .status,
        200
    );
    server.stop().await;
    let server = start(folder.path()).await;
    assert_eq!(server.get("/tables").await.json(), json!({"tables": []}));
    server.stop().await;
}

#[tokio::test]
async fn a_source_that_is_away() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    let refused = server
        .call("POST", "/tables", &table("t", &task("down")))
        .await;
    assert_eq!(refused.status, 400);
    assert!(
        refused.error().1.contains("catalog cannot be reached"),
        "{}",
        refused.body
    );
    let preview = server
        .call("POST", "/tables/preview", &table("t", &task("down")))
        .await;
    assert_eq!(preview.status, 503);
    let listed = server
        .call("POST", "/connections/browse", &task("down"))
        .await;
    assert_eq!(listed.status, 503);

    // A table that is served goes on, and its config can be changed.
    server
        .call("POST", "/tables", &table("t", &task("a")))
        .await;
    assert_eq!(first_run(&server).await, "COMPLETED");
    server.engine.sources.down.store(true, Ordering::SeqCst);
    let asked = server
        .call("POST", "/tasks/schedule?tableName=t", &Value::Null)
        .await;
    let name = asked.json()["ExternalTableSyncTask"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(ended(&server, &name).await, "FAILED");
    let debug = server
        .get(&format!("/tasks/task/{name}/debug"))
        .await
        .json();
    assert!(
        debug["error"]
            .as_str()
            .unwrap()
            .contains("connection refused"),
        "{debug}"
    );
    assert_eq!(server.get("/segments/t").await.status, 200);
    let mut config = server.get("/tables/t").await.json()["OFFLINE"].clone();
    config["task"]["taskTypeConfigsMap"]["ExternalTableSyncTask"]["enabled"] = json!("false");
    let written = server.call("PUT", "/tables/t", &config).await;
    assert_eq!(written.status, 200, "{}", written.body);
    let metrics = server.get("/metrics").await.body;
    assert!(
        metrics.contains("growler_sync_runs_total{table=\"t\",result=\"failed\"}"),
        "{metrics}"
    );
    server.stop().await;
}

#[tokio::test]
async fn a_table_without_a_first_run_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    server
        .call("POST", "/tables", &table("t", &task("hold")))
        .await;
    let answer = server.sql("from t").await;
    let text = answer.json()["exceptions"][0]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        text.ends_with("see /tables/t/externalTable/status"),
        "{text}"
    );
    // The columns are those of the preview.
    assert_eq!(server.get("/tables/t/schema").await.status, 200);
    // A run that goes on ends with its table.
    assert_eq!(
        server
            .call("DELETE", "/tables/t", &Value::Null)
            .await
            .status,
        200
    );
    server
        .call("POST", "/tables", &table("t", &task("hold")))
        .await;
    server.stop().await;
}

#[tokio::test]
async fn a_table_that_is_long_in_coming_back_keeps_no_other_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    let mut slow = task("slow");
    slow["enabled"] = json!("false");
    for (name, task) in [("t", &slow), ("other", &task("a"))] {
        let added = server.call("POST", "/tables", &table(name, task)).await;
        assert_eq!(added.status, 200, "{}", added.body);
    }
    server.stop().await;

    let engine = Arc::new(Double::default());
    engine.sources.slow.store(true, Ordering::SeqCst);
    let config = json!({"dataDir": "data"});
    let server = Running::start_with(&config, folder.path(), engine).await;
    let path = "/tables/t/externalTable/status";
    let status = server.get(path).await.json();
    assert_eq!(status["state"], "RESTORING", "{status}");
    assert_eq!(status["restore"], json!({"attempts": 1}));
    let answer = server.sql("from t").await;
    assert!(
        answer
            .body
            .contains("it is being served again after a restart"),
        "{}",
        answer.body
    );
    assert_eq!(first_run(&server).await, "COMPLETED");
    assert_eq!(server.get("/segments/other").await.status, 200);
    server.engine.sources.slow.store(false, Ordering::SeqCst);
    while !server.get(path).await.json()["restore"].is_null() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(server.get("/segments/t").await.status, 200);
    assert_eq!(
        server.engine.sources.runs.load(Ordering::SeqCst),
        1,
        "it is paused"
    );
    server.stop().await;
}

#[tokio::test]
async fn listings() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    let connection = json!({"catalogUri": "http://catalog", "schemaName": "analytics"});
    let found = server
        .call("POST", "/connections/browse", &connection)
        .await
        .json();
    assert_eq!(found["status"], "OK");
    assert_eq!(found["catalogType"], "iceberg-rest");
    assert_eq!(found["namespaces"], json!(["analytics.eu"]));
    assert_eq!(
        found["tables"],
        json!([{"schemaName": "analytics", "tableName": "events"}])
    );
    let found = server
        .call("POST", "/externalTable/tables/list", &connection)
        .await
        .json();
    assert_eq!(
        found["tables"],
        json!([{"schemaName": "analytics", "tableName": "events"}])
    );
    for (body, text) in [
        (json!({}), "Requires 'catalogType'"),
        (
            json!({"catalogUri": "x"}),
            "Requires an address that begins with http:// or https://",
        ),
        (
            json!({"catalogUri": "http://c", "bucket": "b"}),
            "Does not know the option 'bucket'",
        ),
        (json!([]), "Requires an object of options"),
    ] {
        let refused = server.call("POST", "/connections/browse", &body).await;
        assert_eq!(refused.status, 400, "{body}");
        assert!(refused.error().1.contains(text), "{body}: {}", refused.body);
    }
    server.stop().await;
}

#[tokio::test]
async fn runs_that_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("files")).unwrap();
    let server = start(folder.path()).await;
    let files = json!({"tableName": "files", "source": {"path": folder.path().join("files")}});
    for config in [
        table("t", &task("a")),
        table("bad", &task("panic")),
        table("paused", &{
            let mut task = task("a");
            task["enabled"] = json!("false");
            task
        }),
        files,
    ] {
        assert_eq!(server.call("POST", "/tables", &config).await.status, 200);
    }
    let kind = "ExternalTableSyncTask";
    for (path, body, status, text) in [
        (
            "/tasks/schedule",
            json!({"taskType": kind, "tableName": "t"}),
            200,
            "",
        ),
        (
            "/tasks/schedule",
            json!({"taskType": kind, "tableName": "t_OFFLINE"}),
            200,
            "",
        ),
        (
            "/tasks/schedule?taskType=ExternalTableSyncTask&tableName=t",
            Value::Null,
            200,
            "",
        ),
        ("/tasks/schedule", Value::Null, 200, ""),
        (
            "/tasks/schedule",
            json!({"taskType": "Other"}),
            404,
            "Unknown task type: Other",
        ),
        (
            "/tasks/schedule",
            json!({"tableName": "absent"}),
            404,
            "Failed to find table: absent",
        ),
        (
            "/tasks/schedule",
            json!({"tableName": "paused"}),
            400,
            "No task is generated for table: paused, with task type: ExternalTableSyncTask: it is paused",
        ),
        (
            "/tasks/schedule",
            json!({"tableName": "files"}),
            400,
            "No task is generated for table: files, with task type: ExternalTableSyncTask: it is no External",
        ),
        (
            "/tasks/execute",
            json!({"taskType": kind, "tableName": "t", "taskName": "mine"}),
            200,
            "",
        ),
        (
            "/tasks/execute",
            json!({"taskType": kind, "tableName": "absent"}),
            404,
            "Failed to find table: absent",
        ),
        (
            "/tasks/execute",
            json!({"taskType": kind}),
            400,
            "Requires a tableName",
        ),
        (
            "/tasks/execute",
            json!({"taskType": "X", "tableName": "t"}),
            404,
            "Unknown task type: X",
        ),
    ] {
        let answer = server.call("POST", path, &body).await;
        assert_eq!(answer.status, status, "{path} {body}: {}", answer.body);
        if status != 200 {
            assert!(
                answer.error().1.starts_with(text),
                "{path} {body}: {}",
                answer.body
            );
        } else if path == "/tasks/execute" {
            let task = answer.json()["t_OFFLINE"].as_str().unwrap().to_owned();
            assert_eq!(ended(&server, &task).await, "COMPLETED");
        } else {
            let task = answer.json()[kind].as_str().unwrap().to_owned();
            assert!(task.starts_with("Task_ExternalTableSyncTask_"), "{task}");
        }
    }
    assert_eq!(server.get("/tasks/tasktypes").await.json(), json!([kind]));
    assert_eq!(server.get("/tasks/task/absent/state").await.status, 404);
    let asked = json!({"taskType": kind, "tableName": "bad", "taskName": "b"});
    let task = server.call("POST", "/tasks/execute", &asked).await.json()["bad_OFFLINE"].clone();
    assert_eq!(ended(&server, task.as_str().unwrap()).await, "FAILED");
    server.stop().await;
}

#[tokio::test]
async fn how_far_a_table_is() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    server
        .call("POST", "/tables", &table("t", &task("a")))
        .await;
    assert_eq!(first_run(&server).await, "COMPLETED");
    for path in [
        "/tables/t_OFFLINE/externalTable/status",
        "/tables/t/iceberg/status",
    ] {
        let status = server.get(path).await.json();
        assert_eq!(status["tableName"], "t_OFFLINE");
        assert_eq!(
            (&status["status"], &status["mode"]),
            (&json!("COMPLETED"), &json!("WATCHER"))
        );
        assert!(
            status["nextRunAtMs"].as_i64() > status["lastSuccessAtMs"].as_i64(),
            "{status}"
        );
    }
    let checkpoint = server
        .get("/tables/t/externalTable/checkpoint")
        .await
        .json();
    assert_eq!(checkpoint["snapshotId"], 7);
    assert_eq!(
        server
            .get("/tables/absent/externalTable/status")
            .await
            .status,
        404
    );
    let metrics = server.get("/metrics").await.body;
    for line in [
        "growler_sync_runs_total{table=\"t\",result=\"completed\"}",
        "growler_sync_files_total{table=\"t\",change=\"ingested\"}",
        "growler_sync_seconds_since_success{table=\"t\"}",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
    server.stop().await;
}

#[tokio::test]
async fn the_schema_of_a_table_is_the_one_that_it_came_to() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    server
        .call("POST", "/tables", &table("t", &task("a")))
        .await;
    assert_eq!(first_run(&server).await, "COMPLETED");
    assert!(!server.get("/schemas/t").await.body.contains("extra"));
    server.engine.sources.widened.store(true, Ordering::SeqCst);
    let asked = json!({"taskType": "ExternalTableSyncTask", "tableName": "t", "taskName": "w"});
    server.call("POST", "/tasks/execute", &asked).await;
    assert_eq!(ended(&server, "w").await, "COMPLETED");
    assert!(server.get("/schemas/t").await.body.contains("extra"));
    let jobs = server.get("/table/t/jobs").await.body;
    assert!(jobs.contains("RELOAD_SEGMENT"), "{jobs}");
    server.stop().await;
}

#[tokio::test]
async fn kinds_of_tables_do_not_change() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("files")).unwrap();
    let server = start(folder.path()).await;
    let files = json!({"tableName": "t", "source": {"path": folder.path().join("files")}});
    server
        .call("POST", "/tables", &table("t", &task("a")))
        .await;
    let refused = server.call("PUT", "/tables/t", &files).await;
    assert_eq!(refused.status, 400);
    assert!(
        refused.error().1.contains("Drop it first"),
        "{}",
        refused.body
    );
    server.stop().await;
}

#[tokio::test]
async fn every_breach_of_a_config_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    let mut config = table(
        "t",
        &json!({"catalogType": "iceberg-rest", "schemaEvolution.failfast": "x",
        "enbled": "true"}),
    );
    config["fieldConfigList"] = json!([{"name": "ts"}]);
    for (method, path) in [("POST", "/tables"), ("POST", "/tables/validate")] {
        let refused = server.call(method, path, &config).await;
        assert_eq!(refused.status, 400);
        let text = refused.error().1;
        assert!(
            text.starts_with("External table 't' has 7 validation error(s):\n"),
            "{text}"
        );
        assert!(text.contains("Did you mean 'enabled'?"), "{text}");
        assert!(
            text.contains("Requires RAW encoding for all columns."),
            "{text}"
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn folders_outside_of_the_roots_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["in", "out"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    let config = json!({"dataDir": "data", "tableRoots": ["in"]});
    let server = Running::start(&config, folder.path()).await;
    let at = |name: &str| {
        let path = folder.path().join(name);
        json!({"catalogType": "folder", "path": path, "executor": "controller"})
    };
    let refused = server
        .call("POST", "/tables", &table("t", &at("out")))
        .await;
    assert!(
        refused.error().1.contains("outside of tableRoots"),
        "{}",
        refused.body
    );
    assert_eq!(
        server
            .call("POST", "/tables", &table("t", &at("in")))
            .await
            .status,
        200
    );
    let refused = server.call("POST", "/connections/browse", &at("out")).await;
    assert!(
        refused.error().1.contains("outside of tableRoots"),
        "{}",
        refused.body
    );
    let refused = server
        .call("POST", "/tables/preview", &table("u", &at("out")))
        .await;
    assert!(
        refused.error().1.contains("outside of tableRoots"),
        "{}",
        refused.body
    );
    server.stop().await;
}
