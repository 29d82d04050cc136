//! Files of a table are closed, save while somebody needs them.

use arrow_array::Int32Array;
use growler_exec::reload::{IndexPlan, IndexStore, needs_reload};
use growler_exec::{Engine, EngineOptions, Request, View};
use growler_schema::convert::table_config_from_json;
use growler_schema::wire::TableConfigJson;
use serde_json::json;

use crate::handmade::{Lake, array, column, fields, unpartitioned};
use crate::made::MadeManifest;

/// A table of some files of one row.
fn table_of(lake: &Lake, count: usize) -> View {
    let files = (0..count).map(|at| {
        let values = array(Int32Array::from(vec![1]));
        lake.data(&format!("{at}.parquet"), vec![column(1, "a", values)])
    });
    let manifests = [MadeManifest::new(1, files.collect())];
    let columns = fields(&[(1, "a", json!("int"))]);
    let table = lake.table(columns, unpartitioned(), &manifests, |_| {});
    lake.view(&table).unwrap()
}

#[test]
fn a_look_whether_to_reload_leaves_files_closed() {
    let lake = Lake::new();
    let view = table_of(&lake, 1);
    let indexes = json!({"inverted": {}, "dictionary": {}});
    let json = json!({"tableName": "t", "fieldConfigList": [{"name": "a", "encodingType": "RAW", "indexes": indexes}]});
    let json = TableConfigJson::parse(json.to_string().as_bytes()).unwrap();
    let config = table_config_from_json(&json, Some(view.schema())).unwrap();
    let plan = IndexPlan::new(&config, view.schema());
    let folder = tempfile::tempdir().unwrap();
    let store = IndexStore::Folder(folder.path().to_owned());
    assert!(needs_reload(&view, 0, &plan, &store));
    lake.opened.lock().unwrap().clear();
    view.segments()[0].opened().unwrap();
    assert_eq!(*lake.opened.lock().unwrap(), ["0.parquet"]);
}

#[test]
fn a_query_over_more_files_than_its_memory_holds_open_fails() {
    let lake = Lake::new();
    let view = table_of(&lake, 1);
    let file_bytes = view.segments()[0].opened().unwrap().memory_bytes();
    let ask = |count: usize, sql: &str| {
        let options = EngineOptions {
            memory_bytes: file_bytes * 100,
            ..EngineOptions::default()
        };
        let engine = Engine::new(options).unwrap();
        engine.register(table_of(&lake, count));
        let outcome = engine.query(sql, &Request::default());
        outcome.error.map(|error| error.to_string())
    };
    assert_eq!(ask(4, "SELECT SUM(a) FROM t"), None);
    let error = ask(200, "SELECT SUM(a) FROM t").unwrap();
    assert!(error.contains("for=open files"), "{error}");
    // These are found in the first files, or in some after the others.
    assert_eq!(ask(200, "SELECT a FROM t LIMIT 3"), None);
    assert_eq!(ask(200, "SELECT a FROM t LIMIT 199"), None);
}
