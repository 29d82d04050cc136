//! Keys and documents of unshredded variants, against `parquet-variant` on the same batch.
//!
//! Run with `cargo bench -p growler-variant --bench lookup`; compare figures of one run only.
#![allow(missing_docs, reason = "criterion makes public functions")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a benchmark may stop")]

mod data;

use std::hint::black_box;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, StringArray};
use arrow_schema::DataType;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use growler_variant::cache::PathCache;
use growler_variant::json::write_json_in;
use growler_variant::names::DictionaryCache;
use growler_variant::{Budget, KeyPath};
use parquet_variant_compute::variant_to_json;

use data::rows::{Batch, integers, per_row, shared, strings, twin, wide};

const ROWS: usize = 20_000;

fn keys(criterion: &mut Criterion) {
    let batches = [
        ("shared", shared(ROWS)),
        ("one_dictionary", shared(ROWS).with_one_dictionary()),
        ("per_row", per_row(ROWS)),
    ];
    let keys = [
        ("string", "user_tier", DataType::Utf8View),
        ("integer", "latency_ms", DataType::Int64),
        ("nested", "device.os", DataType::Utf8View),
        ("missing", "nowhere", DataType::Utf8View),
    ];
    for (batch_name, batch) in &batches {
        let mut group = criterion.benchmark_group(format!("key/{batch_name}"));
        group.throughput(Throughput::Elements(ROWS.try_into().unwrap()));
        for (name, path, data_type) in &keys {
            let mut cache = PathCache::new(KeyPath::parse(path).unwrap());
            let is_text = *data_type == DataType::Utf8View;
            let mut ours = || -> ArrayRef {
                if is_text {
                    Arc::new(strings(batch, &mut cache))
                } else {
                    Arc::new(integers(batch, &mut cache))
                }
            };
            assert_eq!(&ours(), &twin(batch, path, data_type), "{name}");
            group.bench_function(BenchmarkId::new(*name, "growler"), |bench| {
                bench.iter(|| black_box(ours()));
            });
            group.bench_function(BenchmarkId::new(*name, "twin"), |bench| {
                bench.iter(|| black_box(twin(batch, path, data_type)));
            });
        }
    }
}

fn key_count(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("keys_per_object");
    for count in [5, 10, 100, 1000] {
        let batch = wide(count, ROWS / 10).with_one_dictionary();
        group.throughput(Throughput::Elements(batch.len().try_into().unwrap()));
        let path = format!("key{:04}", count * 2 / 3);
        let mut cache = PathCache::new(KeyPath::parse(&path).unwrap());
        let ours: ArrayRef = Arc::new(integers(&batch, &mut cache));
        assert_eq!(&ours, &twin(&batch, &path, &DataType::Int64));
        group.bench_function(BenchmarkId::new("growler", count), |bench| {
            bench.iter(|| black_box(integers(&batch, &mut cache)));
        });
        group.bench_function(BenchmarkId::new("twin", count), |bench| {
            bench.iter(|| black_box(twin(&batch, &path, &DataType::Int64)));
        });
        // The dictionary has this key, nearly no object does.
        let mut cache = PathCache::new(KeyPath::parse("last").unwrap());
        let ours: ArrayRef = Arc::new(integers(&batch, &mut cache));
        assert_eq!(&ours, &twin(&batch, "last", &DataType::Int64));
        group.bench_function(
            BenchmarkId::new("growler, not in the object", count),
            |bench| {
                bench.iter(|| black_box(integers(&batch, &mut cache)));
            },
        );
    }
}

fn documents(batch: &Batch, cache: &mut DictionaryCache) -> StringArray {
    let mut builder = StringBuilder::with_capacity(batch.len(), batch.len() * 256);
    let mut text = Vec::new();
    for (metadata, value) in batch.rows() {
        text.clear();
        let dictionary = cache.get(metadata).unwrap();
        write_json_in(dictionary, value, &mut text, &mut Budget::new()).unwrap();
        builder.append_value(std::str::from_utf8(&text).unwrap());
    }
    builder.finish()
}

fn whole_documents(criterion: &mut Criterion) {
    for (name, batch) in [("shared", shared(ROWS)), ("per_row", per_row(ROWS))] {
        let mut group = criterion.benchmark_group(format!("document/{name}"));
        group.throughput(Throughput::Elements(ROWS.try_into().unwrap()));
        let mut cache = DictionaryCache::new();
        let binary = batch.as_binary();
        assert_eq!(
            documents(&batch, &mut cache),
            variant_to_json(&binary).unwrap()
        );
        group.bench_function("growler", |bench| {
            bench.iter(|| black_box(documents(&batch, &mut cache)));
        });
        group.bench_function("twin", |bench| {
            bench.iter(|| black_box(variant_to_json(&binary).unwrap()));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = keys, key_count, whole_documents
}
criterion_main!(benches);
