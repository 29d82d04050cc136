//! Reloads over HTTP; what is built is the double's business.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::client::Running;

/// Starts a server with a table `t` of these segments.
async fn start(names: &[&'static str]) -> (tempfile::TempDir, Running) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f"), "").unwrap();
    let server = Running::start(&json!({}), folder.path()).await;
    *server.engine.names.lock().unwrap() = names.to_vec();
    let body = json!({"tableName": "t", "source": {"path": "f"}});
    let answer = server.call("POST", "/tables", &body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    (folder, server)
}

async fn post(server: &Running, path: &str) -> Value {
    let answer = server.call("POST", path, &Value::Null).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer.json()
}

/// Asks for the reload of `t` and returns the job's id.
async fn reload(server: &Running) -> String {
    let answer = post(server, "/segments/t_OFFLINE/reload").await;
    let text = answer["status"].as_str().unwrap();
    let inner: Value = serde_json::from_str(text).unwrap();
    let table = &inner["t_OFFLINE"];
    assert_eq!(table["numMessagesSent"], "1");
    assert_eq!(table["reloadJobMetaZKStorageStatus"], "SUCCESS");
    table["reloadJobId"].as_str().unwrap().to_owned()
}

async fn status(server: &Running, id: &str) -> Value {
    let path = format!("/segments/segmentReloadStatus/{id}");
    server.get(&path).await.json()
}

async fn wait_ended(server: &Running, id: &str) -> Value {
    loop {
        let status = status(server, id).await;
        if status["status"] != "IN_PROGRESS" {
            return status;
        }
    }
}

async fn wait_holding(server: &Running, count: usize) {
    while server.engine.holding.load(Ordering::SeqCst) != count {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_reload_has_every_field_of_pinots_status() {
    let (_folder, server) = start(&["a", "b", "c"]).await;
    let id = reload(&server).await;
    let status = wait_ended(&server, &id).await;
    let counts = [
        ("status", json!("COMPLETED")),
        ("totalSegmentCount", json!(3)),
        ("successCount", json!(3)),
        ("failureCount", json!(0)),
        ("totalServersQueried", json!(1)),
        ("totalServerCallsFailed", json!(0)),
        ("estimatedTimeRemainingInMinutes", json!(0.0)),
        ("segmentReloadFailures", json!([])),
    ];
    for (name, expected) in counts {
        assert_eq!(status[name], expected, "{name}");
    }
    assert!(status["timeElapsedInMinutes"].as_f64().unwrap() >= 0.0);
    let metadata = &status["metadata"];
    assert_eq!(metadata["jobId"], id.as_str());
    assert_eq!(metadata["tableName"], "t_OFFLINE");
    assert_eq!(metadata["jobType"], "RELOAD_SEGMENT");
    assert_eq!(metadata["messageCount"], "1");
    let submitted: u64 = metadata["submissionTimeMs"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!(submitted > 1_700_000_000_000);
    for name in ["segmentName", "instanceName", "instanceToSegmentsMap"] {
        assert_eq!(metadata.get(name), Some(&Value::Null), "{name}");
    }
    let segments = status["segments"].as_array().unwrap();
    assert_eq!(segments.len(), 3);
    assert_eq!(segments[1]["segmentName"], "b");
    assert_eq!(segments[1]["state"], "COMPLETED");
    let jobs = server.get("/table/t/jobs").await.json();
    assert_eq!(jobs[&id]["tableName"], "t_OFFLINE");
    let metrics = server.get("/metrics").await.body;
    assert!(metrics.contains("growler_reloads_total{status=\"COMPLETED\"}"));
    assert!(metrics.contains("growler_reload_segments_total{result=\"changed\"}"));
    assert!(metrics.contains("growler_reload_segment_seconds_bucket"));
    assert!(metrics.contains("growler_index_bytes{table=\"t\"} 0"));
    server.stop().await;
}

#[tokio::test]
async fn a_segment_that_fails_stops_no_other() {
    let (_folder, server) = start(&["a", "bad", "b", "panic", "c"]).await;
    let id = reload(&server).await;
    let status = wait_ended(&server, &id).await;
    assert_eq!(status["status"], "COMPLETED_WITH_ERRORS");
    assert_eq!(status["successCount"], 3);
    assert_eq!(status["failureCount"], 2);
    let failures = status["segmentReloadFailures"].as_array().unwrap();
    let told = failures.iter().map(|failure| {
        assert!(failure["failedAtMs"].as_u64().unwrap() > 1_700_000_000_000);
        assert!(
            failure["serverName"]
                .as_str()
                .unwrap()
                .starts_with("Server_")
        );
        let error = failure["error"]["errorMsg"].as_str().unwrap();
        (failure["segmentName"].as_str().unwrap(), error)
    });
    let expected = [
        ("bad", "as asked"),
        ("panic", "internal error: the reload of a segment broke"),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    // The worker that met the panic is still there.
    let again = reload(&server).await;
    assert_eq!(wait_ended(&server, &again).await["successCount"], 3);
    server.stop().await;
}

#[tokio::test]
async fn queries_run_and_the_next_reload_of_a_table_waits() {
    let (_folder, server) = start(&["a", "hold", "b"]).await;
    let first = reload(&server).await;
    wait_holding(&server, 1).await;
    let second = reload(&server).await;
    let seen = status(&server, &first).await;
    assert_eq!(seen["status"], "IN_PROGRESS");
    let left = seen["estimatedTimeRemainingInMinutes"].as_f64().unwrap();
    assert!(left >= 0.0, "a segment is done: {left}");
    let states: Vec<&str> = seen["segments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|segment| segment["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["COMPLETED", "RUNNING", "WAITING"]);
    assert_eq!(seen["segments"][1]["percentProgress"], 25.0);
    let waits = status(&server, &second).await;
    assert_eq!(waits["estimatedTimeRemainingInMinutes"], -1.0);
    assert_eq!(waits["segments"][0]["state"], "WAITING");
    assert_eq!(
        server.sql("SELECT 1").await.header("X-Pinot-Error-Code"),
        Some("-1")
    );

    server.engine.released.store(true, Ordering::SeqCst);
    assert_eq!(wait_ended(&server, &first).await["successCount"], 3);
    assert_eq!(wait_ended(&server, &second).await["successCount"], 3);
    let reloaded = server.engine.reloaded.lock().unwrap().clone();
    assert_eq!(reloaded, ["a", "hold", "b", "a", "hold", "b"]);
    server.stop().await;
}

#[tokio::test]
async fn one_segment_or_some_are_reloaded() {
    let (_folder, server) = start(&["a", "b", "c"]).await;
    let answer = post(
        &server,
        "/segments/t/b/reload?forceDownload=true&type=OFFLINE",
    )
    .await;
    let text = answer["status"].as_str().unwrap();
    let rest = text.strip_prefix("Submitted reload job id: ").unwrap();
    let (id, rest) = rest.split_once(',').unwrap();
    assert_eq!(
        rest,
        " sent 1 reload messages. Job meta ZK storage status: SUCCESS"
    );
    let status = wait_ended(&server, id).await;
    assert_eq!(status["totalSegmentCount"], 1);
    assert_eq!(status["metadata"]["segmentName"], "b");
    let some = "/segments/t/reload?type=offline&forceDownload=false&startTimestamp=1&endTimestamp=2\
                &excludeOverlapping=true&targetInstance=Server_1\
                &instanceToSegmentsMap=%7B%22Server_1%22%3A%5B%22a%22%2C%22c%22%5D%7D";
    post(&server, some).await;
    while server.engine.reloaded.lock().unwrap().len() < 3 {}
    assert_eq!(
        *server.engine.reloaded.lock().unwrap(),
        ["b anew", "a", "c"]
    );
    server.stop().await;
}

#[tokio::test]
async fn dropping_a_table_ends_its_reloads_and_takes_its_indexes_away() {
    let (_folder, server) = start(&["hold", "a"]).await;
    let (first, second) = (reload(&server).await, reload(&server).await);
    wait_holding(&server, 1).await;
    assert_eq!(
        server
            .call("DELETE", "/tables/t", &Value::Null)
            .await
            .status,
        200
    );
    assert_eq!(server.engine.holding.load(Ordering::SeqCst), 0);
    assert_eq!(*server.engine.indexes_removed.lock().unwrap(), ["t"]);
    for id in [first, second] {
        let status = status(&server, &id).await;
        assert_eq!(status["status"], "COMPLETED_WITH_ERRORS");
        assert_eq!(status["failureCount"], 2);
        assert_eq!(status["segments"][1]["state"], "CANCELLED");
        assert_eq!(
            status["segmentReloadFailures"][0]["error"]["errorMsg"],
            "reload was cancelled: the table was dropped"
        );
    }
    assert!(server.engine.reloaded.lock().unwrap().is_empty());
    server.stop().await;
}

#[tokio::test]
async fn stopping_the_server_ends_its_reloads() {
    let (_folder, server) = start(&["hold", "a"]).await;
    reload(&server).await;
    wait_holding(&server, 1).await;
    let double = server.engine.clone();
    server.stop().await;
    assert_eq!(double.holding.load(Ordering::SeqCst), 0);
    assert!(double.reloaded.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_client_may_ask_whether_a_reload_is_needed() {
    let (_folder, server) = start(&["a", "b"]).await;
    let path = "/segments/t_OFFLINE/needReload";
    let answer = server.get(path).await.json();
    assert_eq!(
        answer,
        json!({"needReload": false, "tableName": "t_OFFLINE"})
    );
    server.engine.need.store(true, Ordering::SeqCst);
    let answer = server.get(&format!("{path}?verbose=true")).await.json();
    assert_eq!(answer["needReload"], true);
    let servers = answer["serverToSegmentsCheckReloadList"]
        .as_object()
        .unwrap();
    let of_server = servers.values().next().unwrap();
    assert_eq!(of_server["needReload"], true);
    assert_eq!(of_server["segments"], json!(["a", "b"]));
    let metadata = server.get("/segments/t/b/metadata").await.json();
    assert_eq!(metadata["segment.name"], "b");
    server.stop().await;
}

#[tokio::test]
async fn unknown_names_are_404() {
    let (_folder, server) = start(&["a"]).await;
    for (method, path, text) in [
        ("POST", "/segments/u/reload", "Table u does not exist"),
        ("POST", "/segments/u/a/reload", "Table u does not exist"),
        (
            "POST",
            "/segments/t/z/reload",
            "Failed to find segment: z in table: t",
        ),
        (
            "POST",
            "/segments/t/reload?type=REALTIME",
            "Failed to find any segments in table: t",
        ),
        ("GET", "/segments/u/needReload", "Table u does not exist"),
        (
            "GET",
            "/segments/t/z/metadata",
            "Failed to find segment: z in table: t",
        ),
        ("GET", "/table/u/jobs", "Table u does not exist"),
        (
            "GET",
            "/segments/segmentReloadStatus/x",
            "Failed to find controller job id: x",
        ),
    ] {
        let answer = server.call(method, path, &Value::Null).await;
        assert_eq!(answer.error(), (404, text.to_owned()), "{path}");
    }
    let bad = "/segments/t/reload?instanceToSegmentsMap=x";
    let answer = server.call("POST", bad, &Value::Null).await;
    assert_eq!(answer.status, 400, "{}", answer.body);
    server.stop().await;
}

#[tokio::test]
async fn a_schema_is_kept_though_its_reload_is_not_taken_on() {
    let (_folder, server) = start(&["hold"]).await;
    let path = "/segments/t/reload";
    while server.call("POST", path, &Value::Null).await.status == 200 {}
    let schema = json!({
        "schemaName": "t",
        "dimensionFieldSpecs": [{"name": "user_id", "dataType": "STRING"}],
    });
    let answer = server.call("POST", "/schemas?reload=true", &schema).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let status = answer.json()["status"].as_str().unwrap().to_owned();
    let expected = "t successfully added, but its reload was not submitted: too many reloads wait";
    assert!(status.starts_with(expected), "{status}");
    assert_eq!(server.get("/schemas/t").await.status, 200);
    server.stop().await;
}
