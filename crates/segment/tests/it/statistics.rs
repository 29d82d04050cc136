//! What footer and page index prove holds for every value.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use anyhow::Result;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_schema::{DataType as ArrowType, TimeUnit as ArrowUnit};
use growler_base::RowRanges;
use growler_schema::{DataType, TimeUnit, Value};
use growler_segment::{
    KeyOutput, KeyPath, NonObjectRoot, ReadOptions, Segment, Source, Statistics,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use crate::reading::{field, open, pack, testdata};
use crate::writing::{Column, write};

/// Returns a value of an array; none for null.
fn value(array: &ArrayRef, row: usize) -> Option<Value> {
    if array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        ArrowType::Int32 => Value::Int(array.as_primitive::<Int32Type>().value(row)),
        ArrowType::Int64 => Value::Long(array.as_primitive::<Int64Type>().value(row)),
        ArrowType::Float32 => Value::Float(array.as_primitive::<Float32Type>().value(row)),
        ArrowType::Float64 => Value::Double(array.as_primitive::<Float64Type>().value(row)),
        ArrowType::Boolean => Value::Boolean(array.as_boolean().value(row)),
        ArrowType::Decimal128(_, scale) => {
            Value::BigDecimal(array.as_primitive::<Decimal128Type>().value(row), *scale)
        }
        ArrowType::Timestamp(unit, _) => match unit {
            ArrowUnit::Millisecond => Value::Timestamp(
                array.as_primitive::<TimestampMillisecondType>().value(row),
                TimeUnit::Millis,
            ),
            ArrowUnit::Microsecond => Value::Timestamp(
                array.as_primitive::<TimestampMicrosecondType>().value(row),
                TimeUnit::Micros,
            ),
            _ => Value::Timestamp(
                array.as_primitive::<TimestampNanosecondType>().value(row),
                TimeUnit::Nanos,
            ),
        },
        ArrowType::BinaryView => Value::Bytes(array.as_binary_view().value(row).to_vec()),
        _ => {
            let texts = cast(array, &ArrowType::Utf8View).unwrap();
            Value::String(texts.as_string_view().value(row).to_owned())
        }
    })
}

/// Compares two values of one type; floats by their total order, the strictest there is.
fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Long(a), Value::Long(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
        (Value::Double(a), Value::Double(b)) => a.total_cmp(b),
        (Value::BigDecimal(a, s), Value::BigDecimal(b, t)) if s == t => a.cmp(b),
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Timestamp(a, u), Value::Timestamp(b, v)) if u == v => a.cmp(b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        other => panic!("statistics of another type: {other:?}"),
    }
}

fn is_nan(value: &Value) -> bool {
    match value {
        Value::Float(value) => value.is_nan(),
        Value::Double(value) => value.is_nan(),
        _ => false,
    }
}

fn check(statistics: &Statistics, values: &[Option<Value>], at: &str) {
    assert_eq!(statistics.row_count, values.len(), "{at}");
    let nulls = values.iter().filter(|value| value.is_none()).count() as u64;
    assert!(
        statistics.null_count.is_none_or(|count| count == nulls),
        "{at}: {statistics:?} {nulls}"
    );
    let present: Vec<&Value> = values
        .iter()
        .flatten()
        .filter(|value| !is_nan(value))
        .collect();
    let has_nan = values.iter().flatten().any(is_nan);
    assert!(statistics.may_have_nan || !has_nan, "{at}");
    for value in &present {
        let below = |min| compare(min, value).is_le();
        assert!(
            statistics.min.as_ref().is_none_or(below),
            "{at}: {statistics:?} {value:?}"
        );
        let above = |max| compare(max, value).is_ge();
        assert!(
            statistics.max.as_ref().is_none_or(above),
            "{at}: {statistics:?} {value:?}"
        );
    }
    if statistics.exact {
        for bound in [&statistics.min, &statistics.max].into_iter().flatten() {
            assert!(present.contains(&bound), "{at}: {statistics:?}");
        }
    }
}

/// Checks all row groups, and all pages: those that are kept, and what is said of each.
fn check_source(segment: &Segment, source: &Source, at: &str) -> Result<usize> {
    let mut known = 0;
    for (group, rows) in segment.row_groups() {
        let all = RowRanges::all(rows.row_count);
        let mut values = Vec::new();
        let options = ReadOptions { batch_rows: 500 };
        for batch in segment.read(group, std::slice::from_ref(source), &all, &options)? {
            let array = &batch?.columns[0];
            values.extend((0..array.len()).map(|row| value(array, row)));
        }
        let statistics = segment.statistics(group, source);
        known += usize::from(statistics.min.is_some());
        check(&statistics, &values, at);
        let next = std::cell::Cell::new(0);
        segment.page_ranges(group, source, &|page| {
            let rows = next.get()..next.get() + page.row_count;
            next.set(rows.end);
            check(page, &values[rows], at);
            true
        });
    }
    Ok(known)
}

fn sources(segment: &Segment) -> Result<Vec<(String, Source)>> {
    let mut sources = Vec::new();
    for field in segment.fields()? {
        if field.column_type.multi_value {
            continue;
        }
        if field.column_type.data_type != DataType::OpenStruct {
            sources.push((field.name.clone(), segment.bind_column(&field)?));
            continue;
        }
        let Some(layout) = segment.variant_layout(&field.name)? else {
            continue;
        };
        for key in layout.keys() {
            let path = KeyPath::parse(&key.path)?;
            let own = segment.key_type(&field, &path)?;
            let wider = [DataType::String, DataType::Double, DataType::Long];
            for data_type in own.into_iter().chain(wider) {
                let output = KeyOutput::Typed(growler_schema::KeyType {
                    data_type,
                    typed: true,
                });
                let source = segment.bind_key(&field, &path, output, NonObjectRoot::Null)?;
                sources.push((
                    format!("{}[{}] {data_type:?}", field.name, key.path),
                    source,
                ));
            }
        }
    }
    Ok(sources)
}

fn check_file(path: &Path) -> Result<usize> {
    let segment = open(path)?;
    let mut known = 0;
    for (name, source) in sources(&segment)? {
        known += check_source(&segment, &source, &format!("{} {name}", path.display()))?;
    }
    Ok(known)
}

#[test]
fn statistics_hold_in_the_sample_files() -> Result<()> {
    let mut known = 0;
    for folder in [
        testdata("spark"),
        testdata("duckdb"),
        pack("spark"),
        pack("duckdb"),
        pack("arrowrs"),
    ] {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            eprintln!("skipped: no {}", folder.display());
            continue;
        };
        let mut files: Vec<PathBuf> = Vec::new();
        for entry in entries {
            files.push(entry?.path());
        }
        files.retain(|path| {
            path.extension()
                .is_some_and(|extension| extension == "parquet")
        });
        for file in files {
            known += check_file(&file)?;
        }
    }
    assert!(known > 100, "known={known}");
    Ok(())
}

#[test]
fn statistics_of_plain_columns_hold_at_the_edges() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("c.parquet");
    let message = "message m { optional int32 u (INTEGER(32,false)); optional double d;
        optional float z; optional binary s (STRING); optional int32 n; optional binary x;
        optional int64 t (TIMESTAMP(NANOS,false)); optional binary b (DECIMAL(20,2)); }";
    let long = "ä".repeat(100);
    let columns = [
        Column::Int32(vec![Some(-1), Some(1), None, Some(0)]),
        Column::Double(vec![Some(f64::NAN), Some(-1.5), Some(2.0), None]),
        Column::Float(vec![Some(0.0), Some(-0.0), Some(0.0), None]),
        Column::Bytes(vec![
            Some(long.clone().into_bytes()),
            Some(b"z".to_vec()),
            None,
            Some(vec![]),
        ]),
        Column::Int32(vec![None; 4]),
        Column::Bytes(vec![Some(vec![0xFF; 90]), Some(vec![0x01]), None, None]),
        Column::Int64(vec![Some(-1), Some(1_999_999), None, None]),
        Column::Bytes(vec![
            Some(vec![0xFF]),
            Some(vec![0x01, 0x00]),
            Some(vec![0x7F]),
            None,
        ]),
    ];
    for level in [
        EnabledStatistics::None,
        EnabledStatistics::Chunk,
        EnabledStatistics::Page,
    ] {
        let properties = WriterProperties::builder()
            .set_statistics_enabled(level)
            .set_statistics_truncate_length(Some(8))
            .set_column_index_truncate_length(Some(8))
            .build();
        write(&path, message, &columns, properties)?;
        let segment = open(&path)?;
        for name in ["u", "d", "z", "s", "n", "x", "t", "b"] {
            let mut wanted = field(&segment, name)?;
            check_source(&segment, &segment.bind_column(&wanted)?, name)?;
            let millis = DataType::Timestamp {
                unit: TimeUnit::Millis,
            };
            for target in [
                DataType::Double,
                DataType::String,
                DataType::BigDecimal { scale: 4 },
                millis,
            ] {
                wanted.column_type = target.single();
                // Its bytes are no text.
                if (name, target) == ("x", DataType::String) {
                    continue;
                }
                if let Ok(source) = segment.bind_column(&wanted) {
                    check_source(&segment, &source, &format!("{name} as {target:?}"))?;
                }
            }
        }
        let statistics = |name: &str| {
            let source = segment.bind_column(&field(&segment, name)?)?;
            anyhow::Ok(segment.statistics(growler_base::RowGroupIdx(0), &source))
        };
        if level == EnabledStatistics::None {
            assert_eq!(statistics("u")?, Statistics::unknown(4));
            continue;
        }
        assert_eq!(statistics("u")?.max, Some(Value::Long(4_294_967_295)));
        assert!(statistics("u")?.exact && !statistics("s")?.exact && !statistics("z")?.exact);
        assert!(statistics("n")?.is_all_null());
        assert!(statistics("d")?.may_have_nan);
        assert_eq!(
            statistics("t")?.min,
            Some(Value::Timestamp(-1, TimeUnit::Nanos))
        );
    }
    Ok(())
}

#[test]
fn a_key_has_statistics_only_where_nothing_else_holds_it() -> Result<()> {
    let check = |file: &str, key: &str, expected: bool| {
        let segment = open(&testdata("spark").join(format!("{file}.parquet")))?;
        let path = KeyPath::parse(key)?;
        let data_type = DataType::String;
        let output = KeyOutput::Typed(growler_schema::KeyType {
            data_type,
            typed: true,
        });
        let source = segment.bind_key(
            &field(&segment, "props")?,
            &path,
            output,
            NonObjectRoot::Fail,
        )?;
        let statistics = segment.statistics(growler_base::RowGroupIdx(0), &source);
        assert_eq!(
            statistics.min.is_some(),
            expected,
            "{file} {key} {statistics:?}"
        );
        anyhow::Ok(())
    };
    check("seed4_typed", "page_type", true)?;
    check("seed4_typed", "device.os", true)?;
    check("seed4_typed", "user_tier", false)?;
    check("seed4_none", "page_type", false)
}
