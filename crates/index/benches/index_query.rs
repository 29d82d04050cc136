//! What asking indexes costs, against `roaring` over the same sets in memory and against scans.
//!
//! Times are those of the processor. Run with `cargo bench -p growler-index --bench index_query`; compare figures of one run only.
#![allow(missing_docs, reason = "criterion makes public functions")]
#![allow(clippy::unwrap_used, reason = "a benchmark may stop")]

mod sample;

use std::hint::black_box;
use std::ops::Bound::Included;

use arrow_array::{ArrayRef, Float64Array, Int32Array, cast::AsArray, types::Int32Type};
use arrow_buffer::BooleanBuffer;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use growler_index::Kind::{Dictionary, Inverted};
use growler_index::order::of_i64;
use growler_index::range::{RangeBuilder, RangeView, Span};
use growler_index::{Reading, RowSet};
use growler_schema::{DataType, Value};
use roaring::{MultiOps, RoaringBitmap};
use sample::{COLUMN, CpuTime, batches, ints, longs, numbers, row_count};

/// One value in a hundred, ten thousand or a million, and unions and intersections of them. Ours
/// includes reading the postings from the file; the twins are in memory.
fn postings(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("postings");
    for distinct in [2, 100, 10_000] {
        let numbers = numbers(row_count(), distinct);
        let folder = sample::folder();
        sample::build(
            folder.path(),
            DataType::Long,
            &longs(&numbers),
            &[Dictionary, Inverted],
        );
        let indexes = sample::open(folder.path(), row_count());
        let index = indexes.subject(COLUMN, None, Reading::Values).unwrap();
        let one = |rank: u32| rank..rank + 1;
        let rows = |rank: u32| index.rows(std::slice::from_ref(&one(rank))).unwrap();
        let first_rank = one(0);
        let many: Vec<_> = (0..distinct.min(20))
            .step_by(2)
            .map(|rank| rank..rank + 1)
            .collect();
        let bitmaps: Vec<RoaringBitmap> = (0..distinct.min(20))
            .map(|rank| bitmap(&rows(rank)))
            .collect();
        // Shifted by a row, so that sets of one column meet.
        let shifted: RowSet = rows(1).iter().map(|row| row.saturating_sub(1)).collect();
        let twin = bitmap(&shifted);
        assert_eq!(rows(0).and(&shifted).len(), (&bitmaps[0] & &twin).len());
        let name = |what: &str| BenchmarkId::new(what, format!("1 of {distinct}"));
        group.bench_function(name("count"), |b| {
            b.iter(|| index.count(std::slice::from_ref(&first_rank)).unwrap())
        });
        group.bench_function(name("eq"), |b| b.iter(|| rows(0)));
        group.bench_function(name("in"), |b| b.iter(|| index.rows(&many).unwrap()));
        group.bench_function(name("in roaring"), |b| {
            b.iter(|| bitmaps.iter().step_by(2).union());
        });
        let first = rows(0);
        group.bench_function(name("and from file"), |b| b.iter(|| rows(0).and(&shifted)));
        group.bench_function(name("and"), |b| b.iter(|| first.and(&shifted)));
        group.bench_function(name("and roaring"), |b| b.iter(|| &bitmaps[0] & &twin));
        group.bench_function(name("or"), |b| b.iter(|| first.or(&shifted)));
        group.bench_function(name("or roaring"), |b| b.iter(|| &bitmaps[0] | &twin));
        group.bench_function(name("fill"), |b| {
            b.iter(|| {
                let starts = (0..row_count()).step_by(8192);
                for start in starts {
                    black_box(first.fill(start..row_count().min(start + 8192)));
                }
            });
        });
    }
    group.finish();
}

/// Rows within bounds, against comparing every value of an array in memory.
fn ranges(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("ranges");
    group.throughput(Throughput::Elements(row_count().into()));
    let wide = numbers(row_count(), 1 << 20);
    let keys = numbers(row_count(), 10);
    let some = wide
        .iter()
        .zip(&keys)
        .map(|(value, key)| (*key > 0).then_some(value.cast_signed()));
    let doubles = wide.iter().map(|number| f64::from(*number) / 7.0);
    let cases: [(&str, DataType, Vec<ArrayRef>, [Value; 2]); 4] = [
        (
            "int7bits",
            DataType::Int,
            ints(&numbers(row_count(), 100)),
            [Value::Int(10), Value::Int(19)],
        ),
        (
            "int20bits",
            DataType::Int,
            ints(&wide),
            [Value::Int(100_000), Value::Int(200_000)],
        ),
        (
            "int20bits_nulls",
            DataType::Int,
            batches(&some.collect::<Int32Array>()),
            [Value::Int(100_000), Value::Int(200_000)],
        ),
        (
            "double",
            DataType::Double,
            batches(&Float64Array::from_iter_values(doubles)),
            [Value::Double(14_000.5), Value::Double(28_000.5)],
        ),
    ];
    for (name, data_type, arrays, [low, high]) in cases {
        let mut builder = RangeBuilder::new(data_type, row_count());
        arrays.iter().for_each(|array| builder.push(array).unwrap());
        let bytes = builder.finish().unwrap();
        let view = RangeView::try_new(&bytes, row_count()).unwrap();
        let span = Span::between(Included(&low), Included(&high), data_type).unwrap();
        group.bench_function(BenchmarkId::new("rows", name), |b| {
            b.iter(|| view.rows(span).unwrap());
        });
        group.bench_function(BenchmarkId::new("count", name), |b| {
            b.iter(|| view.count(span).unwrap());
        });
        if data_type == DataType::Int {
            let inside = |value: &i32| (span.first..=span.last).contains(&of_i64((*value).into()));
            group.bench_function(BenchmarkId::new("scan", name), |b| {
                b.iter(|| {
                    arrays
                        .iter()
                        .for_each(|array| drop(black_box(scan(array, inside))))
                });
            });
        }
    }
    group.finish();
}

/// Opening a file: the same for few rows and many.
fn open(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("open");
    for rows in [row_count() / 20, row_count()] {
        let folder = sample::folder();
        let longs = longs(&numbers(rows, 10_000));
        sample::build(
            folder.path(),
            DataType::Long,
            &longs,
            &[Dictionary, Inverted],
        );
        group.bench_function(BenchmarkId::from_parameter(rows), |bencher| {
            bencher.iter(|| sample::open(folder.path(), rows));
        });
    }
    group.finish();
}

fn scan(array: &ArrayRef, inside: impl Fn(&i32) -> bool) -> BooleanBuffer {
    let values = array.as_primitive::<Int32Type>().values();
    BooleanBuffer::collect_bool(values.len(), |row| inside(&values[row]))
}

fn bitmap(rows: &RowSet) -> RoaringBitmap {
    RoaringBitmap::from_sorted_iter(rows.iter()).unwrap()
}

criterion_group!(name = benches; config = sample::settings(); targets = postings, ranges, open);
criterion_main!(benches);
