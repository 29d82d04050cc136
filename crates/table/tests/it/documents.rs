//! VARIANT tables of Spark 4, Iceberg Java and DuckDB: whole documents as Spark and DuckDB show them.

use std::collections::BTreeSet;

use growler_catalog::SnapshotSelector;
use serde_json::Value;

use crate::answers::{Table, index, view};
use crate::samples::{expectations, find, samples};

/// One form for documents: fields in order, numbers by their value; a root that is no object is null,
/// as it is read here.
fn root(value: &Value) -> Value {
    let parsed = match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        other => other.clone(),
    };
    match parsed {
        Value::Object(_) => nested(&parsed),
        _ => Value::Null,
    }
}

fn nested(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(name, _)| name.as_str());
            let sorted = sorted.into_iter();
            Value::Object(
                sorted
                    .map(|(name, value)| (name.clone(), nested(value)))
                    .collect(),
            )
        }
        Value::Array(items) => items.iter().map(nested).collect(),
        Value::Number(number) => {
            let number: f64 = number.to_string().parse().unwrap();
            Value::String(format!("{number:e}"))
        }
        other => other.clone(),
    }
}

/// The table that a query of another engine is about: its writer and name.
fn asked(sql: &str, engine: &str) -> Option<(String, String)> {
    let (_, from) = sql
        .to_lowercase()
        .split_once(" from ")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))?;
    let place = from.split_whitespace().next()?.replace('`', "");
    let mut parts = place.split('.');
    let (catalog, name) = (parts.next()?, parts.next_back()?);
    let writer = if catalog == "jv" { "java" } else { engine };
    Some((writer.to_owned(), name.to_owned()))
}

#[test]
fn documents_are_those_that_other_engines_show() {
    let samples = samples();
    let mut seen = BTreeSet::new();
    for engine in ["spark40", "duckdb15"] {
        let Some(Value::Array(queries)) = expectations(engine).pop() else {
            continue;
        };
        for query in &queries {
            let sql = query["sql"].as_str().unwrap();
            let is_documents = sql.contains("ORDER BY ts") || sql.contains("order by ts");
            let (Some((writer, name)), true) = (asked(sql, engine), is_documents) else {
                continue;
            };
            let Some(sample) = find(&samples, &writer, &name).pop() else {
                continue;
            };
            let expected = query["result"].as_array().unwrap();
            let place = format!("{writer}/{name}");
            let folder = tempfile::tempdir().unwrap();
            let plain = view(&sample.open(), SnapshotSelector::Current);
            let indexed = index(
                view(&sample.open(), SnapshotSelector::Current),
                folder.path(),
                |at| at == 0,
            );
            for table in [Table::of(plain), Table::of(indexed)] {
                let soft = "SET variantNonObjectRoot = 'null';";
                let sql =
                    format!("{soft} SELECT ts, user_id, props FROM t ORDER BY ts LIMIT 100000");
                let found = table.rows(&sql);
                assert_eq!(found.len(), expected.len(), "{place}");
                for (found, expected) in found.iter().zip(expected) {
                    assert_eq!(found[..2], expected.as_array().unwrap()[..2], "{place}");
                    assert_eq!(root(&found[2]), root(&expected[2]), "{place}");
                }
                assert_eq!(
                    table.number("SELECT COUNT(*) FROM t"),
                    expected.len() as i64
                );
                for row in expected.iter().take(3) {
                    let user = row[1].as_str().unwrap();
                    let sql = format!("SELECT COUNT(*) FROM t WHERE user_id = '{user}'");
                    let same = expected.iter().filter(|other| other[1] == row[1]).count();
                    assert_eq!(table.number(&sql), same as i64, "{place}");
                }
            }
            seen.insert(place);
        }
    }
    eprintln!("documents of {} tables", seen.len());
}

#[test]
fn keys_of_tables_with_deletes_count_as_their_writer_counts() {
    let samples = samples();
    let Some(sample) = find(&samples, "duckdb15", "events_variant").pop() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let open = || view(&sample.open(), SnapshotSelector::Current);
    for table in [
        Table::of(open()),
        Table::of(index(open(), folder.path(), |_| false)),
    ] {
        assert_eq!(table.number("SELECT COUNT(*) FROM t"), 51);
        assert_eq!(
            table.number("SELECT COUNT(*) FROM t WHERE props['page_type'] = 'HOME'"),
            17
        );
        let groups = "SELECT props['page_type'], COUNT(*) FROM t GROUP BY 1 ORDER BY 1";
        let groups: Vec<Value> = table.rows(groups).into_iter().map(Value::from).collect();
        assert_eq!(
            Value::from(groups),
            serde_json::json!([["CART", 17], ["HOME", 17], ["SEARCH", 17]])
        );
    }
}
