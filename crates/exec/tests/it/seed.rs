//! Every query of the VARIANT document on every layout of its four rows, of both writers.

use growler_schema::DataType;
use serde_json::Value as Json;

use crate::support::{
    Rows, assert_rows, engine, expected, failure, rows, sample, sample_json, view, view_with_key,
};

/// As what `latency_ms` is typed in a layout: it decides where answers may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Latency {
    Int,
    Long,
    Double,
    String,
    Untyped,
}

use Latency::{Double, Int, Long, String as Text, Untyped};

const LAYOUTS: [(&str, Latency); 30] = [
    ("duckdb/seed4_bigint", Long),
    ("duckdb/seed4_codec_brotli", Int),
    ("duckdb/seed4_codec_gzip", Int),
    ("duckdb/seed4_codec_lz4_raw", Int),
    ("duckdb/seed4_codec_snappy", Int),
    ("duckdb/seed4_codec_uncompressed", Int),
    ("duckdb/seed4_codec_zstd", Int),
    ("duckdb/seed4_dbl", Double),
    ("duckdb/seed4_devicewhole", Untyped),
    ("duckdb/seed4_infer", Long),
    ("duckdb/seed4_noarr", Int),
    ("duckdb/seed4_none", Untyped),
    ("duckdb/seed4_typed", Int),
    ("duckdb/seed4_v2", Int),
    ("duckdb/seed4_v2_none", Untyped),
    ("spark/seed4_bigint", Long),
    ("spark/seed4_codec_gzip", Int),
    ("spark/seed4_codec_lz4_raw", Int),
    ("spark/seed4_codec_snappy", Int),
    ("spark/seed4_codec_uncompressed", Int),
    ("spark/seed4_codec_zstd", Int),
    ("spark/seed4_infer", Untyped),
    ("spark/seed4_noarr", Int),
    ("spark/seed4_none", Untyped),
    ("spark/seed4_none_unannotated", Untyped),
    ("spark/seed4_partial", Untyped),
    ("spark/seed4_strlat", Text),
    ("spark/seed4_typed", Int),
    ("spark/seed4_typed_unannotated", Int),
    ("spark/seed4_v2pages", Int),
];

const IS_NULL: &str = "SELECT COUNT(*) FROM t WHERE props['latency_ms'] IS NULL";
const IS_NOT_NULL: &str = "SELECT COUNT(*) FROM t WHERE props['latency_ms'] IS NOT NULL";
const MIN_ON: &str = "SET enableNullHandling = true; SELECT MIN(props['latency_ms']), COUNT(props['latency_ms']) FROM t";
const MIN_OFF: &str = "SELECT MIN(props['latency_ms']) FROM t";
const ORDER_BY: &str =
    "SELECT user_id, props['latency_ms'] FROM t ORDER BY props['latency_ms'] DESC LIMIT 10";
const CAST: &str = "SELECT COUNT(*) FROM t WHERE CAST(props['latency_ms'] AS STRING) = '100'";

/// Returns the answer where the type of `latency_ms` in the layout changes it; none where it does not.
fn differing(latency: Latency, sql: &str) -> Option<&'static str> {
    Some(match (latency, sql) {
        // A string that is kept as text is a value like any other: only u-5 lacks the key.
        (Text | Untyped, IS_NULL) => "[[1]]",
        (Text | Untyped, IS_NOT_NULL) => "[[3]]",
        (Text | Untyped, MIN_ON) => "[[100, 3]]",
        // The default null value is that of the type.
        (Long, MIN_OFF) => "[[-9223372036854775808]]",
        (Double | Text | Untyped, MIN_OFF) => r#"[["-Infinity"]]"#,
        (Double, ORDER_BY) => r#"[["u-1", 110.0], ["u-0", 100.0], ["u-4", null], ["u-5", null]]"#,
        // Text sorts as text, and the default of a missing one is the text "null". A typed key that
        // is missing shows as null, one that no file types as that text.
        (Text, ORDER_BY) => r#"[["u-5", null], ["u-4", "n/a"], ["u-1", "110"], ["u-0", "100"]]"#,
        (Untyped, ORDER_BY) => {
            r#"[["u-5", "null"], ["u-4", "n/a"], ["u-1", "110"], ["u-0", "100"]]"#
        }
        (Double, CAST) => "[[0]]",
        _ => return None,
    })
}

/// Returns the document's queries and answers; u-4 and u-5 show null, as the table does.
fn queries() -> Vec<(String, Rows)> {
    let all = sample_json("seed_expected.json");
    let with_rows = all
        .as_array()
        .unwrap()
        .iter()
        .filter(|query| query["result"].is_array());
    with_rows
        .map(|query| {
            let rows = serde_json::from_value(query["result"].clone()).unwrap();
            (query["sql"].as_str().unwrap().to_owned(), rows)
        })
        .collect()
}

fn check(location: &str, declared: bool, latency: Latency) {
    let engine = engine();
    let path = sample(&format!("{location}.parquet"));
    let path = path.to_str().unwrap();
    engine.register(match declared {
        true => view_with_key("t", path, "props", "latency_ms", DataType::Int),
        false => view("t", path),
    });
    for (sql, mut answer) in queries() {
        if let Some(differing) = differing(latency, &sql) {
            answer = expected(differing);
        }
        let mut found = rows(&engine, &sql);
        if sql.starts_with("SELECT props FROM") {
            found = documents(found);
            answer = documents(answer);
        }
        if sql.ends_with("ORDER BY COUNT(*) DESC") {
            // HOME and CART tie: either may come first.
            found.sort_by_key(|row| row[0].to_string());
            answer.sort_by_key(|row| row[0].to_string());
        }
        assert_rows(
            &found,
            &answer,
            &format!("{location} declared={declared}: {sql}"),
        );
    }
    let (code, message) = failure(
        &engine,
        "SELECT COUNT(*) FROM t WHERE JSON_MATCH(props, '\"$.a\" = 1')",
    );
    assert_eq!(code, 700, "{message}");
    assert!(message.ends_with("Cannot apply JSON_MATCH on column: props without json index"));
}

/// Compares documents as JSON: the order of keys does not matter.
fn documents(rows: Rows) -> Rows {
    let parsed = |cell: Json| serde_json::from_str::<Json>(cell.as_str().unwrap()).unwrap();
    let sorted = |cell: Json| Json::String(canonical(&parsed(cell)));
    rows.into_iter()
        .map(|row| row.into_iter().map(sorted).collect())
        .collect()
}

fn canonical(value: &Json) -> String {
    match value {
        Json::Object(fields) => {
            let mut texts: Vec<_> = fields
                .iter()
                .map(|(key, value)| format!("{key}:{}", canonical(value)))
                .collect();
            texts.sort();
            format!("{{{}}}", texts.join(","))
        }
        Json::Array(items) => {
            format!(
                "[{}]",
                items.iter().map(canonical).collect::<Vec<_>>().join(",")
            )
        }
        other => other.to_string(),
    }
}

#[test]
fn every_layout_answers_as_the_document_says() {
    for (location, latency) in LAYOUTS {
        check(location, false, latency);
    }
}

#[test]
fn a_declared_type_makes_every_layout_answer_alike() {
    for (location, _) in LAYOUTS {
        check(location, true, Int);
    }
}

#[test]
fn all_layouts_are_listed() {
    for writer in ["spark", "duckdb"] {
        for file in std::fs::read_dir(sample(writer)).unwrap() {
            let file = file.unwrap().file_name().into_string().unwrap();
            if let Some(name) = file
                .strip_suffix(".parquet")
                .filter(|name| name.starts_with("seed4_"))
            {
                let name = format!("{writer}/{name}");
                assert!(LAYOUTS.iter().any(|(listed, _)| *listed == name), "{name}");
            }
        }
    }
}
