//! Predicates are told by ids where values have them, and then answer as predicates on values do.

use std::{fs::File, path::Path, sync::Arc};

use arrow_array::{
    Array, ArrayRef, BinaryArray, Int32Array, RecordBatch, StringArray, StructArray,
};
use arrow_schema::{Field, Schema};
use growler_exec::{Engine, Request};
use growler_segment::write::{WriteOptions, Writer, variant_field};
use serde_json::Value as Json;

use crate::generate::{Cut, Files};
use crate::support::{engine_with, rows, view};

/// Texts and numbers, some missing; every value comes again, in runs in the second half.
fn batch(row_count: i32) -> RecordBatch {
    let value = |row: i32| match row < row_count / 2 {
        true => row.wrapping_mul(7919) % 300,
        false => row / 40 % 300,
    };
    let texts = (0..row_count).map(|row| (row % 11 != 3).then(|| format!("v{}", value(row))));
    let few = (0..row_count).map(|row| Some(["x", "y", "z"][value(row) as usize % 3]));
    let numbers = (0..row_count).map(|row| (row % 13 != 4).then(|| value(row) - 100));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("t", Arc::new(texts.collect::<StringArray>())),
        ("f", Arc::new(few.collect::<StringArray>())),
        ("n", Arc::new(numbers.collect::<Int32Array>())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

const FILTERS: [&str; 16] = [
    "t = 'v7'",
    "t <> 'v7'",
    "t IN ('v1', 'v17', 'v18', 'absent')",
    "t LIKE 'v1%'",
    "t IS NULL",
    "NOT (t > 'v2')",
    "f = 'x'",
    "f <> 'y'",
    "n BETWEEN 10 AND 120",
    "n = 50 OR n IS NULL",
    "n IS NOT NULL AND f = 'z'",
    "n < 0 AND t > 'v5' AND f <> 'x'",
    "NOT (n >= 3 OR t = 'null')",
    "UPPER(t) = 'V7'",
    "n + 1 > 20",
    "t = f",
];

fn count(engine: &Engine, table: &str, filter: &str, nulls: bool) -> (Vec<Vec<Json>>, u64) {
    let sql =
        format!("SET enableNullHandling = {nulls}; SELECT COUNT(*) FROM {table} WHERE {filter}");
    let request = Request::default();
    let outcome = engine.query(&sql, &request);
    assert_eq!(outcome.error, None, "{sql}");
    (rows(engine, &sql), request.progress.rows_tested_by_ids())
}

#[test]
fn predicates_on_ids_answer_as_predicates_on_values_do() {
    let batch = batch(20_000);
    let cut = Cut::default();
    let plain = Files::new(
        std::slice::from_ref(&batch),
        Cut {
            dictionary: false,
            ..cut
        },
    );
    let cuts = [
        cut,
        Cut {
            page_rows: 700,
            ..cut
        },
        Cut {
            row_group_rows: 6000,
            page_rows: 2500,
            ..cut
        },
    ];
    let files: Vec<Files> = cuts
        .iter()
        .map(|cut| Files::new(std::slice::from_ref(&batch), *cut))
        .collect();
    for (threads, batch_rows) in [(1, 8192), (2, 1000)] {
        let engine = engine_with(threads, batch_rows);
        plain.register(&engine, "plain");
        for (idx, files) in files.iter().enumerate() {
            files.register(&engine, &format!("ids{idx}"));
        }
        for filter in FILTERS {
            for nulls in [false, true] {
                let (expected, by_ids) = count(&engine, "plain", filter, nulls);
                assert_eq!(by_ids, 0, "{filter}");
                for idx in 0..files.len() {
                    let (found, by_ids) = count(&engine, &format!("ids{idx}"), filter, nulls);
                    assert_eq!(found, expected, "{filter} {idx}");
                    // Of two columns there is no dictionary.
                    let is_told = filter != "t = f";
                    assert_eq!(by_ids > 0, is_told, "{filter} {idx} {by_ids}");
                }
            }
        }
    }
}

/// Documents of one key, shredded as INT: numbers, some of them in the residual, texts, JSON nulls and
/// rows without the key.
fn shredded(path: &Path, row_count: i32) {
    let residual = |row: i32| -> Option<&'static [u8]> {
        match row % 50 {
            3 => Some(b"\x0dn/a"),
            7 => Some(&[0x00]),
            11 => Some(&[0x0c, 5]),
            _ => None,
        }
    };
    let has_key = |row: i32| row % 17 != 2;
    let residuals = (0..row_count).map(|row| residual(row).filter(|_| has_key(row)));
    let numbers =
        (0..row_count).map(|row| (has_key(row) && residual(row).is_none()).then_some(row % 97));
    let key = group(vec![
        ("value", Arc::new(residuals.collect::<BinaryArray>())),
        ("typed_value", Arc::new(numbers.collect::<Int32Array>())),
    ]);
    let metadata = BinaryArray::from_iter_values((0..row_count).map(|_| b"\x01\x01\x00\x01k"));
    let nothing: Option<&[u8]> = None;
    let props = group(vec![
        ("metadata", Arc::new(metadata)),
        (
            "value",
            Arc::new((0..row_count).map(|_| nothing).collect::<BinaryArray>()),
        ),
        ("typed_value", group(vec![("k", key)])),
    ]);
    let schema = Schema::new(vec![variant_field("props", props.data_type(), true)]);
    let schema = Arc::new(schema);
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![props]).unwrap();
    let options = WriteOptions {
        dictionary: true,
        page_rows: 900,
        ..WriteOptions::default()
    };
    let mut writer = Writer::try_new(File::create(path).unwrap(), &schema, &options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn group(columns: Vec<(&str, ArrayRef)>) -> ArrayRef {
    let field = |(name, array): &(&str, ArrayRef)| {
        Field::new(*name, array.data_type().clone(), *name != "metadata")
    };
    let fields: Vec<Field> = columns.iter().map(field).collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    Arc::new(StructArray::new(fields.into(), arrays, None))
}

/// A predicate on the value of a row.
type Passes = fn(Option<i32>) -> bool;

#[test]
fn a_key_with_values_beside_its_typed_leaf_is_told_by_both() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    shredded(&path, 10_000);
    let value = |row: i32| match (row % 17, row % 50) {
        (2, _) | (_, 3 | 7) => None,
        (_, 11) => Some(5),
        _ => Some(row % 97),
    };
    let expected =
        |passes: fn(Option<i32>) -> bool| (0..10_000).filter(|row| passes(value(*row))).count();
    let engine = engine_with(1, 8192);
    engine.register(view("t", path.to_str().unwrap()));
    let cases: [(&str, Passes); 5] = [
        ("props['k'] = 5", |value| value == Some(5)),
        ("props['k'] IN (5, 50, 96)", |value| {
            matches!(value, Some(5 | 50 | 96))
        }),
        ("props['k'] BETWEEN 4 AND 40", |value| {
            value.is_some_and(|value| (4..=40).contains(&value))
        }),
        ("props['k'] IS NULL", |value| value.is_none()),
        ("props['k'] IS NOT NULL", |value| value.is_some()),
    ];
    for (filter, passes) in cases {
        for nulls in [false, true] {
            let (found, by_ids) = count(&engine, "t", filter, nulls);
            assert_eq!(found[0][0], Json::from(expected(passes)), "{filter}");
            // All rows of both leaves.
            assert_eq!(by_ids, 20_000, "{filter}");
        }
    }
}
