//! The range index against comparing row by row.

use std::ops::Bound;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array, StringArray,
    TimestampMicrosecondArray,
};
use growler_schema::{DataType, TimeUnit, Value};

use super::{CHUNK_ROWS, RangeBuilder, RangeView, Span};

type Failure = Box<dyn std::error::Error>;

/// A small generator (xorshift), so that failures repeat.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 8) % end
    }
}

fn built(array: &dyn Array, data_type: DataType, batch: usize) -> Result<Vec<u8>, Failure> {
    let mut builder = RangeBuilder::new(data_type, u32::try_from(array.len())?);
    for start in (0..array.len()).step_by(batch) {
        builder.push(&array.slice(start, batch.min(array.len() - start)))?;
    }
    Ok(builder.finish()?)
}

/// Every row in the span.
fn rows(view: &RangeView<'_>, span: Span) -> Result<Vec<u32>, Failure> {
    let rows: Vec<u32> = view.rows(span)?.iter().collect();
    assert_eq!(view.count(span)?, u64::try_from(rows.len())?);
    Ok(rows)
}

/// Row ids of a test's length.
fn row_ids(row_count: usize) -> std::ops::Range<u32> {
    0..u32::try_from(row_count).unwrap()
}

/// A bound as the spans have it, and the same as a closure on a value.
fn bounds(random: &mut Random, values: &[Value]) -> [Bound<Value>; 2] {
    [(); 2].map(|()| {
        let value = values[usize::try_from(random.below(values.len() as u64)).unwrap()].clone();
        match random.below(5) {
            0 => Bound::Unbounded,
            1 | 2 => Bound::Included(value),
            _ => Bound::Excluded(value),
        }
    })
}

fn is_within(value: &Value, lower: &Bound<Value>, upper: &Bound<Value>) -> bool {
    // As the languages of both sides compare: NaN with nothing, both zeros alike.
    let below = |a: &Value, b: &Value, or_equal: bool| match (a, b) {
        (Value::Int(a), Value::Int(b)) => a < b || or_equal && a == b,
        (Value::Long(a), Value::Long(b)) => a < b || or_equal && a == b,
        (Value::Timestamp(a, _), Value::Timestamp(b, _)) => a < b || or_equal && a == b,
        (Value::Boolean(a), Value::Boolean(b)) => a < b || or_equal && a == b,
        (Value::Float(a), Value::Float(b)) => a < b || or_equal && a == b,
        (Value::Float(a), Value::Double(b)) => {
            f64::from(*a) < *b || or_equal && f64::from(*a) == *b
        }
        (Value::Double(a), Value::Float(b)) => {
            *a < f64::from(*b) || or_equal && *a == f64::from(*b)
        }
        (Value::Double(a), Value::Double(b)) => a < b || or_equal && a == b,
        _ => unreachable!(),
    };
    let low = match lower {
        Bound::Unbounded => true,
        Bound::Included(bound) => below(bound, value, true),
        Bound::Excluded(bound) => below(bound, value, false),
    };
    low && match upper {
        Bound::Unbounded => true,
        Bound::Included(bound) => below(value, bound, true),
        Bound::Excluded(bound) => below(value, bound, false),
    }
}

/// Compares random spans with the values row by row. `array` holds the same as `values`.
fn check(
    name: &str,
    array: ArrayRef,
    values: &[Option<Value>],
    data_type: DataType,
) -> Result<(), Failure> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let row_count = u32::try_from(array.len())?;
    let blob = built(&array, data_type, 8192)?;
    assert_eq!(
        blob,
        built(&array, data_type, 100_000)?,
        "{name}: batches show"
    );
    let index = RangeView::try_new(&blob, row_count)?;
    let mut pool: Vec<Value> = values.iter().flatten().take(200).cloned().collect();
    pool.push(
        values
            .iter()
            .flatten()
            .last()
            .cloned()
            .unwrap_or(Value::default_null(data_type)),
    );
    pool.push(Value::default_null(data_type));
    if matches!(data_type, DataType::Float | DataType::Double) {
        pool.extend([0.5, -0.0, f64::INFINITY, f64::NAN, 0.1].map(Value::Double));
        pool.extend([0.5, -0.0, f32::INFINITY, f32::NAN, 0.1].map(Value::Float));
    }
    for round in 0..8 {
        let [lower, upper] = bounds(&mut random, &pool);
        let span = Span::between(lower.as_ref(), upper.as_ref(), data_type).ok_or("no span")?;
        let is_in = |value: &Option<Value>| {
            value
                .as_ref()
                .is_some_and(|value| is_within(value, &lower, &upper))
        };
        let pairs = row_ids(values.len()).zip(values);
        let expected: Vec<u32> = pairs
            .filter(|(_, value)| is_in(value))
            .map(|(row, _)| row)
            .collect();
        let found = rows(&index, span)?;
        assert!(
            found == expected,
            "{name}: round={round} lower={lower:?} upper={upper:?}"
        );
    }
    Ok(())
}

/// How many of 1,000 rows are null.
fn drawn<T: Clone>(
    rows: usize,
    null_share: u64,
    mut draw: impl FnMut(&mut Random, usize) -> T,
) -> Vec<Option<T>> {
    let mut random = Random(7 + null_share);
    (0..rows)
        .map(|row| {
            let value = draw(&mut random, row);
            (random.below(1000) >= null_share).then_some(value)
        })
        .collect()
}

const ROWS: usize = CHUNK_ROWS + 4321;

#[test]
fn whole_numbers_compare_as_row_by_row() -> Result<(), Failure> {
    type DrawLong = fn(&mut Random, usize) -> i64;
    let draws: [(&str, DrawLong); 6] = [
        ("small", |random, _| random.below(1000).cast_signed()),
        ("any", |random, _| random.next().cast_signed()),
        ("steps", |random, _| {
            random.below(50).cast_signed() * 4096 - 70_000
        }),
        ("rising", |_, row| 1_700_000_000_000 + row as i64),
        ("constant", |_, _| -5),
        ("extremes", |random, _| {
            [i64::MIN, 0, i64::MAX][random.below(3) as usize]
        }),
    ];
    for (name, draw) in draws {
        for nulls in [0, 20, 970, 1000] {
            let longs = drawn(ROWS, nulls, draw);
            let values: Vec<_> = longs.iter().map(|long| long.map(Value::Long)).collect();
            let array = Arc::new(Int64Array::from(longs.clone()));
            check(
                &format!("{name} long, nulls={nulls}"),
                array,
                &values,
                DataType::Long,
            )?;
        }
    }
    let ints = drawn(ROWS, 100, |random, _| random.next() as i32);
    let values: Vec<_> = ints.iter().map(|int| int.map(Value::Int)).collect();
    check(
        "int",
        Arc::new(Int32Array::from(ints)),
        &values,
        DataType::Int,
    )?;
    let unit = TimeUnit::Micros;
    let times = drawn(ROWS, 3, |random, _| {
        random.below(1 << 40).cast_signed() * 1000
    });
    let values: Vec<_> = times
        .iter()
        .map(|time| time.map(|time| Value::Timestamp(time, unit)))
        .collect();
    let array = Arc::new(TimestampMicrosecondArray::from(times));
    check("timestamp", array, &values, DataType::Timestamp { unit })?;
    let bools = drawn(1000, 100, |random, _| random.below(2) == 1);
    let values: Vec<_> = bools.iter().map(|bool| bool.map(Value::Boolean)).collect();
    check(
        "boolean",
        Arc::new(BooleanArray::from(bools)),
        &values,
        DataType::Boolean,
    )
}

#[test]
fn floats_compare_as_ieee_754_does() -> Result<(), Failure> {
    let special = [
        0.0,
        -0.0,
        f64::NAN,
        -f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        5e-324,
        0.1,
    ];
    type DrawDouble = fn(&mut Random) -> f64;
    let draws: [(&str, DrawDouble); 3] = [
        ("prices", |random| {
            random.below(100_000) as f64 / 100.0 - 300.0
        }),
        ("any bits", |random| f64::from_bits(random.next())),
        ("whole", |random| random.below(500) as f64),
    ];
    for (name, draw) in draws {
        for nulls in [0, 300] {
            let doubles = drawn(CHUNK_ROWS + 999, nulls, |random, row| {
                match special.get(row % 97) {
                    Some(value) if row < CHUNK_ROWS => *value,
                    _ => draw(random),
                }
            });
            let values: Vec<_> = doubles.iter().map(|v| v.map(Value::Double)).collect();
            let array = Arc::new(Float64Array::from(doubles.clone()));
            check(
                &format!("{name} double, nulls={nulls}"),
                array,
                &values,
                DataType::Double,
            )?;
            let floats: Vec<_> = doubles.iter().map(|v| v.map(|v| v as f32)).collect();
            let values: Vec<_> = floats.iter().map(|v| v.map(Value::Float)).collect();
            let array = Arc::new(Float32Array::from(floats));
            check(
                &format!("{name} float, nulls={nulls}"),
                array,
                &values,
                DataType::Float,
            )?;
        }
    }
    Ok(())
}

#[test]
fn ranks_stand_for_values_of_other_types() -> Result<(), Failure> {
    let ranks = drawn(ROWS, 200, |random, _| {
        u32::try_from(random.below(300)).unwrap()
    });
    let array = arrow_array::UInt32Array::from(ranks.clone());
    let data_type = DataType::BigDecimal { scale: 2 };
    let blob = built(&array, data_type, 8192)?;
    let view = RangeView::try_new(&blob, u32::try_from(ROWS)?)?;
    for asked in [0..0, 0..1, 17..200, 299..300, 0..300, 400..500] {
        let is_in = |row: &u32| ranks[*row as usize].is_some_and(|rank| asked.contains(&rank));
        let expected: Vec<u32> = row_ids(ROWS).filter(is_in).collect();
        let found = rows(&view, Span::of_ranks(asked.clone()))?;
        assert!(found == expected, "{asked:?}");
    }
    assert_eq!(
        view.extent(),
        Some(Span {
            first: 0,
            last: 299
        })
    );
    Ok(())
}

#[test]
fn what_was_not_announced_is_refused() -> Result<(), Failure> {
    let ints = Int32Array::from(vec![1, 2, 3]);
    let texts = StringArray::from(vec!["a"]);
    let ranks = arrow_array::UInt32Array::from(vec![1]);
    assert!(RangeBuilder::new(DataType::Int, 1).push(&texts).is_err());
    assert!(RangeBuilder::new(DataType::String, 1).push(&texts).is_err());
    assert!(RangeBuilder::new(DataType::Long, 1).push(&ints).is_err());
    assert!(RangeBuilder::new(DataType::Int, 1).push(&ranks).is_err());
    for row_count in [2, 4] {
        let mut builder = RangeBuilder::new(DataType::Int, row_count);
        builder.push(&ints)?;
        assert!(builder.finish().is_err());
    }
    Ok(())
}

#[test]
fn rows_without_values_may_be_pushed_by_number() -> Result<(), Failure> {
    let mut builder = RangeBuilder::new(DataType::Int, 200_000);
    builder.push_nulls(3)?;
    builder.push(&Int32Array::from(vec![Some(7), None, Some(8)]))?;
    builder.push_nulls(199_993)?;
    builder.push(&Int32Array::from(vec![9]))?;
    let blob = builder.finish()?;
    let view = RangeView::try_new(&blob, 200_000)?;
    assert_eq!(rows(&view, Span::ALL)?, [3, 5, 199_999]);
    let empty = RangeBuilder::new(DataType::Int, 0).finish()?;
    assert!(rows(&RangeView::try_new(&empty, 0)?, Span::ALL)?.is_empty());
    Ok(())
}

#[test]
fn bounds_of_another_type_are_declined() {
    let value = Value::Long(5);
    for data_type in [
        DataType::Double,
        DataType::String,
        DataType::BigDecimal { scale: 0 },
    ] {
        let span = Span::between(Bound::Included(&value), Bound::Unbounded, data_type);
        assert_eq!(span, None, "{data_type:?}");
    }
    let seconds = Value::Timestamp(5, TimeUnit::Millis);
    let unit = TimeUnit::Micros;
    let span = Span::between(
        Bound::Included(&seconds),
        Bound::Unbounded,
        DataType::Timestamp { unit },
    );
    assert_eq!(span, None);
}

#[test]
fn trailing_zeros_cost_no_slices() -> Result<(), Failure> {
    let floats: Vec<f32> = (0..CHUNK_ROWS)
        .map(|row| (row % 256) as f32 - 100.0)
        .collect();
    let blob = built(&Float32Array::from(floats), DataType::Float, 8192)?;
    assert!(blob.len() < CHUNK_ROWS / 8 * 24, "len={}", blob.len());
    let seconds: Vec<i64> = (0..CHUNK_ROWS as i64).map(|row| row % 512 * 1024).collect();
    let blob = built(&Int64Array::from(seconds), DataType::Long, 8192)?;
    assert!(blob.len() < CHUNK_ROWS / 8 * 9 + 100, "len={}", blob.len());
    Ok(())
}

#[test]
fn damage_is_an_error_or_an_answer_but_no_panic() -> Result<(), Failure> {
    let mut random = Random(99);
    let draw = |random: &mut Random, _| random.below(90).cast_signed();
    let sparse = Int64Array::from(drawn(CHUNK_ROWS + 70, 990, draw));
    let dense = Int64Array::from(drawn(9000, 100, draw));
    for (array, row_count) in [(sparse, 65_606), (dense, 9000)] {
        let mut blob = built(&array, DataType::Long, 8192)?;
        for len in (0..blob.len()).rev().step_by(7) {
            assert!(RangeView::try_new(&blob[..len], row_count).is_err());
        }
        assert!(RangeView::try_new(&blob, row_count + 1).is_err());
        for round in 0..3000 {
            let near_end = [blob.len(), 120][round % 2].min(blob.len()) as u64;
            let at = blob.len() - 1 - usize::try_from(random.below(near_end))?;
            let changed = [blob[at] ^ 1 << random.below(8), random.below(256) as u8][round / 2 % 2];
            let kept = std::mem::replace(&mut blob[at], changed);
            ask(&blob, row_count);
            blob[at] = kept;
        }
    }
    Ok(())
}

/// Asks for all that can be asked for.
fn ask(blob: &[u8], row_count: u32) {
    let Ok(view) = RangeView::try_new(blob, row_count) else {
        return;
    };
    let [first, last] = [5, 50].map(crate::order::of_i64);
    for span in [Span::ALL, Span { first, last }, Span::NONE] {
        let _ = view.count(span);
        let _ = view.extent();
        if let Ok(rows) = view.rows(span) {
            assert!(rows.last().is_none_or(|row| row < row_count));
        }
    }
}
