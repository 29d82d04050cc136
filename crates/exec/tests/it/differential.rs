//! Random queries against a model that goes row by row, without pruning, masks or batches.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use growler_exec::Engine;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::generate::{Cut, Files, batch, ints, texts};
use crate::support::{assert_rows, engine_with, rows};

#[derive(Debug, Clone)]
struct Row {
    a: Option<i32>,
    b: Option<i64>,
    s: Option<&'static str>,
    f: Option<f64>,
}

fn row() -> impl Strategy<Value = Row> {
    let text = prop::sample::select(vec!["x", "y", "zebra", "null", ""]);
    let float = prop::sample::select(vec![0.1, -2.5, 1e16, 3.0, -0.0]);
    (
        prop::option::weighted(0.8, -5..20i32),
        prop::option::weighted(0.9, -3..3i64),
        prop::option::weighted(0.8, text),
        prop::option::weighted(0.8, float),
    )
        .prop_map(|(a, b, s, f)| Row { a, b, s, f })
}

/// A filter, as SQL and as a function of a row.
#[derive(Debug, Clone)]
enum Filter {
    A(&'static str, i32),
    ABetween(i32, i32),
    B(&'static str, i64),
    SEquals(&'static str),
    SIn(Vec<&'static str>, bool),
    SLike,
    IsNull(&'static str, bool),
    Not(Box<Filter>),
    And(Box<Filter>, Box<Filter>),
    Or(Box<Filter>, Box<Filter>),
}

fn filter() -> impl Strategy<Value = Filter> {
    let operator = prop::sample::select(vec!["=", "<>", "<", "<=", ">", ">="]);
    let text = prop::sample::select(vec!["x", "y", "null", "absent"]);
    let leaf = prop_oneof![
        (operator.clone(), -6..22i32).prop_map(|(operator, value)| Filter::A(operator, value)),
        (-6..22i32, 0..10i32).prop_map(|(low, span)| Filter::ABetween(low, low + span)),
        (operator, -4..4i64).prop_map(|(operator, value)| Filter::B(operator, value)),
        text.clone().prop_map(Filter::SEquals),
        (prop::collection::vec(text, 1..3), any::<bool>())
            .prop_map(|(members, negated)| Filter::SIn(members, negated)),
        Just(Filter::SLike),
        (prop::sample::select(vec!["a", "b", "s"]), any::<bool>())
            .prop_map(|(column, negated)| Filter::IsNull(column, negated)),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|child| Filter::Not(Box::new(child))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Filter::And(Box::new(a), Box::new(b))),
            (inner.clone(), inner).prop_map(|(a, b)| Filter::Or(Box::new(a), Box::new(b))),
        ]
    })
}

fn compare<T: PartialOrd>(operator: &str, left: T, right: T) -> bool {
    match operator {
        "=" => left == right,
        "<>" => left != right,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        _ => left >= right,
    }
}

impl Filter {
    fn sql(&self) -> String {
        match self {
            Self::A(operator, value) => format!("a {operator} {value}"),
            Self::ABetween(low, high) => format!("a BETWEEN {low} AND {high}"),
            Self::B(operator, value) => format!("b {operator} {value}"),
            Self::SEquals(text) => format!("s = '{text}'"),
            Self::SIn(members, negated) => {
                let members: Vec<_> = members.iter().map(|text| format!("'{text}'")).collect();
                let not = if *negated { "NOT " } else { "" };
                format!("s {not}IN ({})", members.join(", "))
            }
            Self::SLike => "s LIKE '%E%'".to_owned(),
            Self::IsNull(column, negated) => {
                format!("{column} IS {}NULL", if *negated { "NOT " } else { "" })
            }
            Self::Not(child) => format!("NOT ({})", child.sql()),
            Self::And(a, b) => format!("({}) AND ({})", a.sql(), b.sql()),
            Self::Or(a, b) => format!("({}) OR ({})", a.sql(), b.sql()),
        }
    }

    /// Three-valued: none is null.
    fn holds(&self, row: &Row, on: bool) -> Option<bool> {
        let a = row.a.or((!on).then_some(i32::MIN));
        let b = row.b.or((!on).then_some(i64::MIN));
        let s = row.s.or((!on).then_some("null"));
        match self {
            Self::A(operator, value) => a.map(|a| compare(operator, a, *value)),
            Self::ABetween(low, high) => a.map(|a| (*low..=*high).contains(&a)),
            Self::B(operator, value) => b.map(|b| compare(operator, b, *value)),
            Self::SEquals(text) => s.map(|s| s == *text),
            Self::SIn(members, negated) => s.map(|s| members.contains(&s) != *negated),
            Self::SLike => s.map(|s| s.contains('e')),
            Self::IsNull(column, negated) => {
                let is_null = match *column {
                    "a" => row.a.is_none(),
                    "b" => row.b.is_none(),
                    _ => row.s.is_none(),
                };
                Some(is_null != *negated)
            }
            Self::Not(child) => child.holds(row, on).map(|holds| !holds),
            Self::And(a, b) => match (a.holds(row, on), b.holds(row, on)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Self::Or(a, b) => match (a.holds(row, on), b.holds(row, on)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
        }
    }
}

fn float(value: f64) -> Json {
    if value.is_finite() {
        json!(value)
    } else if value > 0.0 {
        json!("Infinity")
    } else {
        json!("-Infinity")
    }
}

/// Sum of few values whose magnitudes are far apart, through exact integers of tenths.
fn sum(values: &[f64]) -> f64 {
    if values.contains(&f64::NEG_INFINITY) {
        return f64::NEG_INFINITY;
    }
    // 0.1 is not a tenth: count its exact value apart.
    let count = |value: f64| values.iter().filter(|other| **other == value).count() as f64;
    let whole = -2.5 * count(-2.5) + 3.0 * count(3.0);
    let mut exact = growler_exec::aggregate::exact_sum::ExactSum::default();
    values
        .iter()
        .filter(|value| **value == 0.1 || **value == 1e16)
        .for_each(|value| exact.add(*value));
    exact.add(whole);
    exact.round()
}

fn model(rows: &[Row], filter: &Filter, on: bool) -> Vec<(String, Vec<Vec<Json>>)> {
    let kept: Vec<&Row> = rows
        .iter()
        .filter(|row| filter.holds(row, on) == Some(true))
        .collect();
    let where_ = filter.sql();
    let a = |row: &Row| row.a.or((!on).then_some(i32::MIN));
    let s = |row: &Row| row.s.or((!on).then_some("null"));
    let f = |row: &Row| row.f.or((!on).then_some(f64::NEG_INFINITY));
    let mut queries = Vec::new();

    let count = kept.len();
    let values: Vec<f64> = kept.iter().filter_map(|row| f(row)).collect();
    let total = if values.is_empty() && on {
        Json::Null
    } else {
        float(sum(&values))
    };
    let max = kept.iter().filter_map(|row| a(row)).max();
    let max = max.map_or(if on { Json::Null } else { json!("-Infinity") }, |max| {
        json!(max)
    });
    let distinct: std::collections::BTreeSet<_> = kept.iter().filter_map(|row| s(row)).collect();
    let filtered = kept
        .iter()
        .filter(|row| Filter::SEquals("x").holds(row, on) == Some(true));
    queries.push((
        format!(
            "SELECT COUNT(*), SUM(f), MAX(a), COUNT(DISTINCT s), COUNT(*) FILTER (WHERE s = 'x') \
             FROM t WHERE {where_}"
        ),
        vec![vec![
            json!(count),
            total,
            max,
            json!(distinct.len()),
            json!(filtered.count()),
        ]],
    ));

    // Nulls last, as when sorted ascending.
    type Key<'a> = (bool, Option<&'a str>, bool, Option<i32>);
    let mut groups: BTreeMap<Key<'_>, (usize, Vec<f64>)> = BTreeMap::new();
    for row in &kept {
        let key = (s(row).is_none(), s(row), a(row).is_none(), a(row));
        let group = groups.entry(key).or_default();
        group.0 += 1;
        group.1.extend(f(row));
    }
    let grouped = groups.iter().map(|((_, s, _, a), (count, values))| {
        let mean = match values.is_empty() {
            true => Json::Null,
            false => float(sum(values) / values.len() as f64),
        };
        vec![json!(s), json!(a), json!(count), mean]
    });
    queries.push((
        format!("SELECT s, a, COUNT(*), AVG(f) FROM t WHERE {where_} GROUP BY s, a ORDER BY s, a LIMIT 1000"),
        grouped.collect(),
    ));

    let mut first_seen: Vec<Option<&str>> = Vec::new();
    for row in &kept {
        if !first_seen.contains(&s(row)) {
            first_seen.push(s(row));
        }
    }
    first_seen.truncate(3);
    queries.push((
        format!("SELECT DISTINCT s FROM t WHERE {where_} LIMIT 3"),
        first_seen.iter().map(|s| vec![json!(s)]).collect(),
    ));

    let selected = kept
        .iter()
        .skip(2)
        .take(5)
        .map(|row| vec![json!(a(row)), json!(s(row))]);
    queries.push((
        format!("SELECT a, s FROM t WHERE {where_} LIMIT 5 OFFSET 2"),
        selected.collect(),
    ));

    let mut sorted: Vec<&&Row> = kept.iter().collect();
    // Null is the largest: first when descending.
    sorted.sort_by_key(|row| {
        (
            std::cmp::Reverse((a(row).is_none(), a(row))),
            s(row).is_none(),
            s(row),
        )
    });
    let top = sorted
        .iter()
        .skip(1)
        .take(7)
        .map(|row| vec![json!(a(row)), json!(s(row))]);
    queries.push((
        format!("SELECT a, s FROM t WHERE {where_} ORDER BY a DESC, s LIMIT 7 OFFSET 1"),
        top.collect(),
    ));
    queries
}

fn record(rows: &[Row]) -> RecordBatch {
    let b: ArrayRef = Arc::new(rows.iter().map(|row| row.b).collect::<Int64Array>());
    let f: ArrayRef = Arc::new(rows.iter().map(|row| row.f).collect::<Float64Array>());
    batch(vec![
        ("a", ints(&rows.iter().map(|row| row.a).collect::<Vec<_>>())),
        ("b", b),
        (
            "s",
            texts(&rows.iter().map(|row| row.s).collect::<Vec<_>>()),
        ),
        ("f", f),
    ])
}

fn check(engine: &Engine, rows_: &[Row], filter: &Filter, what: &str) {
    for on in [false, true] {
        for (sql, expected) in model(rows_, filter, on) {
            let sql = format!("SET enableNullHandling = {on}; {sql}");
            assert_rows(&rows(engine, &sql), &expected, &format!("{what} {sql}"));
        }
    }
}

/// Crosses row groups, pages, dictionaries, files, batch sizes and threads: each value meets each.
const GRID: [(usize, usize, bool, usize, usize, usize); 7] = [
    // row group rows, page rows, dictionary, files, batch rows, threads
    (1 << 20, 1 << 14, true, 1, 8192, 1),
    (1 << 20, 3, false, 1, 7, 2),
    (10, 4, true, 1, 8192, 2),
    (10, 3, false, 3, 1, 2),
    (3, 1, true, 2, 7, 1),
    (1, 1, false, 1, 8192, 2),
    (64, 16, true, 4, 1, 1),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn answers_are_those_of_the_model(
        table in prop::collection::vec(row(), 1..200),
        filters in prop::collection::vec(filter(), 3),
    ) {
        for (row_group_rows, page_rows, dictionary, file_count, batch_rows, threads) in GRID {
            let whole = record(&table);
            let rows_a_file = table.len().div_ceil(file_count);
            let parts: Vec<RecordBatch> = (0..table.len())
                .step_by(rows_a_file)
                .map(|start| whole.slice(start, rows_a_file.min(table.len() - start)))
                .collect();
            let files = Files::new(&parts, Cut { row_group_rows, page_rows, dictionary });
            let engine = engine_with(threads, batch_rows);
            files.register(&engine, "t");
            for filter in &filters {
                let what = format!("{row_group_rows} {page_rows} {dictionary} {file_count} {batch_rows} {threads}");
                check(&engine, &table, filter, &what);
            }
        }
    }
}
