//! Plain columns of every type: all predicates, null modes and sets of indexes.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Decimal128Array, Float32Array, Float64Array, Int32Array,
    Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use growler_index::{Kind, Kinds};

use super::harness::{Indexed, all_kinds, inverted};
use crate::generate::{Cut, Files, batch};
use crate::indexing::Wanted;

const ROWS: usize = 240;

/// Picks values of a list in an order without a pattern; every seventh row is null.
fn picked<T: Clone>(values: &[T], salt: usize) -> Vec<Option<T>> {
    let pick = |row: usize| {
        let mixed = (row * 2_654_435_761 + salt * 40_503) >> 3;
        (!mixed.is_multiple_of(7)).then(|| values[mixed / 7 % values.len()].clone())
    };
    (0..ROWS).map(pick).collect()
}

fn table() -> RecordBatch {
    let id: Int32Array = (0..ROWS as i32).collect();
    let ints = picked(&[i32::MIN, -3, 0, 1, 2, 5, 5, 70_000, i32::MAX], 1);
    let longs: Vec<Option<i64>> = (0..ROWS as i64).map(|row| Some(row * row - 50)).collect();
    let nan = f64::NAN;
    let doubles = picked(
        &[
            0.0,
            -0.0,
            nan,
            -nan,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1.5,
            -2.5,
            1e300,
        ],
        2,
    );
    let floats = picked(
        &[0.0, -0.0, f32::NAN, 0.1, f32::MAX, -2.5, f32::INFINITY],
        3,
    );
    let texts = picked(
        &[
            "", "null", "gold", "Gold", "go", "gopher", "s%_", "ſilver", "Kelvin", "zebra",
        ],
        4,
    );
    let booleans = picked(&[true, false], 5);
    let times = picked(&[0, -1, 1_700_000_000_000_000, 1_700_000_000_000_001], 6);
    let decimals = picked(&[0_i128, -15_000, 15_000, 10_i128.pow(19), 7], 7);
    let bytes = picked(&[&b"abc"[..], b"", b"\xff\x00", b"null"], 8);
    let decimals = Decimal128Array::from(decimals).with_precision_and_scale(22, 4);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(id)),
        ("i", Arc::new(Int32Array::from(ints))),
        ("l", Arc::new(Int64Array::from(longs))),
        ("d", Arc::new(Float64Array::from(doubles))),
        ("f", Arc::new(Float32Array::from(floats))),
        ("s", Arc::new(StringArray::from(texts))),
        ("b", Arc::new(BooleanArray::from(booleans))),
        ("t", Arc::new(TimestampMicrosecondArray::from(times))),
        ("m", Arc::new(decimals.unwrap())),
        ("y", Arc::new(BinaryArray::from(bytes))),
    ];
    batch(columns)
}

const LITERALS: [(&str, &[&str]); 9] = [
    ("i", &["5", "-2147483648", "1.5", "'0'", "3000000000"]),
    ("l", &["-50", "71", "9.0", "'100'"]),
    ("d", &["0", "1.5", "-2.5", "1e300", "0.1"]),
    ("f", &["0", "0.1", "-2.5", "1e300"]),
    ("s", &["'gold'", "'null'", "''", "'nothing'", "5"]),
    ("b", &["true", "false"]),
    ("t", &["0", "1700000000000", "'2023-11-14 22:13:20'"]),
    ("m", &["0", "1.5", "-1.5", "1000000000000000", "0.0007"]),
    ("y", &["'616263'", "''", "'ff00'"]),
];

const PATTERNS: [&str; 7] = [
    "LIKE 'go%'",
    "LIKE 'G%'",
    "LIKE '%e%'",
    "LIKE 's%'",
    "LIKE 'k%n'",
    "NOT LIKE 'go%'",
    "LIKE 'gold'",
];

/// Returns the predicates on all columns.
fn predicates() -> Vec<(String, &'static str)> {
    let mut all = Vec::new();
    for (column, literals) in LITERALS {
        for literal in literals {
            for operator in ["=", "<>", "<", "<=", ">", ">="] {
                all.push((format!("{column} {operator} {literal}"), column));
            }
        }
        let (first, last) = (literals[0], literals[literals.len() - 1]);
        for filter in [
            format!("{column} IN ({})", literals.join(", ")),
            format!("{column} NOT IN ({first}, {last})"),
            format!("{column} BETWEEN {first} AND {last}"),
            format!("NOT ({column} = {first})"),
            format!("NOT ({column} > {first} OR {column} = {last})"),
            format!("{column} = {first} OR id < 40"),
            format!("{column} <> {first} AND NOT id BETWEEN 30 AND 90"),
            format!("NOT ({column} <> {first} AND id < 90)"),
            format!("{column} IS NULL"),
            format!("{column} IS NOT NULL"),
            format!("NOT {column} IS NULL AND {column} <> {last}"),
        ] {
            all.push((filter, column));
        }
    }
    for pattern in PATTERNS {
        all.push((format!("s {pattern}"), "s"));
        all.push((format!("i {pattern}"), "i"));
    }
    all.push(("REGEXP_LIKE(s, '^g.*d$')".to_owned(), "s"));
    all.push(("NOT REGEXP_LIKE(s, 'e')".to_owned(), "s"));
    all
}

/// Returns the table in three files, with the same indexes of all columns.
fn indexed(kinds: Kinds, change: impl Fn(&mut Wanted)) -> (Indexed, Files) {
    let whole = table();
    let parts = [
        whole.slice(0, 100),
        whole.slice(100, 3),
        whole.slice(103, ROWS - 103),
    ];
    let cut = Cut {
        row_group_rows: 37,
        page_rows: 10,
        dictionary: true,
    };
    let files = Files::new(&parts, cut);
    let wanted: Vec<Wanted> = std::iter::once("id")
        .chain(LITERALS.map(|(column, _)| column))
        .map(|column| {
            let mut wanted = Wanted::new(column, None, kinds);
            change(&mut wanted);
            wanted
        })
        .collect();
    let table = Indexed::new(files.view("t"), |_| (wanted.clone(), Vec::new()));
    (table, files)
}

fn check(kinds: Kinds, change: impl Fn(&mut Wanted), covers: impl Fn(&str, &str) -> bool) {
    let (table, _files) = indexed(kinds, change);
    for on in [false, true] {
        for (filter, column) in predicates() {
            let set = format!("SET enableNullHandling = {on};");
            let sql = format!("{set} SELECT id FROM t WHERE {filter} LIMIT 1000");
            let (rows, statistics) = table.check(&sql);
            let counted = format!("{set} SELECT COUNT(*) FROM t WHERE {filter}");
            let (count, counters) = table.check(&counted);
            assert_eq!(count[0][0], rows.len(), "{sql}");
            if covers(&filter, column) {
                assert_eq!(statistics.num_entries_scanned_in_filter, 0, "{sql}");
                assert_eq!(counters.num_entries_scanned_in_filter, 0, "{counted}");
                assert_eq!(counters.num_entries_scanned_post_filter, 0, "{counted}");
                assert_eq!(counters.num_docs_scanned, rows.len() as u64, "{counted}");
            }
        }
    }
}

#[test]
fn every_kind_together_answers_every_predicate() {
    check(all_kinds(), |_| {}, |_, _| true);
}

#[test]
fn postings_answer_every_predicate() {
    check(inverted(), |_| {}, |_, _| true);
}

#[test]
fn slices_answer_ranges_and_equality() {
    let sliced = |filter: &str, column: &str| {
        let by_rank = matches!(column, "s" | "m" | "y");
        !by_rank && !filter.contains("LIKE") && !filter.contains("IN (")
    };
    check(Kinds::NONE.with(Kind::Range), |_| {}, sliced);
}

#[test]
fn a_dictionary_or_a_bloom_filter_alone_proves_absence() {
    let absent = |filter: &str, _: &str| filter == "s = 'nothing'";
    for kind in [Kind::Dictionary, Kind::Bloom] {
        check(Kinds::NONE.with(kind), |_| {}, absent);
    }
}

#[test]
fn null_sets_alone_answer_is_null() {
    let is_null = |filter: &str, column: &str| {
        filter == format!("{column} IS NULL") || filter == format!("{column} IS NOT NULL")
    };
    check(Kinds::NONE, |_| {}, is_null);
}

#[test]
fn values_beyond_the_dictionary_are_scanned() {
    let short = |wanted: &mut Wanted| wanted.value_len_bytes = 3;
    check(all_kinds(), short, |_, column| {
        !matches!(column, "s" | "y" | "i")
    });
    let few = |wanted: &mut Wanted| wanted.distinct_count = 2;
    check(all_kinds(), few, |_, _| false);
    check(inverted(), few, |_, _| false);
}

const GROUPED: [&str; 9] = ["i", "l", "d", "f", "s", "b", "t", "m", "y"];

#[test]
fn groups_and_aggregates_are_those_of_the_scan() {
    let few = |wanted: &mut Wanted| wanted.distinct_count = 2;
    for (kinds, change) in [
        (all_kinds(), None),
        (inverted(), None),
        (Kinds::NONE.with(Kind::Dictionary), None),
        (all_kinds(), Some(few)),
    ] {
        let (table, _files) = indexed(kinds, |wanted| {
            if let Some(change) = change {
                change(wanted);
            }
        });
        for on in [false, true] {
            let set = format!("SET enableNullHandling = {on};");
            for column in GROUPED {
                for query in [
                    "SELECT {c}, COUNT(*) FROM t GROUP BY {c} LIMIT 1000",
                    "SELECT {c}, COUNT(*) FROM t GROUP BY {c}",
                    "SELECT COUNT(*), {c} FROM t GROUP BY {c} ORDER BY COUNT(*) DESC, {c} LIMIT 3",
                    "SELECT {c} FROM t GROUP BY {c} HAVING COUNT(*) > 20 LIMIT 1000",
                    "SELECT DISTINCT {c} FROM t",
                    "SELECT DISTINCT {c} FROM t ORDER BY {c} LIMIT 4",
                    "SELECT DISTINCTCOUNT({c}), COUNT(*), COUNT({c}) FROM t",
                    "SELECT COUNT({c}), DISTINCTCOUNTHLL({c}) FROM t",
                    "SELECT {c}, COUNT(*), MIN(id) FROM t GROUP BY {c} LIMIT 1000",
                    "SELECT COUNT(*) FILTER (WHERE {c} IS NULL), COUNT(*) FROM t",
                ] {
                    table.check(&format!("{set} {}", query.replace("{c}", column)));
                }
            }
            for column in ["i", "l", "d", "f", "t", "m", "b"] {
                for query in [
                    "SELECT MIN({c}), MAX({c}), MINMAXRANGE({c}), COUNT(*) FROM t",
                    "SELECT MINLONG({c}), MAXLONG({c}) FROM t",
                    "SELECT DISTINCTSUM({c}), DISTINCTAVG({c}) FROM t",
                    "SELECT MAX({c}) - MIN({c}) FROM t HAVING COUNT(*) > 1",
                    "SELECT SUM({c}), MIN({c}) FROM t",
                ] {
                    table.check(&format!("{set} {}", query.replace("{c}", column)));
                }
            }
            table.check(&format!("{set} SELECT MINSTRING(s), MAXSTRING(s) FROM t"));
            table.check(&format!("{set} SELECT BOOL_AND(b), BOOL_OR(b) FROM t"));
        }
    }
}
