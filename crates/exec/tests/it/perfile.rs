//! One table whose files are shredded differently: layout never changes an answer.

use growler_schema::DataType;

use crate::support::{Rows, assert_rows, engine, rows, sample, sample_json, view, view_with_key};

/// Our form of each query that the writers answered, by its name there.
const QUERIES: [(&str, &str); 11] = [
    ("count", "SELECT COUNT(*) FROM t"),
    (
        "home",
        "SELECT COUNT(*) FROM t WHERE props['page_type'] = 'HOME'",
    ),
    (
        "gold",
        "SELECT COUNT(*) FROM t WHERE props['user_tier'] = 'gold'",
    ),
    (
        "ios",
        "SELECT COUNT(*) FROM t WHERE props['device.os'] = 'ios'",
    ),
    (
        "lat_int_null",
        "SELECT COUNT(*) FROM t WHERE props['latency_ms'] IS NULL",
    ),
    (
        "lat_ge_120",
        "SELECT COUNT(*) FROM t WHERE props['latency_ms'] >= 120",
    ),
    (
        "tier_ne_gold",
        "SET enableNullHandling = true; SELECT COUNT(*) FROM t WHERE props['user_tier'] <> 'gold'",
    ),
    (
        "minmax",
        "SET enableNullHandling = true; SELECT MIN(props['latency_ms']), MAX(props['latency_ms']), \
         SUM(props['latency_ms']), COUNT(props['latency_ms']) FROM t",
    ),
    (
        "group",
        "SELECT props['page_type'] p, COUNT(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1",
    ),
    (
        "distinct",
        "SELECT COUNT(DISTINCT props['page_type']) FROM t",
    ),
    (
        "tag1",
        "SELECT COUNT(*) FROM t WHERE JSON_EXTRACT_SCALAR(props['tags'], '$[1]', 'STRING', 'none') \
         = 'common'",
    ),
];

fn answers(writer: &str) -> Vec<(&'static str, &'static str, Rows)> {
    let all = sample_json(&format!("{writer}/perfile/queries.expected.json"));
    let answer = |name: &str| serde_json::from_value(all[name]["result"].clone()).unwrap();
    assert_eq!(all.as_object().unwrap().len(), QUERIES.len());
    QUERIES
        .iter()
        .map(|(name, sql)| (*name, *sql, answer(name)))
        .collect()
}

#[test]
fn a_declared_type_answers_as_the_writers_do() {
    for writer in ["spark", "duckdb"] {
        let engine = engine();
        let folder = sample(&format!("{writer}/perfile"));
        let folder = folder.to_str().unwrap();
        engine.register(view_with_key(
            "t",
            folder,
            "props",
            "latency_ms",
            DataType::Int,
        ));
        for (name, sql, answer) in answers(writer) {
            assert_rows(&rows(&engine, sql), &answer, &format!("{writer} {name}"));
        }
    }
}

#[test]
fn mixed_types_read_as_text_and_count_numbers_alike() {
    for writer in ["spark", "duckdb"] {
        let engine = engine();
        engine.register(view(
            "t",
            sample(&format!("{writer}/perfile")).to_str().unwrap(),
        ));
        for (name, sql, mut answer) in answers(writer) {
            match name {
                // The four "n/a" are values of a text key.
                "lat_int_null" => answer = vec![vec![4.into()]],
                "minmax" => answer[0][3] = 46.into(),
                _ => {}
            }
            assert_rows(&rows(&engine, sql), &answer, &format!("{writer} {name}"));
        }
    }
}

#[test]
fn no_file_alone_answers_otherwise_than_in_the_table() {
    for writer in ["spark", "duckdb"] {
        let engine = engine();
        let folder = sample(&format!("{writer}/perfile"));
        engine.register(view("t", folder.to_str().unwrap()));
        let parts = engine.view("t").unwrap();
        let counted =
            "WHERE props['latency_ms'] BETWEEN 110 AND 130 AND props['device.os'] <> 'ios'";
        let mut sum = 0;
        for (idx, segment) in parts.segments().iter().enumerate() {
            let name = format!("f{idx}");
            engine.register(view(&name, segment.path().to_str().unwrap()));
            let found = rows(&engine, &format!("SELECT COUNT(*) FROM {name} {counted}"));
            sum += found[0][0].as_i64().unwrap();
        }
        let whole = rows(&engine, &format!("SELECT COUNT(*) FROM t {counted}"));
        assert_eq!(whole[0][0].as_i64(), Some(sum), "{writer}");
        assert!(sum > 0);
    }
}
