use std::path::Path;
use std::sync::atomic::Ordering;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::client::{Running, read, request, send};

async fn start(limits: serde_json::Value) -> Running {
    Running::start(&json!({"limits": limits}), Path::new("")).await
}

fn sql(sql: &str) -> String {
    request("POST", "/query/sql", "", &json!({"sql": sql}).to_string())
}

#[tokio::test]
async fn bodies_have_a_size() {
    let server = start(json!({"maxRequestBytes": 100})).await;
    let fits = format!("{{\"sql\": \"{}\"}}", "x".repeat(80));
    for path in ["/query/sql", "/tables", "/schemas"] {
        let long = request("POST", path, "", &"x".repeat(200));
        let answer = send(server.address, long.as_bytes()).await;
        let expected = (
            413,
            "request body is too large: maxRequestBytes=100".to_owned(),
        );
        assert_eq!(answer.error(), expected, "{path}");
    }
    let answer = send(
        server.address,
        request("POST", "/query/sql", "", &fits).as_bytes(),
    )
    .await;
    assert_eq!(answer.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn bodies_have_a_time() {
    let server = start(json!({"requestTimeoutMs": 20})).await;
    for path in ["/query/sql", "/tables"] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let head = request("POST", path, "", "").replace("Content-Length: 0", "Content-Length: 9");
        stream.write_all(head.as_bytes()).await.unwrap();
        let (status, text) = read(&mut stream).await.error();
        assert_eq!(
            (status, text.as_str()),
            (408, "request timed out: requestTimeoutMs=20"),
            "{path}"
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn queries_beyond_the_places_wait_or_are_refused() {
    let limits = json!({"maxConcurrentQueries": 1, "maxQueuedQueries": 1});
    let server = start(limits).await;
    let address = server.address;
    let running = tokio::spawn(async move { send(address, sql("block").as_bytes()).await });
    server.engine.wait_blocked(1).await;
    let waiting = tokio::spawn(async move { send(address, sql("SELECT 1").as_bytes()).await });
    let is_waiting = "growler_queries_waiting 1";
    while !server.get("/metrics").await.body.contains(is_waiting) {}
    let refused = server.sql("SELECT 1").await;
    assert_eq!(
        (refused.status, refused.header("X-Pinot-Error-Code")),
        (200, Some("429"))
    );
    let id = server.get("/queries").await.json();
    let id = id.as_object().unwrap().keys().next().unwrap().clone();
    server
        .call("DELETE", &format!("/query/{id}"), &json!(null))
        .await;
    assert_eq!(
        waiting.await.unwrap().header("X-Pinot-Error-Code"),
        Some("-1")
    );
    assert_eq!(
        running.await.unwrap().header("X-Pinot-Error-Code"),
        Some("503")
    );
    server.stop().await;
}

#[tokio::test]
async fn no_query_outlives_the_servers_bound() {
    let server = start(json!({"maxQueryTimeMs": 20})).await;
    let answer = server.sql("block").await;
    assert_eq!(answer.header("X-Pinot-Error-Code"), Some("250"));
    let text = &answer.json()["exceptions"][0]["message"];
    assert_eq!(
        text,
        "ExecutionTimeoutError: query exceeded the server's maxQueryTimeMs=20"
    );
    server.engine.wait_blocked(0).await;
    server.stop().await;
}

#[tokio::test]
async fn admin_calls_that_are_stuck_leave_threads_to_queries() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f"), "").unwrap();
    let limits = json!({"limits": {"requestTimeoutMs": 500}});
    let server = Running::start(&limits, folder.path()).await;
    let table = json!({"tableName": "t", "source": {"path": "f"}});
    assert_eq!(server.call("POST", "/tables", &table).await.status, 200);
    let (address, engine) = (server.address, server.engine.clone());
    engine.need_stuck.store(true, Ordering::SeqCst);
    let ask = request("GET", "/segments/t/needReload", "", "");
    let asked: Vec<_> = (0..20)
        .map(|_| {
            let ask = ask.clone();
            tokio::spawn(async move { send(address, ask.as_bytes()).await })
        })
        .collect();
    for answer in asked {
        assert_eq!(answer.await.unwrap().status, 408);
    }
    assert_eq!(engine.needing.load(Ordering::SeqCst), 16);
    let answer = server.sql("SELECT 1").await;
    assert_eq!(answer.header("X-Pinot-Error-Code"), Some("-1"));
    engine.need_stuck.store(false, Ordering::SeqCst);
    assert_eq!(send(address, ask.as_bytes()).await.status, 200);
    server.stop().await;
}
