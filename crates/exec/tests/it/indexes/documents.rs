//! Predicates on what JSON has inside: of a column of text, and of a VARIANT column's arrays.

use std::sync::Arc;

use growler_exec::reload::{IndexPlan, IndexStore, ReloadOptions, needs_reload, reload_segment};
use growler_exec::{Engine, Request, View};
use growler_index::Reading;
use growler_schema::convert::table_config_from_json;
use growler_schema::wire::TableConfigJson;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::generate::{Cut, Files, batch, ints, texts};
use crate::support::{engine, sample, view};

/// A table with indexes that a reload built.
struct Reloaded {
    engine: Engine,
    view: Arc<View>,
    store: IndexStore,
    _folder: TempDir,
}

fn plan(view: &View, column: &str, indexes: &Value) -> IndexPlan {
    let fields = json!([{"name": column, "encodingType": "RAW", "indexes": indexes}]);
    let json = json!({"tableName": "t", "fieldConfigList": fields}).to_string();
    let json = TableConfigJson::parse(json.as_bytes()).unwrap();
    let config = table_config_from_json(&json, Some(view.schema())).unwrap();
    IndexPlan::new(&config, view.schema())
}

impl Reloaded {
    fn new(view: View, column: &str, indexes: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = IndexStore::Folder(folder.path().to_owned());
        let engine = engine();
        let mut table = Self {
            view: engine.register(view),
            engine,
            store,
            _folder: folder,
        };
        table.reload(column, indexes);
        table
    }

    fn reload(&mut self, column: &str, indexes: &Value) {
        let plan = plan(&self.view, column, indexes);
        let options = ReloadOptions::default();
        for idx in 0..self.view.segments().len() {
            let done = reload_segment(&self.view, idx, &plan, &self.store, &options).unwrap();
            let next = self.view.with_segment_indexes(idx, done.indexes);
            self.view = self.engine.register(next);
            assert!(!needs_reload(&self.view, idx, &plan, &self.store));
            let again = reload_segment(&self.view, idx, &plan, &self.store, &options).unwrap();
            assert!(!again.changed && again.built.is_empty());
        }
    }

    /// Returns the count that a filter gives, the same as a scan's, and how many values it read.
    fn count(&self, filter: &str) -> (i64, u64) {
        let ask = |options: &str| {
            let sql = format!("SET {options}; SELECT COUNT(*) FROM t WHERE {filter}");
            let outcome = self.engine.query(&sql, &Request::default());
            assert_eq!(outcome.error, None, "{sql}");
            let mut json = Vec::new();
            let table = outcome.response.result_table.unwrap();
            table.write_json_rows(&mut json).unwrap();
            let rows: Vec<Vec<i64>> = serde_json::from_slice(&json).unwrap();
            let scanned = outcome.response.statistics.num_entries_scanned_in_filter;
            (rows[0][0], scanned)
        };
        for null_handling in [true, false] {
            let options = format!("enableNullHandling={null_handling}");
            let found = ask(&options);
            let scan = ask(&format!("{options}; SET skipIndexes='*'"));
            assert_eq!(found.0, scan.0, "{filter} {options}");
            if !null_handling {
                return found;
            }
        }
        unreachable!()
    }

    fn plan_of(&self, filter: &str) -> Vec<String> {
        let sql = format!("EXPLAIN PLAN FOR SELECT id FROM t WHERE {filter}");
        let found = crate::support::rows(&self.engine, &sql);
        let text = |row: &Vec<Value>| row[0].as_str().unwrap().to_owned();
        found.iter().map(text).collect()
    }
}

const DOCUMENTS: [Option<&str>; 10] = [
    Some(
        r#"{"a":{"b":"x"},"tags":["red","blue"],"items":[{"sku":1,"n":2},{"sku":2,"n":1}],"n":5}"#,
    ),
    Some(r#"{"a":{"b":"y"},"tags":["red"],"items":[{"sku":1,"n":1}],"n":7.5}"#),
    Some(r#"{"a":{"b":"x"},"tags":[],"items":[],"n":"12"}"#),
    Some(r#"{"a":{"b":null},"n":null}"#),
    Some(r#"{"a.b":"x"}"#),
    None,
    Some("not json"),
    Some(r#"{"tags":["green","red","blue","black","white","grey"],"n":1}"#),
    Some("[1,2]"),
    Some("{}"),
];

fn documents() -> Files {
    let ids: Vec<Option<i32>> = (0..DOCUMENTS.len() as i32).map(Some).collect();
    let table = batch(vec![("id", ints(&ids)), ("j", texts(&DOCUMENTS))]);
    Files::new(&[table], Cut::default())
}

#[test]
fn filters_on_json_text_are_answered_without_a_scan() {
    let files = documents();
    let table = Reloaded::new(files.view("t"), "j", &json!({"json": {}}));
    // A filter, rows, values read.
    for (filter, rows, scanned) in [
        (r#"JSON_MATCH(j, '"$.a.b" = ''x''')"#, 3, 0),
        (r#"JSON_MATCH(j, '"$.a.b" <> ''x''')"#, 1, 0),
        (r#"JSON_MATCH(j, '"$.a.b" IS NOT NULL')"#, 4, 0),
        (r#"JSON_MATCH(j, '"$.a.b" IS NULL')"#, 6, 0),
        (r#"JSON_MATCH(j, '"$.tags[*]" = ''red''')"#, 3, 0),
        (r#"JSON_MATCH(j, '"$.tags[1]" = ''red''')"#, 1, 0),
        (r#"JSON_MATCH(j, '"$.tags[5]" = ''grey''')"#, 1, 1),
        (r#"JSON_MATCH(j, '"$.n" > 5')"#, 2, 0),
        (
            r#"JSON_MATCH(j, '"$.n" BETWEEN 1 AND 5 OR "$.tags[*]" LIKE ''%re%''')"#,
            3,
            0,
        ),
        (
            r#"JSON_MATCH(j, 'REGEXP_LIKE("$.tags[*]", ''gr.*'')')"#,
            1,
            0,
        ),
        (
            r#"JSON_MATCH(j, '"$.a.b" = ''x'' AND "$.tags[*]" = ''blue''')"#,
            1,
            0,
        ),
        // Elements of one array are known row by row only: the rows that may pass are looked at.
        (
            r#"JSON_MATCH(j, '"$.items[*].sku" = 1 AND "$.items[*].n" = 1')"#,
            1,
            2,
        ),
        (r#"JSON_MATCH(j, '"$.nowhere" = 1')"#, 0, 0),
        (r#"NOT JSON_MATCH(j, '"$.a.b" = ''x''')"#, 7, 0),
        (
            "JSON_EXTRACT_SCALAR(j, '$.a.b', 'STRING', 'none') = 'x'",
            2,
            0,
        ),
        (
            "JSON_EXTRACT_SCALAR(j, '$.a.b', 'STRING', 'none') <> 'x'",
            8,
            0,
        ),
        (
            "JSON_EXTRACT_SCALAR(j, '$[''a.b'']', 'STRING', 'none') = 'x'",
            1,
            0,
        ),
        ("JSON_EXTRACT_SCALAR(j, '$.a.b', 'STRING', 'x') = 'x'", 9, 0),
        ("JSON_EXTRACT_SCALAR(j, '$.n', 'LONG', 0) >= 7", 2, 0),
        ("JSON_EXTRACT_SCALAR(j, '$.n', 'DOUBLE', 0) = 7.5", 1, 0),
        (
            "JSON_EXTRACT_SCALAR(j, '$.n', 'LONG', null) IN (5, 1)",
            2,
            0,
        ),
        (
            "JSON_EXTRACT_SCALAR(j, '$.tags[0]', 'STRING', '') = 'red'",
            2,
            0,
        ),
        (
            "JSON_EXTRACT_SCALAR(j, '$.tags[0]', 'STRING', '') LIKE 're%'",
            2,
            0,
        ),
        (
            "JSON_EXTRACT_SCALAR(j, '$.tags[4]', 'STRING', '') = 'white'",
            1,
            1,
        ),
        (
            "JSON_EXTRACT_SCALAR(j, '$.items[1].sku', 'INT', 0) = 2",
            1,
            0,
        ),
        ("JSON_EXTRACT_SCALAR(j, '$.nowhere', 'INT', 0) = 2", 0, 0),
        (
            "JSON_EXTRACT_SCALAR(j, '$.tags', 'STRING_ARRAY', '') = 'blue'",
            2,
            0,
        ),
        (
            "JSON_EXTRACT_SCALAR(j, '$.tags[*]', 'STRING_ARRAY', '') <> 'blue'",
            8,
            0,
        ),
        (
            "JSON_EXTRACT_SCALAR(j, '$.items[*].sku', 'INT_ARRAY', 0) = 1",
            2,
            0,
        ),
        // An array's own text is in no dictionary.
        (
            "JSON_EXTRACT_SCALAR(j, '$.tags', 'STRING', '') = '[]'",
            1,
            4,
        ),
    ] {
        assert_eq!(table.count(filter), (rows, scanned), "{filter}");
    }
    let plan = table.plan_of(r#"JSON_MATCH(j, '"$.a.b" = ''x''')"#);
    let expected = "FILTER_JSON_INDEX(indexLookUp:json_index,operator:JSON_MATCH,predicate:";
    assert!(plan.last().unwrap().starts_with(expected), "{plan:#?}");
    let plan = table.plan_of("JSON_EXTRACT_SCALAR(j, '$.a.b', 'STRING', 'none') = 'x'");
    let expected = "FILTER_JSON_INDEX(indexLookUp:json_index,operator:EQ,predicate:";
    assert!(plan.last().unwrap().starts_with(expected), "{plan:#?}");
}

#[test]
fn an_index_on_json_goes_when_it_is_wanted_no_more() {
    let files = documents();
    let mut table = Reloaded::new(files.view("t"), "j", &json!({"json": {}}));
    let filter = r#"JSON_MATCH(j, '"$.a.b" = ''x''')"#;
    assert_eq!(table.count(filter), (3, 0));
    table.reload("j", &json!({"json": {"excludePaths": ["$.a"]}}));
    assert_eq!(table.count(filter), (3, 10));
    table.reload("j", &json!({"inverted": {}}));
    assert_eq!(table.count(filter), (3, 10));
    let indexes = table.view.indexes(0).unwrap();
    let mut entries = indexes.entries().iter();
    assert!(entries.all(|entry| entry.subject.reading != Reading::Json));
    table.reload("j", &json!({}));
    assert!(table.view.indexes(0).is_none());
}

#[test]
fn arrays_of_a_variant_are_answered_without_a_scan() {
    let config = json!({"open_struct": {"sparseFieldConfig": {
        "name": "props$__sparse__", "indexes": {"json": {"excludeArray": false}}}}});
    for name in ["spark/seed4_none.parquet", "spark/seed4_typed.parquet"] {
        let view = view("t", sample(name).to_str().unwrap());
        let table = Reloaded::new(view, "props", &config);
        for (filter, rows) in [
            (
                "JSON_EXTRACT_SCALAR(props, '$.tags[1]', 'STRING', 'none') = 'common'",
                2,
            ),
            (
                "JSON_EXTRACT_SCALAR(props['tags'], '$[1]', 'STRING', 'none') = 'common'",
                2,
            ),
            (
                "JSON_EXTRACT_SCALAR(props, '$.items[0].promo.code', 'STRING', 'none') = 'P0'",
                2,
            ),
            (
                "JSON_EXTRACT_SCALAR(props['items'], '$[0].promo.code', 'STRING', 'none') = 'P0'",
                2,
            ),
            (
                "JSON_EXTRACT_SCALAR(props, '$.tags', 'STRING_ARRAY', '') = 'common'",
                2,
            ),
            (
                "JSON_EXTRACT_SCALAR(props, '$.tags[*]', 'STRING_ARRAY', '') = 't1'",
                1,
            ),
            (
                "JSON_EXTRACT_SCALAR(props['items'], '$[*].sku', 'STRING_ARRAY', '') = 'sku-4-1'",
                1,
            ),
        ] {
            assert_eq!(table.count(filter), (rows, 0), "{name} {filter}");
        }
        // A key outside of arrays is found by the index of its own values.
        for filter in [
            "JSON_EXTRACT_SCALAR(props, '$.user_tier', 'STRING', 'none') = 'gold'",
            "JSON_EXTRACT_SCALAR(props, '$.session', 'STRING', 'none') <> 's-1'",
            "JSON_EXTRACT_SCALAR(props, '$.session', 'STRING', null) LIKE 's-%'",
            "JSON_EXTRACT_SCALAR(props, '$.nowhere', 'LONG', 5) >= 5",
        ] {
            assert_eq!(table.count(filter).1, 0, "{name} {filter}");
        }
        let refused = "SELECT COUNT(*) FROM t WHERE JSON_MATCH(props, '\"$.tags[*]\" = ''t1''')";
        let outcome = table.engine.query(refused, &Request::default());
        let error = outcome.error.unwrap().to_string();
        assert!(error.contains("Cannot apply JSON_MATCH on column: props without json index"));
    }
}

#[test]
fn hostile_documents_are_left_to_the_scan() {
    let deep = format!(
        "{{\"a\":1,\"x\":{}1{}}}",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    let nested = format!("{{\"a\":1,\"x\":{}1{}}}", "[".repeat(100), "]".repeat(100));
    let wide: Vec<String> = (0..70_000).map(|n| n.to_string()).collect();
    let wide = format!("{{\"a\":1,\"x\":[{}]}}", wide.join(","));
    let names: Vec<String> = (0..20_000).map(|n| format!("\"n{n}\":1")).collect();
    let names = format!("{{\"a\":1,{}}}", names.join(","));
    let documents = [
        Some(r#"{"a":1}"#),
        Some(deep.as_str()),
        Some(nested.as_str()),
        Some(wide.as_str()),
        Some(names.as_str()),
        Some(r#"{"a":2}"#),
    ];
    let table = batch(vec![("id", ints(&[Some(1); 6])), ("j", texts(&documents))]);
    let files = Files::new(&[table], Cut::default());
    let table = Reloaded::new(files.view("t"), "j", &json!({"json": {}}));
    let (rows, scanned) = table.count("JSON_EXTRACT_SCALAR(j, '$.a', 'INT', 0) = 1");
    assert_eq!(rows, 5);
    assert!(scanned <= 4, "{scanned}");
    assert_eq!(table.count(r#"JSON_MATCH(j, '"$.a" = 1')"#).0, 4);
}

#[test]
fn elements_that_do_not_convert_are_no_defaults() {
    let documents = [
        Some(r#"{"a":["abc"]}"#),
        Some(r#"{"a":[0,"abc"]}"#),
        Some(r#"{"a":["9223372036854775808", 4]}"#),
        Some(r#"{"a":5}"#),
        Some(r#"{"a":{"$serde_json::private::Number":"12"}}"#),
    ];
    let table = batch(vec![("id", ints(&[Some(1); 5])), ("j", texts(&documents))]);
    let files = Files::new(&[table], Cut::default());
    let table = Reloaded::new(files.view("t"), "j", &json!({"json": {}}));
    for (data_type, test, expected) in [
        ("LONG_ARRAY", "= 0", 1),
        ("LONG_ARRAY", "< 5", 2),
        ("DOUBLE_ARRAY", ">= 0", 2),
        ("INT_ARRAY", "<> 0", 1),
    ] {
        for default in ["null", "7"] {
            let found = format!("JSON_EXTRACT_SCALAR(j, '$.a', '{data_type}', {default}) {test}");
            let (rows, _) = table.count(&found);
            if default == "null" && !test.starts_with('<') {
                assert_eq!(rows, expected, "{found}");
            }
            table.count(&format!("NOT ({found})"));
        }
    }
    let inside = "JSON_EXTRACT_SCALAR(j, '$.a[''$serde_json::private::Number'']', 'STRING', 'x')";
    assert_eq!(table.count(&format!("{inside} = '5'")).0, 0);
    table.count(&format!("{inside} <> '5'"));
}

#[test]
fn damage_anywhere_changes_no_answer() {
    let files = documents();
    let table = Reloaded::new(files.view("t"), "j", &json!({"json": {}}));
    let indexes = table.view.indexes(0).unwrap();
    let path = indexes.path().to_owned();
    let sound = std::fs::read(&path).unwrap();
    let filters = [
        r#"JSON_MATCH(j, '"$.tags[*]" = ''red''')"#,
        r#"JSON_MATCH(j, '"$.a.b" IS NULL')"#,
        "JSON_EXTRACT_SCALAR(j, '$.n', 'DOUBLE', 0) >= 5",
        "JSON_EXTRACT_SCALAR(j, '$.tags[*]', 'STRING_ARRAY', '') <> 'blue'",
    ];
    let counts: Vec<i64> = filters.iter().map(|filter| table.count(filter).0).collect();
    for at in (128..sound.len()).step_by(64) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x55;
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, &bytes).unwrap();
        let segment = &table.view.segments()[0];
        let damaged = growler_exec::reload::load_indexes(segment, "t", &table.store);
        let view = table.view.with_segment_indexes(0, damaged);
        table.engine.register(view);
        // Twice: what was found damaged once is not there the next time.
        for _ in 0..2 {
            let found: Vec<i64> = filters.iter().map(|filter| table.count(filter).0).collect();
            assert_eq!(found, counts, "{at}");
        }
    }
}
