//! What building indexes costs, against a `RoaringBitmap` for each value and against decoding.
//!
//! Times are those of the processor. Run with `cargo bench -p growler-index --bench index_build`; compare figures of one run only.
#![allow(missing_docs, reason = "criterion makes public functions")]
#![allow(clippy::unwrap_used, reason = "a benchmark may stop")]

mod sample;

use std::hint::black_box;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int32Array, RecordBatch};
use arrow_schema::{DataType as ArrowType, Field, Schema};
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use growler_index::Budget;
use growler_index::Kind::{self, Bloom, Dictionary, Inverted, Range};
use growler_index::bloom::BloomBuilder;
use growler_index::build::InvertedBuilder;
use growler_index::range::RangeBuilder;
use growler_schema::DataType;
use growler_schema::index_plan::BloomOptions;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use roaring::RoaringBitmap;
use sample::{BATCH_ROWS, CpuTime, batches, ints, longs, numbers, row_count, texts};

const INVERTED: &[Kind] = &[Dictionary, Inverted];

/// Dictionary and postings of values, from numbers and from text that has a dictionary; beside it
/// postings alone of rows whose ranks are known, and pushing such rows to a bitmap for each.
fn inverted(criterion: &mut Criterion<CpuTime>) {
    let mut group = group(criterion, "inverted");
    let folder = sample::folder();
    for distinct in [100, 10_000, 1_000_000] {
        let numbers = numbers(row_count(), distinct);
        let (longs, texts) = (longs(&numbers), texts(&numbers, distinct));
        group.bench_function(BenchmarkId::new("long", distinct), |bencher| {
            bencher.iter(|| sample::build(folder.path(), DataType::Long, &longs, INVERTED));
        });
        group.bench_function(BenchmarkId::new("text", distinct), |bencher| {
            bencher.iter(|| sample::build(folder.path(), DataType::String, &texts, INVERTED));
        });
        group.bench_function(BenchmarkId::new("ranks", distinct), |bencher| {
            bencher.iter(|| {
                let mut builder = InvertedBuilder::new(distinct, &Budget::of_bytes(256 << 20));
                numbers
                    .chunks(BATCH_ROWS)
                    .for_each(|ranks| builder.push(ranks));
                let mut bytes = Vec::new();
                builder.finish(&mut bytes).unwrap();
                black_box(bytes)
            });
        });
        group.bench_function(BenchmarkId::new("roaring", distinct), |bencher| {
            bencher.iter(|| {
                let mut bitmaps = vec![RoaringBitmap::new(); distinct as usize];
                for (row, number) in (0..).zip(&numbers) {
                    bitmaps[*number as usize].try_push(row).unwrap();
                }
                black_box(bitmaps)
            });
        });
    }
    group.finish();
}

/// Indexes of a column against decoding it from Parquet by the Arrow reader: as the column was
/// written, which for text is a dictionary, and text as text. Building is of arrays, or of what is
/// decoded on the way.
fn column(criterion: &mut Criterion<CpuTime>) {
    let mut group = group(criterion, "column");
    let folder = sample::folder();
    let rows = row_count();
    let keys = numbers(rows, 100);
    let wide = numbers(rows, 1 << 20);
    let some = wide
        .iter()
        .zip(&keys)
        .map(|(value, key)| (*key >= 10).then_some(value.cast_signed()));
    let text = texts(&keys, 100);
    let cases: [(&str, DataType, Vec<ArrayRef>, &[Kind]); 4] = [
        (
            "text100_nulls",
            DataType::String,
            text.iter().map(sample::without_some).collect(),
            INVERTED,
        ),
        ("text100", DataType::String, text, INVERTED),
        ("int20bits", DataType::Int, ints(&wide), &[Range]),
        (
            "int20bits_nulls",
            DataType::Int,
            batches(&some.collect::<Int32Array>()),
            &[Range],
        ),
    ];
    for (name, data_type, arrays, kinds) in cases {
        let file = parquet(&arrays);
        let own = arrays[0].data_type();
        group.bench_function(BenchmarkId::new("decode", name), |bencher| {
            bencher.iter(|| {
                reader(&file, own).for_each(|batch| drop(black_box(batch.unwrap())));
            });
        });
        if data_type == DataType::String {
            group.bench_function(BenchmarkId::new("decode as text", name), |bencher| {
                bencher.iter(|| {
                    let text = reader(&file, &ArrowType::Utf8);
                    text.for_each(|batch| drop(black_box(batch.unwrap())));
                });
            });
        }
        group.bench_function(BenchmarkId::new("build", name), |bencher| {
            bencher.iter(|| sample::build(folder.path(), data_type, &arrays, kinds));
        });
        group.bench_function(BenchmarkId::new("decode and build", name), |bencher| {
            bencher.iter(|| {
                let batches = reader(&file, own).map(|batch| batch.unwrap().column(0).clone());
                sample::build_from(folder.path(), (data_type, rows), batches, kinds);
            });
        });
    }
    group.finish();
}

/// Slices and filters alone, without a file.
fn kernels(criterion: &mut Criterion<CpuTime>) {
    let mut group = group(criterion, "kernels");
    let rows = row_count();
    let wide = numbers(rows, u32::MAX);
    let doubles = wide
        .iter()
        .map(|number| f64::from(*number) / f64::from(u32::MAX));
    let cases: [(&str, DataType, Vec<ArrayRef>); 3] = [
        ("int7bits", DataType::Int, ints(&numbers(rows, 100))),
        ("int20bits", DataType::Int, ints(&numbers(rows, 1 << 20))),
        (
            "double",
            DataType::Double,
            batches(&Float64Array::from_iter_values(doubles)),
        ),
    ];
    for (name, data_type, arrays) in &cases {
        let mut kept = Vec::new();
        group.bench_function(BenchmarkId::new("range", name), |bencher| {
            bencher.iter(|| {
                let sink = std::mem::take(&mut kept);
                let mut builder = RangeBuilder::with_sink(*data_type, rows, sink);
                arrays.iter().for_each(|array| builder.push(array).unwrap());
                kept = builder.finish().unwrap();
                kept.clear();
            });
        });
        group.bench_function(BenchmarkId::new("bloom", name), |bencher| {
            bencher.iter(|| {
                let mut builder = BloomBuilder::new(*data_type, rows, BloomOptions::default());
                arrays.iter().for_each(|array| builder.push(array).unwrap());
                builder.finish().unwrap()
            });
        });
    }
    let texts = texts(&numbers(rows, 10_000), 10_000);
    let folder = sample::folder();
    group.bench_function("all/text10000", |bencher| {
        let kinds = [Dictionary, Inverted, Range, Bloom];
        bencher.iter(|| sample::build(folder.path(), DataType::String, &texts, &kinds));
    });
    group.finish();
}

fn group<'a>(criterion: &'a mut Criterion<CpuTime>, name: &str) -> BenchmarkGroup<'a, CpuTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .throughput(Throughput::Elements(row_count().into()))
        .sample_size(10);
    group
}

/// Writes batches as a file, uncompressed so that only encodings are measured.
fn parquet(arrays: &[ArrayRef]) -> bytes::Bytes {
    let schema = schema(arrays[0].data_type());
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, schema.clone(), None).unwrap();
    for array in arrays {
        let batch = RecordBatch::try_new(schema.clone(), vec![array.clone()]).unwrap();
        writer.write(&batch).unwrap();
    }
    writer.close().unwrap();
    file.into()
}

/// Reads batches of a type.
fn reader(file: &bytes::Bytes, own: &ArrowType) -> ParquetRecordBatchReader {
    let options = ArrowReaderOptions::new().with_schema(schema(own));
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file.clone(), options);
    builder
        .unwrap()
        .with_batch_size(BATCH_ROWS)
        .build()
        .unwrap()
}

fn schema(data_type: &ArrowType) -> Arc<Schema> {
    let field = Field::new(sample::COLUMN, data_type.clone(), true);
    Arc::new(Schema::new(vec![field]))
}

criterion_group!(name = benches; config = sample::settings(); targets = inverted, column, kernels);
criterion_main!(benches);
