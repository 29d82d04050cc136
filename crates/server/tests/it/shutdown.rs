use std::path::Path;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{Running, read, request, send};

#[tokio::test]
async fn running_queries_are_cancelled_after_the_grace_and_new_ones_refused() {
    let limits = json!({"limits": {"shutdownGraceMs": 50}});
    let server = Running::start(&limits, Path::new("")).await;
    let (address, double) = (server.address, server.engine.clone());
    // A connection that was there before the stop is still answered.
    let mut early = TcpStream::connect(address).await.unwrap();
    let open = request("GET", "/health", "", "").replace("Connection: close\r\n", "");
    early.write_all(open.as_bytes()).await.unwrap();
    let mut first = [0; 512];
    assert!(early.read(&mut first).await.unwrap() > 0);

    let body = json!({"sql": "block"}).to_string();
    let blocked = request("POST", "/query/sql", "", &body);
    let blocked = tokio::spawn(async move { send(address, blocked.as_bytes()).await });
    double.wait_blocked(1).await;
    let stopped = server.begin_stop();
    assert_eq!(
        blocked.await.unwrap().header("X-Pinot-Error-Code"),
        Some("503")
    );
    stopped.await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_request_on_its_way_is_told_that_the_server_stops() {
    let limits = json!({"limits": {"shutdownGraceMs": 10000}});
    let server = Running::start(&limits, Path::new("")).await;
    let (address, double) = (server.address, server.engine.clone());
    let body = json!({"sql": "block"}).to_string();
    let blocking = request("POST", "/query/sql", "X-Correlation-Id: b\r\n", &body);
    let blocked = tokio::spawn(async move { send(address, blocking.as_bytes()).await });
    double.wait_blocked(1).await;
    // The body is still missing its last byte when the server is told to stop.
    let late = request("POST", "/query/sql", "", "{\"sql\": \"SELECT 1\"}");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let (head, last) = late.split_at(late.len() - 1);
    stream.write_all(head.as_bytes()).await.unwrap();
    let cancel = request("DELETE", "/query/b", "", "");
    let mut canceller = TcpStream::connect(address).await.unwrap();
    let (cancel_head, cancel_last) = cancel.split_at(cancel.len() - 2);
    canceller.write_all(cancel_head.as_bytes()).await.unwrap();
    // Both connections are known to the server once a later one is answered.
    assert_eq!(
        send(address, request("GET", "/health", "", "").as_bytes())
            .await
            .status,
        200
    );
    let stopped = server.begin_stop();
    while TcpStream::connect(address).await.is_ok() {}
    stream.write_all(last.as_bytes()).await.unwrap();
    let answer = read(&mut stream).await;
    assert_eq!(answer.header("X-Pinot-Error-Code"), Some("210"));
    canceller.write_all(cancel_last.as_bytes()).await.unwrap();
    assert_eq!(read(&mut canceller).await.status, 200);
    blocked.await.unwrap();
    stopped.await.unwrap().unwrap();
}
