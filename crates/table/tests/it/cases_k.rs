//! Bug reports of group K, and tests T36, T37 and T40: promoted columns and defaults.

use arrow_array::{
    ArrayRef, Date32Array, Decimal128Array, Float32Array, Float64Array, Int32Array, Int64Array,
    StringArray, StructArray,
};
use arrow_schema::{DataType, Field, Fields};
use serde_json::{Value, json};

use crate::answers::{Table, index};
use crate::handmade::{Lake, array, bounds, column, fields, unpartitioned, with_id};
use crate::made::MadeManifest;

fn some(values: &[i32]) -> ArrayRef {
    array(Int32Array::from(values.to_vec()))
}

fn longs(values: &[i64]) -> ArrayRef {
    array(Int64Array::from(values.to_vec()))
}

fn decimals(values: &[i128], precision: u8) -> ArrayRef {
    let decimals = Decimal128Array::from(values.to_vec());
    array(decimals.with_precision_and_scale(precision, 2).unwrap())
}

/// Asks the same of a view without indexes and with them.
fn both(view: impl Fn() -> growler_exec::View, check: impl Fn(&Table)) {
    check(&Table::of(view()));
    let folder = tempfile::tempdir().unwrap();
    check(&Table::of(index(view(), folder.path(), |_| false)));
}

#[test]
fn k04_k06_k09_k12_t36_files_before_and_after_a_promotion_answer_alike() {
    let lake = Lake::new();
    let old = lake.data(
        "old.parquet",
        vec![
            column(1, "x", some(&[1, 3, 5])),
            column(2, "f", array(Float32Array::from(vec![0.1, 1.5, 2.5]))),
            column(3, "d", decimals(&[150, -99_999, 5], 9)),
        ],
    );
    let old = bounds(old, 1, &1_i32.to_le_bytes(), &5_i32.to_le_bytes());
    let new = lake.data(
        "new.parquet",
        vec![
            column(1, "x", longs(&[1_000_000_000_000, 5_000_000_000])),
            column(2, "f", array(Float64Array::from(vec![0.1, 1e300]))),
            column(3, "d", decimals(&[150, 12_345_678_901_234_567], 18)),
        ],
    );
    let new = bounds(
        new,
        1,
        &5_000_000_000_i64.to_le_bytes(),
        &1_000_000_000_000_i64.to_le_bytes(),
    );
    let last = lake.data(
        "last.parquet",
        vec![
            column(1, "x", longs(&[7])),
            column(2, "f", array(Float64Array::from(vec![-0.0]))),
            column(
                3,
                "d",
                decimals(&[99_999_999_999_999_999_999_999_999_999_999_999_999], 38),
            ),
        ],
    );
    let columns = fields(&[
        (1, "x", json!("long")),
        (2, "f", json!("double")),
        (3, "d", json!("decimal(38, 2)")),
    ]);
    let manifests = [MadeManifest::new(1, vec![old, new, last])];
    let table = lake.table(columns, unpartitioned(), &manifests, |_| {});
    both(
        || lake.view(&table).unwrap(),
        |table| {
            for (filter, expected) in [
                ("x = 3", 1),
                ("x = 5000000000", 1),
                ("x = 1000000000000", 1),
                ("x < 9223372036854775807", 6),
                ("x > 2147483648", 2),
                ("x < 2147483648", 4),
                ("x <> 3", 5),
                ("x IN (1, 7, 1000000000000)", 3),
                ("f = 1.5", 1),
                ("f = 0.1", 1),
                ("f > 0.1", 4),
                ("f < 1", 3),
                ("f = 0", 1),
                ("d = 1.50", 2),
                ("d = 1.5", 2),
                ("d < 0", 1),
                ("d = 123456789012345.67", 1),
                ("d >= 999999999999999999999999999999999999.99", 1),
                ("d BETWEEN 0 AND 2", 3),
            ] {
                let found = table.number(&format!("SELECT COUNT(*) FROM t WHERE {filter}"));
                assert_eq!(found, expected, "{filter}");
            }
            let rows = table.rows("SELECT MIN(x), MAX(x), SUM(x) FROM t");
            assert_eq!(
                rows,
                [[json!(1.0), json!(1e12), json!(1_005_000_000_016.0)]]
            );
            let rows = table.rows("SELECT DISTINCT x FROM t ORDER BY x LIMIT 3");
            assert_eq!(rows, [[json!(1)], [json!(3)], [json!(5)]]);
            let rows = table.rows("SELECT d, COUNT(*) FROM t GROUP BY d ORDER BY d DESC LIMIT 1");
            assert_eq!(
                rows,
                [[json!("999999999999999999999999999999999999.99"), json!(1)]]
            );
        },
    );
    // The bounds of four bytes are read as those of a long.
    let table = Table::of(lake.view(&table).unwrap());
    let (_, statistics) = table
        .answer("SELECT x FROM t WHERE x = 5000000000")
        .unwrap();
    assert_eq!(statistics.num_segments_pruned_by_server, 2);
    lake.opened.lock().unwrap().clear();
}

#[test]
fn k10_t37_dates_read_as_timestamps_or_fail_by_name() {
    let lake = Lake::new();
    let days = |days: i32| array(Date32Array::from(vec![days]));
    // 9999-12-31, then 294247-01-11.
    let last = lake.data("last.parquet", vec![column(1, "ts", days(2_932_896))]);
    let beyond = lake.data("beyond.parquet", vec![column(1, "ts", days(106_751_992))]);
    let columns = |of: &str| fields(&[(1, "ts", json!(of))]);
    let micros = lake.of_files(columns("timestamp"), vec![last.clone()]);
    let sql = "SELECT CAST(ts AS STRING), COUNT(*) FROM t GROUP BY ts";
    assert!(
        micros.rows("SELECT ts FROM t")[0][0]
            .as_str()
            .unwrap()
            .starts_with("9999-12-31"),
        "{sql}"
    );
    let year = "ts > '2300-01-01 00:00:00'";
    assert_eq!(
        micros.number(&format!("SELECT COUNT(*) FROM t WHERE {year}")),
        1
    );
    for (of, file) in [("timestamp_ns", &last), ("timestamp", &beyond)] {
        let table = lake.of_files(columns(of), vec![file.clone()]);
        let name = file.path.rsplit('/').next().unwrap();
        for sql in [
            "SELECT ts FROM t",
            "SELECT COUNT(*) FROM t WHERE ts > '2000-01-01 00:00:00'",
        ] {
            let error = table.ask(sql).unwrap_err();
            assert!(
                error.contains(name) && error.contains("column=ts"),
                "{error}"
            );
        }
    }
}

#[test]
fn unknown_columns_are_null_and_become_anything() {
    let lake = Lake::new();
    let nulls = array(arrow_array::NullArray::new(2));
    let old = lake.data(
        "old.parquet",
        vec![column(1, "k", some(&[1, 2])), column(2, "u", nulls)],
    );
    let new = lake.data(
        "new.parquet",
        vec![column(1, "k", some(&[3])), column(2, "u", some(&[30]))],
    );
    let of = |of: &str| fields(&[(1, "k", json!("int")), (2, "u", json!(of))]);
    let table = lake.of_files(of("int"), vec![old.clone(), new.clone()]);
    assert_eq!(table.rows("SELECT k FROM t WHERE u = 30"), [[json!(3)]]);
    assert_eq!(table.number("SELECT COUNT(*) FROM t WHERE u IS NULL"), 2);
    let table = lake.of_files(of("unknown"), vec![old, new]);
    assert_eq!(table.number("SELECT COUNT(*) FROM t WHERE u IS NULL"), 3);
}

#[test]
fn k01_k07_k15_t40_what_a_file_lacks_has_its_default() {
    let lake = Lake::new();
    let old = lake.data(
        "old.parquet",
        vec![column(1, "k", some(&[1, 2])), column(2, "s", old_struct())],
    );
    let new = lake.data(
        "new.parquet",
        vec![
            column(1, "k", some(&[3, 4])),
            column(3, "c", array(Int32Array::from(vec![Some(6), None]))),
        ],
    );
    let of_struct = json!({"type": "struct", "fields": [
        {"id": 10, "name": "x", "required": false, "type": "int"},
        {"id": 11, "name": "y", "required": false, "type": "string", "initial-default": "dflt"},
        {"id": 12, "name": "day", "required": true, "type": "date", "initial-default": "2020-02-29"}]});
    let columns = json!([
        {"id": 1, "name": "k", "required": false, "type": "int"},
        {"id": 2, "name": "s", "required": false, "type": of_struct, "initial-default": {}},
        {"id": 3, "name": "c", "required": true, "type": "int", "initial-default": 5, "write-default": 7},
        {"id": 4, "name": "n", "required": false, "type": "string", "initial-default": null, "write-default": "w"},
        {"id": 5, "name": "b", "required": false, "type": "binary", "initial-default": "CAFE"},
        {"id": 6, "name": "d", "required": false, "type": "decimal(9,2)", "initial-default": "14.20"},
        {"id": 7, "name": "ts", "required": false, "type": "timestamptz", "initial-default": "2020-01-02T03:04:05.000006+00:00"},
        {"id": 8, "name": "w", "required": false, "type": "string", "write-default": "w"},
        {"id": 9, "name": "g", "required": false, "type": "double", "initial-default": 2.5}
    ]);
    let manifests = [MadeManifest::new(1, vec![old, new])];
    let table = lake.table(columns, unpartitioned(), &manifests, |metadata| {
        let mapping = json!([{"field-id": 3, "names": ["c"]}]).to_string();
        metadata["properties"] = json!({"schema.name-mapping.default": mapping});
    });
    both(
        || lake.view(&table).unwrap(),
        |table| {
            let rows = table.rows("SELECT k, c, n, b, d, w, g FROM t ORDER BY k");
            let shared = [
                Value::Null,
                json!("cafe"),
                json!("14.20"),
                Value::Null,
                json!(2.5),
            ];
            for (row, (k, c)) in rows.iter().zip([
                (1, json!(5)),
                (2, json!(5)),
                (3, json!(6)),
                (4, Value::Null),
            ]) {
                assert_eq!(row[..2], [json!(k), c]);
                assert_eq!(row[2..], shared);
            }
            for (filter, expected) in [
                ("c = 5", 2),
                ("c <> 5", 1),
                ("c IS NULL", 1),
                ("c IS NOT NULL", 3),
                ("c > 5", 1),
                ("c BETWEEN 5 AND 6", 3),
                ("NOT (c = 5)", 1),
                ("c = 5 AND k = 2", 1),
                ("n IS NULL", 4),
                ("d = 14.2", 4),
                ("g < 2", 0),
                ("ts = '2020-01-02 03:04:05.000006'", 4),
                ("ts < '2020-01-02 03:04:05.000006'", 0),
            ] {
                let found = table.number(&format!("SELECT COUNT(*) FROM t WHERE {filter}"));
                assert_eq!(found, expected, "{filter}");
            }
            let rows = table.rows("SELECT c, COUNT(*) FROM t GROUP BY c ORDER BY c");
            assert_eq!(
                rows,
                [
                    [json!(5), json!(2)],
                    [json!(6), json!(1)],
                    [Value::Null, json!(1)]
                ]
            );
            let rows =
                table.rows("SELECT MIN(c), MAX(c), COUNT(c), SUM(g), DISTINCTCOUNT(d) FROM t");
            assert_eq!(
                rows,
                [[json!(5.0), json!(6.0), json!(3), json!(10.0), json!(1)]]
            );
            let rows = table.rows("SELECT s FROM t ORDER BY k");
            let filled = "{\"day\":\"2020-02-29\",\"x\":null,\"y\":\"dflt\"}";
            assert_eq!(
                rows[0],
                [json!("{\"day\":\"2020-02-29\",\"x\":1,\"y\":\"dflt\"}")]
            );
            assert_eq!(rows[1], [Value::Null]);
            assert_eq!(rows[2..], [[json!(filled)], [json!(filled)]]);
        },
    );
}

/// `{x: 1}`, then null.
fn old_struct() -> ArrayRef {
    let x = with_id(10, Field::new("x", DataType::Int32, true));
    let valid = arrow_buffer::NullBuffer::from(vec![true, false]);
    array(StructArray::new(
        Fields::from(vec![x]),
        vec![some(&[1, 0])],
        Some(valid),
    ))
}

#[test]
fn a_required_column_without_a_default_is_missed() {
    let lake = Lake::new();
    let file = lake.data("old.parquet", vec![column(1, "k", some(&[1]))]);
    let columns = json!([
        {"id": 1, "name": "k", "required": true, "type": "int"},
        {"id": 2, "name": "must", "required": true, "type": "int"}
    ]);
    let table = lake.of_files(columns, vec![file]);
    assert_eq!(table.rows("SELECT k FROM t"), [[json!(1)]]);
    let error = table.ask("SELECT must FROM t").unwrap_err();
    for part in [
        "required column is missing",
        "old.parquet",
        "column=must",
        "fieldId=2",
    ] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn k13_columns_added_dropped_and_renamed_in_one_version_read() {
    let lake = Lake::new();
    let old = lake.data(
        "old.parquet",
        vec![
            column(1, "a", some(&[1])),
            column(2, "b", some(&[2])),
            column(3, "c", some(&[3])),
        ],
    );
    let new = lake.data(
        "new.parquet",
        vec![
            column(3, "cc", some(&[30])),
            column(1, "a", some(&[10])),
            column(4, "e", array(StringArray::from(vec!["x"]))),
        ],
    );
    let columns = fields(&[
        (4, "e", json!("string")),
        (3, "cc", json!("int")),
        (1, "a", json!("int")),
    ]);
    let table = lake.of_files(columns, vec![old, new]);
    let rows = table.rows("SELECT a, cc, e FROM t ORDER BY a");
    assert_eq!(
        rows,
        [
            [json!(1), json!(3), Value::Null],
            [json!(10), json!(30), json!("x")]
        ]
    );
    assert_eq!(table.rows("SELECT a FROM t WHERE cc > 3"), [[json!(10)]]);
}
