//! Every step of every sample table, answered through SQL: rows, counts, and filters on each column,
//! with indexes and without.

use std::collections::BTreeSet;

use growler_catalog::{SnapshotId, SnapshotSelector};
use growler_exec::View;
use growler_schema::{DataType, Field};
use serde_json::{Map, Value};

use crate::answers::{Table, index, view};
use crate::expected::canonical;
use crate::samples::{Sample, expectations, find, open, samples};

#[test]
fn steps_of_evolution_are_answered() {
    let steps = each_step("evolution", |sample, step| {
        let metadata = step["metadata"]
            .as_str()
            .unwrap()
            .rsplit('/')
            .next()
            .unwrap();
        let table = open(&sample.folder.join("metadata").join(metadata));
        check(sample, step, || view(&table, SnapshotSelector::Current));
        // Time travel from the newest version shows the rows under the snapshot's schema, which may
        // be an older one than the table's.
        if step["snapshot_schema_id"] == step["table_schema_id"] {
            let newest = sample.open();
            let id = SnapshotId(step["snapshot_id"].as_i64().unwrap());
            check(sample, step, || view(&newest, SnapshotSelector::Id(id)));
        }
    });
    assert!(steps > 5);
}

#[test]
fn steps_with_deletes_are_answered() {
    let steps = each_step("spark35", |sample, step| {
        let table = sample.open();
        let id = SnapshotId(step["snapshot_id"].as_i64().unwrap());
        check(sample, step, || view(&table, SnapshotSelector::Id(id)));
    });
    assert!(steps > 10);
}

/// Checks a step without indexes, and with them on some columns.
fn check(sample: &Sample, step: &Value, view: impl Fn() -> View) {
    let place = format!("{}/{} {}", sample.writer, sample.name, step["step"]);
    let rows: Vec<&Map<String, Value>> = step["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_object().unwrap())
        .collect();
    check_rows(&place, &Table::of(view()), &rows);
    for round in 0..2 {
        let folder = tempfile::tempdir().unwrap();
        let indexed = index(view(), folder.path(), |at| {
            round > 0 && (at + round) % 2 == 0
        });
        check_rows(
            &format!("{place} indexed {round}"),
            &Table::of(indexed),
            &rows,
        );
    }
}

fn check_rows(place: &str, table: &Table, rows: &[&Map<String, Value>]) {
    let view = table.view();
    let fields = view.schema().fields();
    let expected_names = rows.first().map(|row| row.len());
    if let Some(count) = expected_names {
        assert_eq!(fields.len(), count, "{place}");
    }
    let sorted = |mut rows: Vec<Vec<Value>>| {
        rows.sort_by_key(|row| serde_json::to_string(row).unwrap());
        rows
    };
    let expected = rows.iter().map(|row| {
        let cell = |field: &Field| {
            let value = row.get(&field.name);
            canonical(
                field,
                value.unwrap_or_else(|| panic!("{place} {}", field.name)),
            )
        };
        fields.iter().map(cell).collect()
    });
    let found = table.rows("SELECT * FROM t LIMIT 100000");
    let found = found.iter().map(|row| {
        let cells = fields.iter().zip(row);
        cells.map(|(field, cell)| canonical(field, cell)).collect()
    });
    let (expected, found): (Vec<Vec<Value>>, Vec<Vec<Value>>) =
        (sorted(expected.collect()), sorted(found.collect()));
    assert_eq!(found, expected, "{place}");
    let count = i64::try_from(rows.len()).unwrap();
    assert_eq!(table.number("SELECT COUNT(*) FROM t"), count, "{place}");
    assert_eq!(view.row_count(), rows.len() as u64, "{place}");
    for (at, field) in fields.iter().enumerate() {
        let values: Vec<&Value> = expected.iter().map(|row| &row[at]).collect();
        check_column(place, table, field, &values);
    }
}

fn check_column(place: &str, table: &Table, field: &Field, values: &[&Value]) {
    let name = format!("\"{}\"", field.name);
    let count =
        |condition: &str| table.number(&format!("SELECT COUNT(*) FROM t WHERE {condition}"));
    let nulls = values.iter().filter(|value| value.is_null()).count();
    let place = format!("{place} column {name}");
    assert_eq!(count(&format!("{name} IS NULL")), nulls as i64, "{place}");
    let not_null = (values.len() - nulls) as i64;
    assert_eq!(count(&format!("{name} IS NOT NULL")), not_null, "{place}");
    let is_nested = matches!(
        field.column_type.data_type,
        DataType::Json | DataType::Map | DataType::OpenStruct
    );
    if is_nested || field.column_type.multi_value {
        return;
    }
    let counted = table.rows(&format!("SELECT COUNT({name}) FROM t"));
    assert_eq!(counted[0][0].as_i64(), Some(not_null), "{place}");
    let mut distinct: Vec<&Value> = values.iter().copied().filter(|v| !v.is_null()).collect();
    distinct.sort_by_key(|value| value.to_string());
    distinct.dedup();
    let groups = format!("SELECT {name}, COUNT(*) FROM t GROUP BY {name} LIMIT 10000");
    let groups = table.rows(&groups);
    assert_eq!(
        groups.len(),
        distinct.len() + usize::from(nulls > 0),
        "{place}"
    );
    for group in groups {
        let value = canonical(field, &group[0]);
        let expected = values.iter().filter(|other| ***other == value).count();
        assert_eq!(group[1].as_i64(), Some(expected as i64), "{place} {value}");
    }
    let is_number = field.column_type.data_type.is_numeric();
    for value in distinct {
        let Some(literal) = literal(field, value) else {
            continue;
        };
        let equal = values.iter().filter(|other| **other == value).count() as i64;
        assert_eq!(
            count(&format!("{name} = {literal}")),
            equal,
            "{place} {literal}"
        );
        assert_eq!(
            count(&format!("{name} <> {literal}")),
            not_null - equal,
            "{place} {literal}"
        );
        assert_eq!(
            count(&format!("NOT ({name} = {literal})")),
            not_null - equal,
            "{place} {literal}"
        );
        let both = format!("{name} IN ({literal}, {literal})");
        assert_eq!(count(&both), equal, "{place} {literal}");
        if is_number {
            let number = |value: &Value| value.as_str().unwrap().parse::<f64>().unwrap();
            let bound = number(value);
            let present = values.iter().filter(|other| !other.is_null());
            let at_least = present.filter(|other| number(other) >= bound).count();
            // Decimals of many digits are one as doubles.
            if !matches!(field.column_type.data_type, DataType::BigDecimal { .. }) {
                let found = count(&format!("{name} >= {literal}"));
                assert_eq!(found, at_least as i64, "{place} {literal}");
                let found = count(&format!("{name} < {literal}"));
                assert_eq!(found, not_null - at_least as i64, "{place} {literal}");
            }
        }
    }
}

/// A value as SQL; none for types whose text is not one of their literals.
fn literal(field: &Field, value: &Value) -> Option<String> {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    Some(match field.column_type.data_type {
        // Infinities and NaN have no literal.
        data_type if data_type.is_numeric() => {
            let is_finite = text.parse::<f64>().is_ok_and(f64::is_finite);
            is_finite.then_some(text)?
        }
        DataType::Boolean => text,
        DataType::Bytes => return None,
        DataType::Timestamp { .. } => format!("'{}'", text.trim_end_matches('.')),
        _ => format!("'{}'", text.replace('\'', "''")),
    })
}

/// Every step of every table of a writer, each table once wherever it is found.
fn each_step(writer: &str, check: impl Fn(&Sample, &Value)) -> usize {
    let samples = samples();
    let (mut steps_seen, mut seen) = (0, BTreeSet::new());
    for expected in expectations(writer) {
        for (name, steps) in expected.as_object().unwrap() {
            let Some(sample) = find(&samples, writer, name).into_iter().next() else {
                continue;
            };
            if !seen.insert(name.clone()) {
                continue;
            }
            for step in steps.as_array().unwrap() {
                check(sample, step);
                steps_seen += 1;
            }
        }
    }
    steps_seen
}
