//! Engines over sample and generated files, and answers as JSON.

use std::path::PathBuf;

use growler_exec::{Engine, EngineOptions, QueryOutcome, Request, View};
use growler_schema::{DataType, Field, FieldRole, TableSchema};
use growler_segment::FooterCache;
use serde_json::Value as Json;

/// Rows of an answer.
pub type Rows = Vec<Vec<Json>>;

/// Returns a path below the sample files.
pub fn sample(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata")
        .join(path)
}

/// Returns the parsed JSON of a sample file.
pub fn sample_json(path: &str) -> Json {
    serde_json::from_slice(&std::fs::read(sample(path)).unwrap()).unwrap()
}

/// Makes an engine of two threads.
pub fn engine() -> Engine {
    engine_with(2, 8192)
}

/// Makes an engine.
pub fn engine_with(threads: usize, batch_rows: usize) -> Engine {
    Engine::new(EngineOptions {
        threads,
        batch_rows,
        ..EngineOptions::default()
    })
    .unwrap()
}

/// Opens a table, with a schema inferred from its files.
pub fn view(name: &str, location: &str) -> View {
    View::open(name, location, None, &FooterCache::default()).unwrap()
}

/// Opens a table whose VARIANT column declares a key's type.
pub fn view_with_key(
    name: &str,
    location: &str,
    column: &str,
    key: &str,
    data_type: DataType,
) -> View {
    let inferred = view(name, location);
    let fields = inferred.schema().fields().iter().cloned().map(|mut field| {
        if field.name == column {
            let child = Field::new(key, FieldRole::Dimension, data_type.single());
            field.children.insert(key.to_owned(), child);
        }
        field
    });
    let schema = TableSchema::new(name, fields.collect());
    View::open(name, location, Some(&schema), &FooterCache::default()).unwrap()
}

/// Runs a query.
pub fn run(engine: &Engine, sql: &str) -> QueryOutcome {
    engine.query(sql, &Request::default())
}

/// Runs a query that must not fail; returns its rows.
pub fn rows(engine: &Engine, sql: &str) -> Rows {
    let outcome = run(engine, sql);
    assert_eq!(outcome.error, None, "{sql}");
    let table = outcome.response.result_table.expect("a table");
    let mut json = Vec::new();
    table.write_json_rows(&mut json).unwrap();
    serde_json::from_slice(&json).unwrap()
}

/// Runs a query that must fail; returns code and message.
pub fn failure(engine: &Engine, sql: &str) -> (u16, String) {
    let outcome = run(engine, sql);
    let error = outcome.error.unwrap_or_else(|| panic!("no error: {sql}"));
    (error.code(), error.to_string())
}

/// Parses expected rows.
pub fn expected(json: &str) -> Rows {
    serde_json::from_str(json).unwrap()
}

/// Compares rows; numbers that are equal are the same, whatever their form.
pub fn assert_rows(found: &Rows, expected: &Rows, what: &str) {
    let same = found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| {
            found.len() == expected.len()
                && found
                    .iter()
                    .zip(expected)
                    .all(|(found, expected)| same_cell(found, expected))
        });
    assert!(same, "{what}\n   found {found:?}\nexpected {expected:?}");
}

fn same_cell(found: &Json, expected: &Json) -> bool {
    match (found, expected) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (a, b) => a == b,
    }
}
