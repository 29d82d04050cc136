//! Keys and documents of unshredded variants, against `parquet-variant` on the same batch.
//!
//! Run with `cargo bench -p growler-variant --bench lookup`; compare figures of one run only.
#![allow(missing_docs, reason = "criterion makes public functions")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a benchmark may stop")]

use std::hint::black_box;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, StringBuilder, StringViewBuilder};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, Int64Array, StringArray, StringViewArray,
    StructArray,
};
use arrow_schema::{DataType, Field};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use growler_variant::cache::PathCache;
use growler_variant::json::write_json_in;
use growler_variant::names::DictionaryCache;
use growler_variant::{Budget, Found, KeyPath, Node};
use parquet_variant::VariantPath;
use parquet_variant_compute::{GetOptions, json_to_variant, variant_get, variant_to_json};

const ROWS: usize = 20_000;

struct Batch {
    variant: ArrayRef,
    metadata: BinaryViewArray,
    value: BinaryViewArray,
}

impl Batch {
    fn of_json(documents: impl Iterator<Item = String>) -> Self {
        let documents: ArrayRef = Arc::new(StringArray::from_iter_values(documents));
        let variant = json_to_variant(&documents).unwrap();
        let child = |name: &str| {
            let child = variant.inner().column_by_name(name).unwrap();
            child
                .as_any()
                .downcast_ref::<BinaryViewArray>()
                .unwrap()
                .clone()
        };
        Self {
            metadata: child("metadata"),
            value: child("value"),
            variant: ArrayRef::from(variant),
        }
    }

    /// The same with all rows pointing to one dictionary, as a dictionary-encoded page decodes.
    fn with_one_dictionary(mut self) -> Self {
        let first = *self.metadata.views().first().unwrap();
        let views = vec![first; self.metadata.len()];
        let buffers = self.metadata.data_buffers().to_vec();
        self.metadata = BinaryViewArray::try_new(views.into(), buffers, None).unwrap();
        self
    }

    /// The twin's text function takes plain binary only, in version 59.
    fn as_binary(&self) -> ArrayRef {
        let binary = |array: &BinaryViewArray| -> ArrayRef {
            Arc::new(BinaryArray::from_iter_values(array.iter().flatten()))
        };
        let fields: Vec<Arc<Field>> = ["metadata", "value"]
            .map(|name| Arc::new(Field::new(name, DataType::Binary, false)))
            .into();
        let columns = vec![binary(&self.metadata), binary(&self.value)];
        Arc::new(StructArray::new(fields.into(), columns, None))
    }

    fn rows(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        (0..self.value.len()).map(|row| (self.metadata.value(row), self.value.value(row)))
    }
}

/// A page view of ten keys, one of them nested; `extra` keys come on top.
fn page_view(row: usize, extra: &str) -> String {
    let tier = ["gold", "silver", "bronze"][row % 3];
    format!(
        "{{\"user_tier\":\"{tier}\",\"latency_ms\":{row},\"page_type\":\"product\",\"url\":\
         \"https://shop.example/item/{row}\",\"device\":{{\"os\":\"ios\",\"model\":\"m{}\"}},\
         \"price\":{}.25,\"in_stock\":true,\"tags\":[\"a\",\"common\"],\"session\":\"s-{row}\",\
         \"referrer\":null{extra}}}",
        row % 7,
        row % 100,
    )
}

fn shared() -> Batch {
    Batch::of_json((0..ROWS).map(|row| page_view(row, "")))
}

fn per_row() -> Batch {
    Batch::of_json((0..ROWS).map(|row| page_view(row, &format!(",\"key{row}\":1"))))
}

/// Objects with a given number of integer keys; only the first has a key `last` as well.
fn wide(keys: usize) -> Batch {
    let names: Vec<String> = (0..keys).map(|key| format!("key{key:04}")).collect();
    Batch::of_json((0..ROWS / 10).map(|row| {
        let names = names.iter().map(String::as_str);
        let last = (row == 0).then_some("last");
        let fields: Vec<String> = names
            .chain(last)
            .map(|name| format!("\"{name}\":{}", row * 100_000))
            .collect();
        format!("{{{}}}", fields.join(","))
    }))
}

fn read<'b>(batch: &'b Batch, cache: &mut PathCache, mut put: impl FnMut(Option<Node<'b>>)) {
    let mut rows = cache.rows();
    for (metadata, value) in batch.rows() {
        put(match rows.find(metadata, value) {
            Ok(Found::Value(bytes)) => Node::try_new(bytes).ok(),
            _ => None,
        });
    }
}

fn strings(batch: &Batch, cache: &mut PathCache) -> StringViewArray {
    let mut builder = StringViewBuilder::with_capacity(batch.value.len());
    read(batch, cache, |node| {
        builder.append_option(node.and_then(|node| node.to_str()))
    });
    builder.finish()
}

fn integers(batch: &Batch, cache: &mut PathCache) -> Int64Array {
    let mut builder = Int64Builder::with_capacity(batch.value.len());
    read(batch, cache, |node| {
        builder.append_option(node.and_then(|node| node.to_i64()))
    });
    builder.finish()
}

fn twin(batch: &Batch, path: &str, data_type: DataType) -> ArrayRef {
    let field = Arc::new(Field::new("key", data_type, true));
    let path = VariantPath::try_from(path).unwrap();
    let options = GetOptions::new_with_path(path).with_as_type(Some(field));
    variant_get(&batch.variant, options).unwrap()
}

fn keys(criterion: &mut Criterion) {
    let batches = [
        ("shared", shared()),
        ("one_dictionary", shared().with_one_dictionary()),
        ("per_row", per_row()),
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
            assert_eq!(&ours(), &twin(batch, path, data_type.clone()), "{name}");
            group.bench_function(BenchmarkId::new(*name, "growler"), |bench| {
                bench.iter(|| black_box(ours()));
            });
            group.bench_function(BenchmarkId::new(*name, "twin"), |bench| {
                bench.iter(|| black_box(twin(batch, path, data_type.clone())));
            });
        }
    }
}

fn key_count(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("keys_per_object");
    for count in [5, 10, 100, 1000] {
        let batch = wide(count).with_one_dictionary();
        group.throughput(Throughput::Elements(batch.value.len().try_into().unwrap()));
        let path = format!("key{:04}", count * 2 / 3);
        let mut cache = PathCache::new(KeyPath::parse(&path).unwrap());
        let ours: ArrayRef = Arc::new(integers(&batch, &mut cache));
        assert_eq!(&ours, &twin(&batch, &path, DataType::Int64));
        group.bench_function(BenchmarkId::new("growler", count), |bench| {
            bench.iter(|| black_box(integers(&batch, &mut cache)));
        });
        group.bench_function(BenchmarkId::new("twin", count), |bench| {
            bench.iter(|| black_box(twin(&batch, &path, DataType::Int64)));
        });
        // The dictionary has this key, nearly no object does.
        let mut cache = PathCache::new(KeyPath::parse("last").unwrap());
        let ours: ArrayRef = Arc::new(integers(&batch, &mut cache));
        assert_eq!(&ours, &twin(&batch, "last", DataType::Int64));
        group.bench_function(
            BenchmarkId::new("growler, not in the object", count),
            |bench| {
                bench.iter(|| black_box(integers(&batch, &mut cache)));
            },
        );
    }
}

fn documents(batch: &Batch, cache: &mut DictionaryCache) -> StringArray {
    let mut builder = StringBuilder::with_capacity(batch.value.len(), batch.value.len() * 256);
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
    for (name, batch) in [("shared", shared()), ("per_row", per_row())] {
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
