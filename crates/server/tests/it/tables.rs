use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::client::{Answer, Running};
use crate::double::Double;

fn table(name: &str, path: &Path) -> Value {
    json!({"tableName": name, "tableType": "OFFLINE", "source": {"path": path}})
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("files")).unwrap();
    folder
}

fn status(answer: &Answer) -> (u16, String) {
    let json = answer.json();
    (
        answer.status,
        json["status"].as_str().unwrap_or_default().to_owned(),
    )
}

#[tokio::test]
async fn tables_come_change_go_and_outlive_the_server() {
    let folder = folder();
    let files = folder.path().join("files");
    let config = json!({"dataDir": "data"});
    let server = Running::start(&config, folder.path()).await;
    let added = server
        .call("POST", "/tables", &table("events_OFFLINE", &files))
        .await;
    assert_eq!(
        status(&added),
        (200, "Table events_OFFLINE successfully added".into())
    );
    assert_eq!(added.json()["unrecognizedProperties"], json!({}));

    let again = server
        .call("POST", "/tables", &table("events", &files))
        .await;
    let (code, text) = again.error();
    assert_eq!(code, 409);
    assert!(
        text.starts_with("Table config for events_OFFLINE already exists."),
        "{text}"
    );

    let mut changed = table("events", &files);
    changed["fieldConfigList"] = json!([{"name": "props", "encodingType": "RAW"}]);
    let updated = server.call("PUT", "/tables/events_OFFLINE", &changed).await;
    assert_eq!(
        status(&updated),
        (200, "Table config updated for events".into())
    );
    assert_eq!(
        server.call("PUT", "/tables/other", &changed).await.status,
        400
    );
    server.stop().await;

    let server = Running::start(&config, folder.path()).await;
    assert_eq!(
        server.get("/tables").await.json(),
        json!({"tables": ["events"]})
    );
    assert_eq!(
        server.get("/tables?type=REALTIME").await.json(),
        json!({"tables": []})
    );
    for name in ["events", "events_OFFLINE"] {
        let shown = server.get(&format!("/tables/{name}")).await;
        assert_eq!(shown.json(), json!({"OFFLINE": changed}));
        let segments = server.get(&format!("/segments/{name}")).await;
        assert_eq!(segments.json(), json!([{"OFFLINE": ["s1"]}]));
        let schema = server.get(&format!("/tables/{name}/schema")).await.json();
        let props = json!({"name": "props", "dataType": "OPEN_STRUCT", "fieldType": "COMPLEX", "childFieldSpecs": {}});
        assert_eq!(schema["complexFieldSpecs"], json!([props]));
    }
    assert_eq!(server.get("/schemas").await.json(), json!(["events"]));
    let dropped = server
        .call("DELETE", "/tables/events_OFFLINE", &Value::Null)
        .await;
    assert_eq!(
        status(&dropped),
        (200, "Tables: [events_OFFLINE] deleted".into())
    );
    assert!(server.engine.tables.lock().unwrap().is_empty());
    server.stop().await;

    let server = Running::start(&config, folder.path()).await;
    assert_eq!(server.get("/tables").await.json(), json!({"tables": []}));
    server.stop().await;
}

#[tokio::test]
async fn unknown_names_are_404() {
    let server = Running::start(&json!({}), Path::new("")).await;
    for path in ["/tables/nope", "/tables/nope/schema", "/segments/nope"] {
        assert_eq!(
            server.get(path).await.error(),
            (404, "Table nope does not exist".into())
        );
    }
    assert_eq!(
        server.get("/schemas/nope").await.error(),
        (404, "Schema not found".into())
    );
    assert_eq!(
        server
            .call("DELETE", "/tables/nope", &Value::Null)
            .await
            .status,
        404
    );
    assert_eq!(
        server
            .call("DELETE", "/schemas/nope", &Value::Null)
            .await
            .status,
        404
    );
    let body = json!({"tableName": "nope", "source": {"path": "x"}});
    assert_eq!(server.call("PUT", "/tables/nope", &body).await.status, 404);
    let schema = json!({"schemaName": "nope"});
    let answer = server.call("PUT", "/schemas/nope", &schema).await;
    assert_eq!(answer.error(), (404, "Failed to find schema: nope".into()));
    server.stop().await;
}

#[tokio::test]
async fn refusals_list_everything_and_keep_nothing() {
    let folder = folder();
    let server = Running::start(&json!({"dataDir": "data"}), folder.path()).await;
    let config = json!({
        "tableName": "t", "source": {"path": "absent"},
        "fieldConfigList": [{"name": "props", "indexes": {"open_struct": {"maxDenseKeys": 1}}}]
    });
    for path in ["/tables", "/tables/validate"] {
        let (code, text) = server.call("POST", path, &config).await.error();
        assert_eq!(code, 400);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0], "External table 't' has 3 validation error(s):",
            "{text}"
        );
        assert!(lines[1].starts_with("no such file: path="), "{text}");
        assert_eq!(
            lines[2],
            "Requires RAW encoding for all columns. Column 'props' has DICTIONARY (default) encoding"
        );
    }
    for (body, expected) in [
        (
            json!({"tableName": "t"}),
            "Requires a file, folder or glob in 'source.path'",
        ),
        (
            json!({"tableName": "../t", "source": {"path": "files"}}),
            "tableName '../t' must consist",
        ),
        (
            json!({"tableName": "t", "tableType": "REALTIME", "source": {"path": "files"}}),
            "Requires tableType OFFLINE",
        ),
    ] {
        let (code, text) = server.call("POST", "/tables", &body).await.error();
        assert_eq!(code, 400);
        assert!(text.contains(expected), "{text}");
    }
    let (code, text) = server.call("POST", "/tables", &json!([])).await.error();
    assert_eq!(code, 400);
    assert!(text.starts_with("Invalid JSON: "), "{text}");
    assert_eq!(server.get("/tables").await.json(), json!({"tables": []}));
    server.stop().await;
    let server = Running::start(&json!({"dataDir": "data"}), folder.path()).await;
    assert_eq!(server.get("/tables").await.json(), json!({"tables": []}));
    server.stop().await;
}

#[tokio::test]
async fn a_change_that_cannot_be_kept_is_not_served() {
    let folder = folder();
    let (files, others) = (folder.path().join("files"), folder.path().join("others"));
    std::fs::create_dir(&others).unwrap();
    let server = Running::start(&json!({"dataDir": "data"}), folder.path()).await;
    server.call("POST", "/tables", &table("t", &files)).await;
    let served = || server.engine.tables.lock().unwrap()["t"].0.clone();
    assert_eq!(served(), files);

    // Somebody else holds the database: what cannot be written in time is refused.
    let path = folder.path().join("data/growler.db");
    let other = rusqlite::Connection::open(path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let changed = server.call("PUT", "/tables/t", &table("t", &others)).await;
    assert_eq!(changed.status, 503, "{}", changed.body);
    assert_eq!(served(), files);

    other.execute_batch("ROLLBACK").unwrap();
    let changed = server.call("PUT", "/tables/t", &table("t", &others)).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    assert_eq!(served(), others);
    server.stop().await;
}

#[tokio::test]
async fn a_declared_schema_becomes_the_tables() {
    let folder = folder();
    let files = folder.path().join("files");
    let config = json!({"dataDir": "data"});
    let server = Running::start(&config, folder.path()).await;
    let schema = |columns: Value| json!({"schemaName": "events", "dimensionFieldSpecs": columns});
    let narrow = schema(json!([{"name": "ts", "dataType": "LONG", "defaultNullValue": 5}]));
    let added = server.call("POST", "/schemas", &narrow).await;
    assert_eq!(status(&added), (200, "events successfully added".into()));
    server
        .call("POST", "/tables", &table("events", &files))
        .await;
    assert_eq!(server.get("/tables/events/schema").await.json(), narrow);

    let wide = schema(
        json!([{"name": "ts", "dataType": "LONG"}, {"name": "user_id", "dataType": "STRING"}]),
    );
    let refused = server.call("POST", "/schemas?override=false", &wide).await;
    assert_eq!(refused.error().0, 409);
    assert_eq!(
        server.call("PUT", "/schemas/events", &wide).await.status,
        200
    );
    let incompatible = server.call("PUT", "/schemas/events", &narrow).await.error();
    assert_eq!(incompatible.0, 400);
    assert!(
        incompatible.1.contains("Missing columns: [user_id]"),
        "{}",
        incompatible.1
    );
    assert_eq!(
        server.call("PUT", "/schemas/other", &wide).await.status,
        400
    );

    let unreadable = schema(json!([{"name": "ts", "dataType": "STRING"}]));
    let (code, text) = server
        .call("POST", "/schemas?force=true", &unreadable)
        .await
        .error();
    assert_eq!(code, 400);
    assert!(
        text.contains("Column 'ts' is STRING in the schema but LONG in the files"),
        "{text}"
    );
    assert_eq!(server.get("/tables/events/schema").await.json(), wide);
    let in_use = server
        .call("DELETE", "/schemas/events", &Value::Null)
        .await
        .error();
    let text = "Cannot delete schema events, as it is associated with table events_OFFLINE";
    assert_eq!(in_use, (409, text.into()));
    server.stop().await;

    let server = Running::start(&config, folder.path()).await;
    assert_eq!(server.get("/schemas/events").await.json(), wide);
    assert_eq!(
        server.engine.tables.lock().unwrap()["events"]
            .1
            .fields()
            .len(),
        2
    );
    server.call("DELETE", "/tables/events", &Value::Null).await;
    assert_eq!(
        server
            .call("DELETE", "/schemas/events", &Value::Null)
            .await
            .status,
        200
    );
    assert_eq!(server.get("/schemas").await.json(), json!([]));
    server.stop().await;
}

#[tokio::test]
async fn a_table_whose_files_are_gone_says_so_and_hurts_no_other() {
    let folder = folder();
    let config = json!({"tables": [
        {"tableName": "gone", "source": {"path": "absent"}},
        {"tableName": "there", "source": {"path": "files"}}
    ]});
    let server = Running::start(&config, folder.path()).await;
    assert_eq!(
        server.get("/tables").await.json(),
        json!({"tables": ["gone", "there"]})
    );
    let answer = server.sql("from gone").await.json();
    assert_eq!(answer["exceptions"][0]["errorCode"], 190);
    let text = answer["exceptions"][0]["message"].as_str().unwrap();
    assert!(
        text.contains("Table gone is not served: ") && text.contains("no such file"),
        "{text}"
    );
    assert_eq!(server.get("/tables/gone/schema").await.status, 503);
    assert_eq!(
        server.sql("from there").await.json()["exceptions"],
        json!([])
    );
    let fixed = server
        .call("DELETE", "/tables/there", &Value::Null)
        .await
        .error();
    assert_eq!(fixed.0, 409);
    server.stop().await;
}

#[tokio::test]
async fn a_table_of_the_configuration_is_read_anew_but_not_changed() {
    let folder = folder();
    let config = json!({
        "tableRoots": ["files"],
        "tables": [{"tableName": "late", "source": {"path": "late"}}]
    });
    let server = Running::start(&config, folder.path()).await;
    assert_eq!(server.get("/tables/late/schema").await.status, 503);
    std::fs::create_dir(folder.path().join("late")).unwrap();
    let shown = server.get("/tables/late").await.json()["OFFLINE"].clone();
    let read = server.call("PUT", "/tables/late", &shown).await;
    assert_eq!(status(&read), (200, "Table config updated for late".into()));
    assert_eq!(server.get("/tables/late/schema").await.status, 200);
    let answer = server.sql("from late").await.json();
    assert_eq!(answer["exceptions"], json!([]));
    let other = table("late", &folder.path().join("files"));
    let changed = server.call("PUT", "/tables/late", &other).await.error();
    assert_eq!(changed.0, 409, "{}", changed.1);
    server.stop().await;
}

#[tokio::test]
async fn tables_may_be_confined_to_folders() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("secret")).unwrap();
    let config = json!({"tableRoots": ["files"]});
    let server = Running::start(&config, folder.path()).await;
    let outside = table("t", &folder.path().join("secret"));
    let (code, text) = server.call("POST", "/tables", &outside).await.error();
    assert_eq!(code, 400);
    assert!(
        text.contains("Does not allow files outside of tableRoots. Found "),
        "{text}"
    );
    let inside = server
        .call("POST", "/tables", &table("t", Path::new("files")))
        .await;
    assert_eq!(inside.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn tables_that_the_engine_brings_are_listed() {
    let double = Arc::<Double>::default();
    let schema = growler_schema::TableSchema::new("own", Vec::new());
    double
        .tables
        .lock()
        .unwrap()
        .insert("own".into(), ("x".into(), schema));
    let server = Running::start_with(&json!({}), Path::new(""), double).await;
    assert_eq!(
        server.get("/tables").await.json(),
        json!({"tables": ["own"]})
    );
    assert_eq!(
        server.get("/tables/own/schema").await.json(),
        json!({"schemaName": "own"})
    );
    assert_eq!(
        server
            .call("DELETE", "/tables/own", &Value::Null)
            .await
            .status,
        409
    );
    server.stop().await;
}
