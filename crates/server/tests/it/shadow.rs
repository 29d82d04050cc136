//! Queries asked again without indexes.

use std::path::Path;

use serde_json::json;

use crate::client::Running;

async fn counter(server: &Running, name: &str) -> u64 {
    let metrics = server.get("/metrics").await.body;
    let line = metrics.lines().find_map(|line| line.strip_prefix(name));
    line.map_or(0, |count| count.trim().parse().unwrap())
}

#[tokio::test]
async fn answers_that_differ_are_counted() {
    let server = Running::start(&json!({"shadowVerify": 1}), Path::new("")).await;
    let same = "growler_shadow_queries_total{result=\"same\"}";
    let different = "growler_shadow_queries_total{result=\"different\"}";
    let mismatches = "growler_shadow_mismatches_total ";
    assert_eq!(counter(&server, mismatches).await, 0);
    server.sql("SELECT n FROM t").await;
    while counter(&server, same).await == 0 {}
    let options = server.engine.last_options.lock().unwrap().clone();
    assert_eq!(
        options,
        ";skipIndexes=*;maxExecutionThreads=1;timeoutMs=600000"
    );
    assert_eq!(counter(&server, mismatches).await, 0);

    let answer = server.sql("SELECT lie FROM t").await;
    assert_eq!(answer.json()["resultTable"]["rows"], json!([[1]]));
    while counter(&server, mismatches).await == 0 {}
    assert_eq!(counter(&server, different).await, 1);

    let skipped = "growler_shadow_skipped_total{reason=\"depends_on_time\"}";
    server.sql("SELECT now() FROM t").await;
    while counter(&server, skipped).await == 0 {}
    server.stop().await;
}
