//! Statements about tables, over HTTP.

use std::path::Path;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::client::{Answer, Running, request, send};

const CREATE: &str = "CREATE TABLE events WITH (type='iceberg', catalog_type='rest', \
    catalog_uri='http://catalog', schema_name='analytics', table_name='events', refresh_interval='1h', \
    credential='id:pass-word')";

async fn start(folder: &Path) -> Running {
    Running::start(&json!({"dataDir": "data"}), folder).await
}

async fn ddl(server: &Running, sql: &str) -> Answer {
    server.call("POST", "/sql/ddl", &json!({"sql": sql})).await
}

async fn dry(server: &Running, sql: &str) -> Answer {
    server
        .call("POST", "/sql/ddl?dryRun=true", &json!({"sql": sql}))
        .await
}

/// Waits until the table is served.
async fn served(server: &Running, table: &str) {
    while server.get(&format!("/segments/{table}")).await.status != 200 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_table_is_made_shown_and_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;

    let planned = dry(&server, CREATE).await;
    assert_eq!(planned.status, 200, "{}", planned.body);
    assert_eq!(planned.json()["dryRun"], true);
    assert_eq!(server.get("/tables").await.json(), json!({"tables": []}));

    let made = ddl(&server, CREATE).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let json = made.json();
    assert_eq!(json["operation"], "CREATE_TABLE");
    assert_eq!(json["databaseName"], "default");
    assert_eq!(json["tableName"], "events_OFFLINE");
    assert_eq!(json["tableType"], "OFFLINE");
    assert_eq!(json["message"], "Table events_OFFLINE successfully added");
    assert_eq!(json["warnings"], json!([]));
    let props = json!({"name": "props", "dataType": "OPEN_STRUCT", "fieldType": "COMPLEX", "childFieldSpecs": {}});
    assert_eq!(json["schema"]["complexFieldSpecs"], json!([props]));
    let field = json!({"name": "props", "encodingType": "RAW", "indexes": {"forward": {"encodingType": "RAW"}}});
    let fields = json["tableConfig"]["fieldConfigList"].as_array().unwrap();
    assert!(fields.contains(&field), "{fields:?}");
    assert_eq!(planned.json()["tableConfig"], json["tableConfig"]);
    assert!(!made.body.contains("pass-word"), "{}", made.body);

    served(&server, "events").await;
    let listed = ddl(&server, "SHOW TABLES").await;
    assert_eq!(
        (listed.status, &listed.json()["tableNames"]),
        (200, &json!(["events"]))
    );
    let shown = ddl(&server, "SHOW CREATE TABLE events_OFFLINE;").await;
    let text = shown.json()["ddl"].as_str().unwrap().to_owned();
    assert!(
        text.starts_with("CREATE EXTERNAL TABLE events WITH (\n  type = 'iceberg',\n"),
        "{text}"
    );
    assert!(text.contains("credential = '***'"), "{text}");
    assert_eq!(shown.json()["warnings"].as_array().unwrap().len(), 1);
    let config = server.get("/tables/events").await;
    assert!(!config.body.contains("pass-word"), "{}", config.body);

    let dropped = dry(&server, "DROP TABLE events").await;
    assert_eq!(
        (dropped.status, server.get("/tables/events").await.status),
        (200, 200)
    );
    let dropped = ddl(&server, "DROP TABLE events").await;
    assert_eq!(dropped.status, 200, "{}", dropped.body);
    assert_eq!(dropped.json()["operation"], "DROP_TABLE");
    assert_eq!(dropped.json()["deletedTables"], json!(["events_OFFLINE"]));
    assert_eq!(server.get("/tables").await.json(), json!({"tables": []}));
    assert_eq!(*server.engine.sources.forgotten.lock().unwrap(), ["events"]);

    // What was shown makes the table again, once the secret is put in.
    assert_eq!(ddl(&server, &text).await.status, 400);
    let again = ddl(&server, &text.replace("***", "id:pass-word")).await;
    assert_eq!(again.status, 201, "{}", again.body);
    assert_eq!(again.json()["tableConfig"], json["tableConfig"]);
    server.stop().await;
}

#[tokio::test]
async fn status_codes() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    let not_there = "CREATE TABLE IF NOT EXISTS events WITH";
    let if_not_exists = CREATE.replace("CREATE TABLE events WITH", not_there);
    for (sql, status, text) in [
        (CREATE, 201, ""),
        (
            CREATE,
            409,
            "Table config for events_OFFLINE already exists.",
        ),
        (
            if_not_exists.as_str(),
            200,
            "Table events_OFFLINE already exists",
        ),
        (
            "CREATE TABLE IF NOT EXISTS events WITH (nonsense = 1)",
            200,
            "",
        ),
        (
            "CREATE TABLE",
            400,
            "expected the name of a table, found end of statement",
        ),
        ("SELECT 1", 400, "expected CREATE, DROP or SHOW"),
        (
            "CREATE TABLE t WITH (type='iceberg', catalog_url='x')",
            400,
            "External table 't' has 2 validation error(s):\nDoes not know the option 'catalog_url'. Did you \
             mean 'catalog_uri'?\nRequires 'catalog_type'",
        ),
        (
            "CREATE TABLE a__b WITH (type='parquet', path='/x')",
            400,
            "External table 'a__b' has 1 validation error(s):\ntableName 'a__b' must not contain '__'",
        ),
        (
            "CREATE TABLE other.t WITH (type='parquet', path='/x')",
            400,
            "There is one database, default",
        ),
        ("DROP TABLE absent", 404, "Table absent does not exist"),
        (
            "DROP TABLE IF EXISTS absent",
            200,
            "Table absent does not exist",
        ),
        (
            "DROP TABLE default.absent",
            404,
            "Table absent does not exist",
        ),
        (
            "SHOW CREATE TABLE absent",
            404,
            "Table absent does not exist",
        ),
        ("SHOW TABLES FROM default", 200, ""),
        (
            "SHOW TABLES FROM other",
            400,
            "There is one database, default",
        ),
    ] {
        let answer = ddl(&server, sql).await;
        assert_eq!(answer.status, status, "{sql}: {}", answer.body);
        let json = answer.json();
        let found = if status < 400 {
            &json["message"]
        } else {
            &json["error"]
        };
        assert!(
            found.as_str().unwrap_or_default().starts_with(text),
            "{sql}: {found}"
        );
    }
    let down = CREATE
        .replace("analytics", "down")
        .replace("TABLE events", "TABLE other");
    let answer = ddl(&server, &down).await;
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert!(
        answer.error().1.contains("catalog cannot be reached"),
        "{}",
        answer.body
    );
    for body in ["", "{}", "{\"sql\": 5}", "nonsense"] {
        let answer = send(
            server.address,
            request("POST", "/sql/ddl", "", body).as_bytes(),
        )
        .await;
        assert_eq!(answer.status, 400, "{body}");
    }
    let large = format!("CREATE TABLE t WITH (path='{}')", "x".repeat(2 << 20));
    assert_eq!(ddl(&server, &large).await.status, 400);
    let larger = "x".repeat(5 << 20);
    assert_eq!(ddl(&server, &larger).await.status, 413);
    assert_eq!(server.get("/sql/ddl").await.status, 405);
    server.stop().await;
}

#[tokio::test]
async fn the_database_of_the_header_must_agree() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    for (sql, header, status) in [
        ("SHOW TABLES", "default", 200),
        ("SHOW TABLES FROM default", "default", 200),
        ("SHOW TABLES FROM default", "other", 400),
        ("SHOW TABLES", "other", 400),
    ] {
        let body = json!({"sql": sql}).to_string();
        let header = format!("Database: {header}\r\n");
        let request = request("POST", "/sql/ddl", &header, &body);
        let answer = send(server.address, request.as_bytes()).await;
        assert_eq!(answer.status, status, "{sql} {header}");
    }
    server.stop().await;
}

#[tokio::test]
async fn tables_of_the_server_s_config_stay() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("files")).unwrap();
    let fixed = json!({"tableName": "fixed", "source": {"path": "files"}});
    let server = Running::start(&json!({"tables": [fixed]}), folder.path()).await;
    for sql in ["DROP TABLE fixed", "DROP TABLE IF EXISTS fixed"] {
        assert_eq!(ddl(&server, sql).await.status, 409);
        assert_eq!(dry(&server, sql).await.status, 409);
    }
    let shown = ddl(&server, "SHOW CREATE TABLE fixed").await;
    assert_eq!(shown.status, 400);
    assert!(
        shown
            .error()
            .1
            .contains("it is no External Table with a catalog"),
        "{}",
        shown.body
    );
    // Without a data directory there is no place for what is known of a source.
    let answer = ddl(&server, CREATE).await;
    assert_eq!(answer.status, 400);
    assert!(
        answer
            .error()
            .1
            .starts_with("External Tables need a data directory"),
        "{}",
        answer.body
    );
    server.stop().await;
}

#[tokio::test]
async fn a_table_with_indexes_is_not_shown_as_a_statement() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path()).await;
    ddl(&server, CREATE).await;
    let mut config = server.get("/tables/events").await.json()["OFFLINE"].clone();
    let fields = config["fieldConfigList"].as_array_mut().unwrap();
    let ts = fields.iter_mut().find(|field| field["name"] == "ts");
    ts.unwrap()["indexes"]["bloom"] = json!({});
    assert_eq!(
        config["task"]["taskTypeConfigsMap"]["ExternalTableSyncTask"]["credential"],
        "***"
    );
    let written = server.call("PUT", "/tables/events", &config).await;
    assert_eq!(written.status, 200, "{}", written.body);
    let shown = ddl(&server, "SHOW CREATE TABLE events").await;
    assert_eq!(shown.status, 400);
    let text = shown.error().1;
    assert!(
        text.contains("without loss: column 'ts' has settings in fieldConfigList"),
        "{text}"
    );

    // The secret that was hidden is still the one that was given, unless it would go elsewhere.
    let followed = server.engine.sources.followed.lock().unwrap()["events"]
        .0
        .clone();
    let credential = followed
        .properties()
        .unwrap()
        .get("credential")
        .map(str::to_owned);
    assert_eq!(credential.as_deref(), Some("id:pass-word"));
    let task = &mut config["task"]["taskTypeConfigsMap"]["ExternalTableSyncTask"];
    task["catalogUri"] = Value::from("http://thief");
    let refused = server.call("PUT", "/tables/events", &config).await;
    assert_eq!(refused.status, 400);
    assert!(
        refused.error().1.contains("'***' only stands for a secret"),
        "{}",
        refused.body
    );
    let previews = server.engine.sources.previews.load(Ordering::SeqCst);
    assert!(previews < 10, "{previews}");
    server.stop().await;
}
