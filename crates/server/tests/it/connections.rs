//! Clients that are slow, or many.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client::{Running, read, request};

/// Long enough for a slow machine, short enough to notice that something hangs.
const PATIENCE: Duration = Duration::from_secs(20);

async fn start(limits: serde_json::Value) -> Running {
    Running::start(&json!({"limits": limits}), Path::new("")).await
}

#[tokio::test]
async fn a_request_line_and_headers_have_a_time() {
    let server = start(json!({"headerTimeoutMs": 50})).await;
    let whole = request("GET", "/health", "", "");
    for len in [0, 1, 10, whole.len() - 1] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(&whole.as_bytes()[..len]).await.unwrap();
        let mut rest = Vec::new();
        let closed = timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
        assert!(closed.is_ok(), "still open after {len} bytes");
        assert!(!rest.starts_with(b"HTTP/1.1 200"), "answered {len} bytes");
    }
    assert_eq!(server.get("/health").await.body, "OK");
    server.stop().await;
}

#[tokio::test]
async fn a_connection_without_a_next_request_is_closed() {
    let server = start(json!({"headerTimeoutMs": 50})).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let open = request("GET", "/health", "", "").replace("Connection: close\r\n", "");
    stream.write_all(open.as_bytes()).await.unwrap();
    let answer = timeout(PATIENCE, read(&mut stream)).await.unwrap();
    assert_eq!((answer.status, answer.body.as_str()), (200, "OK"));
    server.stop().await;
}

#[tokio::test]
async fn connections_beyond_the_bound_wait_for_a_place() {
    let server = start(json!({"maxConnections": 2, "headerTimeoutMs": 60000})).await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let open = request("GET", "/health", "", "").replace("Connection: close\r\n", "");
        stream.write_all(open.as_bytes()).await.unwrap();
        assert!(stream.read(&mut [0; 512]).await.unwrap() > 0);
        held.push(stream);
    }
    let mut waiting = TcpStream::connect(server.address).await.unwrap();
    let health = request("GET", "/health", "", "");
    waiting.write_all(health.as_bytes()).await.unwrap();
    let early = timeout(Duration::from_millis(100), waiting.read(&mut [0; 1])).await;
    assert!(early.is_err(), "answered while all places were taken");
    held.pop();
    let answer = timeout(PATIENCE, read(&mut waiting)).await.unwrap();
    assert_eq!((answer.status, answer.body.as_str()), (200, "OK"));
    server.stop().await;
}

#[tokio::test]
async fn many_silent_connections_do_not_keep_others_out() {
    let server = start(json!({"maxConnections": 4, "headerTimeoutMs": 50})).await;
    let mut silent = Vec::new();
    for _ in 0..32 {
        silent.push(TcpStream::connect(server.address).await.unwrap());
    }
    let answer = timeout(PATIENCE, server.get("/health")).await.unwrap();
    assert_eq!(answer.status, 200);
    let metrics = timeout(PATIENCE, server.get("/metrics")).await.unwrap();
    assert!(metrics.body.contains("growler_connections_open "));
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_takes_nothing_of_its_answer_is_cut_off() {
    let server = start(json!({"maxConnections": 1, "requestTimeoutMs": 100})).await;
    let mut deaf = TcpStream::connect(server.address).await.unwrap();
    // Far more answers than the buffers between the two take.
    let asked = request("GET", "/", "", "").replace("Connection: close\r\n", "");
    let asked = asked.repeat(8);
    while let Ok(Ok(())) =
        timeout(Duration::from_millis(50), deaf.write_all(asked.as_bytes())).await
    {}
    let answer = timeout(PATIENCE, server.get("/health")).await.unwrap();
    assert_eq!(answer.status, 200);
    drop(deaf);
    server.stop().await;
}
