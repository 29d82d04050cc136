use std::path::Path;

use serde_json::json;

use crate::client::{Running, request, send};

async fn start() -> Running {
    Running::start(&json!({}), Path::new("")).await
}

#[tokio::test]
async fn answers_by_post_and_by_get() {
    let server = start().await;
    let post = server.sql("SELECT 1").await;
    let get = server
        .get("/query/sql?sql=SELECT%201&trace=true&queryOptions=a%3Db")
        .await;
    assert_eq!(
        *server.engine.last_options.lock().unwrap(),
        "a=b;trace=true"
    );
    for answer in [post, get] {
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("x-pinot-error-code"), Some("-1"));
        let json = answer.json();
        assert_eq!(json["resultTable"]["rows"], json!([[1]]));
        assert_eq!(json["exceptions"], json!([]));
        assert_eq!(
            (&json["numServersQueried"], &json["numServersResponded"]),
            (&json!(1), &json!(1))
        );
        assert_eq!(
            json["requestId"].as_str(),
            answer.header("x-correlation-id")
        );
        assert!(
            json["brokerId"]
                .as_str()
                .unwrap()
                .starts_with("Broker_127.0.0.1_")
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn the_clients_id_comes_back() {
    let server = start().await;
    let body = json!({"sql": "SELECT 1"}).to_string();
    let request = request("POST", "/query/sql", "X-Correlation-Id: abc-1\r\n", &body);
    let answer = send(server.address, request.as_bytes()).await;
    assert_eq!(answer.header("X-Correlation-Id"), Some("abc-1"));
    assert_eq!(answer.json()["requestId"], "abc-1");
    server.stop().await;
}

#[tokio::test]
async fn bad_requests_are_400_with_pinots_texts() {
    let server = start().await;
    let missing = "Payload is missing the query string field 'sql'";
    let check = async |method: &str, path: &str, body: &str, status: u16, text: &str| {
        let answer = send(server.address, request(method, path, "", body).as_bytes()).await;
        let (code, error) = answer.error();
        assert_eq!(code, status, "{method} {path} {body}");
        assert!(error.starts_with(text), "{method} {path} {body}: {error}");
    };
    check("POST", "/query/sql", "{}", 400, missing).await;
    check("POST", "/query/sql", "{\"sql\"", 400, "Invalid JSON: ").await;
    check("POST", "/query/sql", "", 400, "Invalid JSON: ").await;
    check("GET", "/query/sql", "", 400, missing).await;
    check("GET", "/query/sql?x=1", "", 400, missing).await;
    check("PUT", "/query/sql", "", 405, "HTTP 405 Method Not Allowed").await;
    check("GET", "/nowhere", "", 404, "HTTP 404 Not Found").await;
    server.stop().await;
}

#[tokio::test]
async fn failures_are_200_unless_statuses_are_asked_for() {
    let server = start().await;
    for (sql, code, status) in [
        ("fail", 700, 400),
        ("from nope", 190, 404),
        ("panic", 450, 500),
    ] {
        let body = json!({"sql": sql}).to_string();
        let header = "Pinot-Use-Http-Status-For-Errors: true\r\n";
        for (headers, expected) in [("", 200), (header, status)] {
            let request = request("POST", "/query/sql", headers, &body);
            let answer = send(server.address, request.as_bytes()).await;
            assert_eq!(answer.status, expected, "{sql}");
            assert_eq!(
                answer.header("X-Pinot-Error-Code"),
                Some(code.to_string().as_str())
            );
            let json = answer.json();
            assert_eq!(json["exceptions"][0]["errorCode"], code);
            assert_eq!(json["partialResult"], true);
            assert!(json.get("resultTable").is_none());
        }
    }
    assert_eq!(
        server.sql("SELECT 1").await.status,
        200,
        "a panic hurts nobody else"
    );
    server.stop().await;
}

#[tokio::test]
async fn running_queries_are_listed_and_cancelled() {
    let server = start().await;
    let body = json!({"sql": "block me"}).to_string();
    let slow = request("POST", "/query/sql", "X-Correlation-Id: slow-1\r\n", &body);
    let address = server.address;
    let slow = tokio::spawn(async move { send(address, slow.as_bytes()).await });
    server.engine.wait_blocked(1).await;
    assert_eq!(
        server.get("/queries").await.json(),
        json!({"slow-1": "block me"})
    );
    assert_eq!(
        server
            .call("DELETE", "/query/other", &json!(null))
            .await
            .status,
        404
    );
    let cancelled = server.call("DELETE", "/query/slow-1", &json!(null)).await;
    assert_eq!(
        (cancelled.status, cancelled.body.as_str()),
        (200, "Cancelled query: slow-1")
    );
    let answer = slow.await.unwrap();
    assert_eq!(answer.header("X-Pinot-Error-Code"), Some("503"));
    assert_eq!(server.get("/queries").await.json(), json!({}));
    server.stop().await;
}

#[tokio::test]
async fn a_query_ends_when_its_client_goes() {
    let server = start().await;
    let body = json!({"sql": "block"}).to_string();
    let mut stream = tokio::net::TcpStream::connect(server.address)
        .await
        .unwrap();
    let request = request("POST", "/query/sql", "", &body);
    tokio::io::AsyncWriteExt::write_all(&mut stream, request.as_bytes())
        .await
        .unwrap();
    server.engine.wait_blocked(1).await;
    drop(stream);
    server.engine.wait_blocked(0).await;
    server.stop().await;
}

#[tokio::test]
async fn operators_see_health_version_and_counters() {
    let server = start().await;
    for path in ["/health", "/health/liveness", "/health/readiness"] {
        let answer = server.get(path).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, "OK"), "{path}");
    }
    assert!(server.get("/version").await.json()["growler"].is_string());
    server.sql("SELECT 1").await;
    server.sql("fail").await;
    let metrics = server.get("/metrics").await;
    assert!(
        metrics
            .header("content-type")
            .unwrap()
            .starts_with("text/plain")
    );
    for line in [
        "# TYPE growler_queries_total counter",
        "growler_query_errors_total{code=\"700\"}",
        "growler_query_seconds_bucket{le=\"0.001\"}",
        "growler_queries_running 0",
        "growler_http_requests_total{route=\"/query/sql\",status=\"200\"}",
    ] {
        assert!(metrics.body.contains(line), "{line} in\n{}", metrics.body);
    }
    server.stop().await;
}

#[tokio::test]
async fn the_console_needs_nothing_from_elsewhere() {
    let server = start().await;
    let page = server.get("/").await;
    assert_eq!(page.status, 200);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(page.header("content-security-policy").is_some());
    assert!(!page.body.contains("http://") && !page.body.contains("https://"));
    server.stop().await;
}
