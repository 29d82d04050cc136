//! Range and bloom indexes, built with the others, against comparing row by row.

use std::cmp::Ordering;
use std::ops::Bound;

use growler_index::{Budget, Kind, Kinds, RowSet, Subject};
use growler_schema::{DataType, Value};

use crate::model::{Rows, Sample, TYPES, array, compare, value};

const KINDS: Kinds = Kinds::NONE.with(Kind::Range).with(Kind::Bloom);

/// Rows of three kinds of chunks: with few values, with most, with all.
fn rows(data_type: DataType, row_count: u32) -> Rows {
    let of = |row: u32| row.wrapping_mul(0x9e37_79b1) >> 12;
    let is_there = |row: u32| match row >> 16 {
        0 => row.is_multiple_of(100),
        1 => row % 10 != 4,
        _ => true,
    };
    let row = |row| is_there(row).then(|| value(data_type, of(row) % 3000));
    (0..row_count).map(row).collect()
}

/// Compares as a predicate does: NaN with nothing, both zeros alike.
fn compared(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        _ => Some(compare(a, b)),
    }
}

/// Tells whether a predicate that compares with the bounds holds.
pub fn passes(value: &Value, lower: Bound<&Value>, upper: Bound<&Value>) -> bool {
    let is_above = match lower {
        Bound::Unbounded => true,
        Bound::Included(bound) => compared(value, bound).is_some_and(Ordering::is_ge),
        Bound::Excluded(bound) => compared(value, bound).is_some_and(Ordering::is_gt),
    };
    is_above
        && match upper {
            Bound::Unbounded => true,
            Bound::Included(bound) => compared(value, bound).is_some_and(Ordering::is_le),
            Bound::Excluded(bound) => compared(value, bound).is_some_and(Ordering::is_lt),
        }
}

/// Tells whether a dictionary keeps a value, where the range index is over its ranks.
pub fn is_ranked(value: &Value) -> bool {
    !matches!(value, Value::String(text) if text.len() > 256)
}

#[test]
fn rows_within_bounds_are_those_that_pass() -> Result<(), Box<dyn std::error::Error>> {
    for data_type in TYPES {
        let rows = rows(data_type, 140_000);
        let arrays = [array(data_type, &rows)];
        let subject = Subject::column("c");
        let budget = Budget::of_bytes(64 << 20);
        let sample = Sample::build(subject, data_type, &arrays, KINDS, budget)?;
        let indexes = sample.open(rows.len())?;
        let index = indexes.subject("c", None, growler_index::Reading::Values);
        let index = index.ok_or("no subject")?;
        let bounds: Vec<Value> = [0, 2, 8, 48, 777].map(|of| value(data_type, of)).to_vec();
        for low in &bounds {
            for high in &bounds {
                let pairs = [
                    (Bound::Included(low), Bound::Included(high)),
                    (Bound::Excluded(low), Bound::Excluded(high)),
                    (Bound::Unbounded, Bound::Included(high)),
                    (Bound::Excluded(low), Bound::Unbounded),
                ];
                for (lower, upper) in pairs {
                    let is_in = |value: &Value| is_ranked(value) && passes(value, lower, upper);
                    let pairs = (0..).zip(&rows);
                    let found = pairs.filter(|(_, value)| value.as_ref().is_some_and(is_in));
                    let expected: RowSet = found.map(|(row, _)| row).collect();
                    let rows = index.range_rows(lower, upper)?.ok_or("no range index")?;
                    assert!(rows == expected, "{data_type:?} {lower:?} {upper:?}");
                }
            }
        }
        for value in rows.iter().flatten() {
            assert!(index.may_contain(value), "{value:?}");
        }
        assert!(indexes.verify().is_empty());
    }
    Ok(())
}

#[test]
fn a_bound_of_another_type_is_an_internal_error() -> Result<(), Box<dyn std::error::Error>> {
    let rows = rows(DataType::Int, 10);
    let arrays = [array(DataType::Int, &rows)];
    let budget = Budget::of_bytes(1 << 20);
    let sample = Sample::build(Subject::column("c"), DataType::Int, &arrays, KINDS, budget)?;
    let indexes = sample.open(rows.len())?;
    let index = indexes.subject("c", None, growler_index::Reading::Values);
    let index = index.ok_or("no subject")?;
    let text = Value::String("a".to_owned());
    let asked = index.range_rows(Bound::Included(&text), Bound::Unbounded);
    let kind = asked.map_err(|error| error.kind());
    assert_eq!(kind, Err(growler_base::ErrorKind::Internal));
    assert!(index.may_contain(&text));
    Ok(())
}
