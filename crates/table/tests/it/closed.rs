//! Files of a table are closed, save while somebody needs them.

use std::sync::{Arc, Mutex};

use arrow_array::Int32Array;
use growler_exec::reload::{
    IndexPlan, IndexStore, ReloadOptions, load_indexes, needs_reload, reload_segment,
};
use growler_exec::{Engine, EngineOptions, Request, View};
use growler_schema::convert::table_config_from_json;
use growler_schema::wire::TableConfigJson;
use serde_json::json;

use crate::handmade::{Lake, array, column, fields, unpartitioned};
use crate::made::MadeManifest;

/// A table of some files of one row, the file's number.
fn table_of(lake: &Lake, count: usize) -> View {
    let files = (0..count).map(|at| {
        let values = array(Int32Array::from(vec![i32::try_from(at).unwrap()]));
        lake.data(&format!("{at:03}.parquet"), vec![column(1, "a", values)])
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
    assert_eq!(*lake.opened.lock().unwrap(), ["000.parquet"]);
}

#[test]
fn a_query_holds_some_files_open_whatever_their_number() {
    let lake = Lake::new();
    let view = table_of(&lake, 1);
    let file_bytes = view.segments()[0].opened().unwrap().memory_bytes();
    let ask = |files_of_memory: usize, sql: &str| {
        let options = EngineOptions {
            memory_bytes: file_bytes * files_of_memory,
            ..EngineOptions::default()
        };
        let engine = Engine::new(options).unwrap();
        engine.register(table_of(&lake, 300));
        let outcome = engine.query(sql, &Request::default());
        match (outcome.error, outcome.response.result_table) {
            (None, Some(table)) => {
                let mut rows = Vec::new();
                table.write_json_rows(&mut rows).unwrap();
                Ok(String::from_utf8(rows).unwrap())
            }
            (error, _) => Err(error.unwrap().to_string()),
        }
    };
    // Each file has one row: its number.
    for (sql, rows) in [
        ("SELECT SUM(a), COUNT(a) FROM t", "[[44850.0,300]]"),
        (
            "SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY a DESC LIMIT 2",
            "[[299,1],[298,1]]",
        ),
        (
            "SELECT a, $docId FROM t ORDER BY a LIMIT 3 OFFSET 150",
            "[[150,0],[151,0],[152,0]]",
        ),
        (
            "SELECT a % 3 FROM t WHERE a > 70 ORDER BY a % 100, a LIMIT 3",
            "[[1.0],[2.0],[2.0]]",
        ),
        ("SELECT DISTINCT a FROM t WHERE a < 2 LIMIT 9", "[[0],[1]]"),
        ("SELECT a FROM t LIMIT 2 OFFSET 250", "[[250],[251]]"),
    ] {
        assert_eq!(ask(150, sql).as_deref(), Ok(rows), "{sql}");
        assert_eq!(ask(10_000, sql).as_deref(), Ok(rows), "{sql}");
    }
    let error = ask(30, "SELECT SUM(a) FROM t").unwrap_err();
    assert!(error.contains("for=open files"), "{error}");
}

/// The same file under two schemas, in which one name is two columns.
#[test]
fn a_reload_under_another_schema_that_comes_between_leaves_no_index_of_the_wrong_column() {
    let lake = Lake::new();
    let values = |values: &[i32]| array(Int32Array::from(values.to_vec()));
    let columns = vec![
        column(1, "a", values(&[1, 2, 3])),
        column(2, "b", values(&[7, 8, 9])),
    ];
    let file = lake.data("f.parquet", columns);
    let view = |id: i32| {
        let columns = fields(&[(id, "a", json!("int"))]);
        let manifests = [MadeManifest::new(1, vec![file.clone()])];
        let table = lake.table(columns, unpartitioned(), &manifests, |_| {});
        Arc::new(lake.view(&table).unwrap())
    };
    let (old, new) = (view(1), view(2));
    let json = json!({"tableName": "t", "fieldConfigList": [{"name": "a", "encodingType": "RAW",
        "indexes": {"inverted": {}}}]});
    let json = TableConfigJson::parse(json.to_string().as_bytes()).unwrap();
    let config = table_config_from_json(&json, Some(old.schema())).unwrap();
    let plan = Arc::new(IndexPlan::new(&config, old.schema()));
    let folder = tempfile::tempdir().unwrap();
    let store = IndexStore::Folder(folder.path().to_owned());
    let between = {
        let (new, plan, store) = (new.clone(), plan.clone(), store.clone());
        let todo = Mutex::new(Some(()));
        move |_| {
            if todo.lock().unwrap().take().is_some() {
                reload_segment(&new, 0, &plan, &store, &ReloadOptions::default()).unwrap();
            }
        }
    };
    let options = ReloadOptions {
        progress: Some(Arc::new(between)),
        ..ReloadOptions::default()
    };
    let error = reload_segment(&old, 0, &plan, &store, &options).unwrap_err();
    assert!(error.to_string().contains("changed while"), "{error}");
    let found = |view: &View| load_indexes(&view.segments()[0], "t", &store).is_some();
    assert!(found(&new) && !found(&old));
    // Reloaded once more, the other one has its own again.
    reload_segment(&old, 0, &plan, &store, &ReloadOptions::default()).unwrap();
    assert!(found(&old) && !found(&new));
}
