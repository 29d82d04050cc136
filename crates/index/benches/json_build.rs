//! What an index of many keys costs against one hash map of postings over the same (path, value) pairs.
//!
//! Eleven keys of few to many distinct texts, one of them different in every row. `paths` is the index of what documents
//! have inside, `values` that of keys read as columns, both as files; `map` are bitmaps in memory, not
//! written. Times are those of the processor. Run with `cargo bench -p growler-index --bench json_build`;
//! compare figures of one run only.
#![allow(missing_docs, reason = "criterion makes public functions")]
#![allow(clippy::unwrap_used, reason = "a benchmark may stop")]

mod sample;

use std::hint::black_box;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringViewArray};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use foldhash::fast::RandomState;
use growler_index::json::{JsonBudget, JsonBuilder};
use growler_index::{Budget, IndexWriter, Kind, Kinds, Reading, Subject, ValueBuilder};
use growler_schema::DataType;
use hashbrown::HashMap;
use roaring::RoaringBitmap;
use sample::{CpuTime, batches, numbers, row_count};

/// Distinct values of each key; the last has as many as there are rows.
const DISTINCT: [u32; 11] = [3, 5, 8, 20, 100, 100, 1000, 10_000, 10_000, 100_000, 0];
const MEMORY_BYTES: usize = 256 << 20;

/// The rows of every key, in batches.
fn keys(rows: u32) -> Vec<Vec<ArrayRef>> {
    let key = |distinct: &u32| {
        let numbers = match distinct {
            0 => (0..rows).collect(),
            distinct => numbers(rows, *distinct),
        };
        let texts = numbers.iter().map(|number| format!("\"value-{number}\""));
        batches(&texts.map(Some).collect::<StringViewArray>())
    };
    DISTINCT.iter().map(key).collect()
}

fn paths(folder: &std::path::Path, rows: u32, keys: &[Vec<ArrayRef>]) {
    let mut writer = IndexWriter::create(folder, "paths.gix", sample::source(rows), 3).unwrap();
    let budget = JsonBudget {
        memory_bytes: MEMORY_BYTES,
        path_count: 100,
        value_len_bytes: 256,
        spill_folder: folder.to_owned(),
    };
    let mut builder = JsonBuilder::new("c", budget);
    let ids: Vec<_> = (0..keys.len())
        .map(|key| builder.path(&format!("$.k{key}"), u32::MAX).unwrap())
        .collect();
    for batch in 0..keys[0].len() {
        let texts: Vec<&StringViewArray> =
            keys.iter().map(|key| key[batch].as_string_view()).collect();
        for row in 0..texts[0].len() {
            for (id, texts) in ids.iter().zip(&texts) {
                builder.push(*id, texts.value(row).as_bytes()).unwrap();
            }
            builder.end_row();
        }
    }
    builder.finish(&mut writer).unwrap();
    writer.finish().unwrap();
}

fn values(folder: &std::path::Path, rows: u32, keys: &[Vec<ArrayRef>]) {
    let mut writer = IndexWriter::create(folder, "values.gix", sample::source(rows), 3).unwrap();
    let kinds = Kinds::NONE.with(Kind::Dictionary).with(Kind::Inverted);
    for (number, key) in keys.iter().enumerate() {
        let subject = Subject::key("c", format!("k{number}"), Reading::Values);
        let budget = Budget::of_bytes(MEMORY_BYTES / keys.len()).with_spill_folder(folder);
        let mut builder = ValueBuilder::new(subject, DataType::String, rows, kinds, budget);
        for texts in key {
            builder.push(texts).unwrap();
        }
        builder.finish(&mut writer).unwrap();
    }
    writer.finish().unwrap();
}

fn map(keys: &[Vec<ArrayRef>]) -> HashMap<(usize, Arc<str>), RoaringBitmap, RandomState> {
    let mut map: HashMap<(usize, Arc<str>), RoaringBitmap, RandomState> = HashMap::default();
    let mut first = 0;
    for batch in 0..keys[0].len() {
        let texts: Vec<&StringViewArray> =
            keys.iter().map(|key| key[batch].as_string_view()).collect();
        for at in 0..texts[0].len() {
            let row = first + u32::try_from(at).unwrap();
            for (key, texts) in texts.iter().enumerate() {
                let rows = map.entry((key, Arc::from(texts.value(at)))).or_default();
                rows.try_push(row).unwrap();
            }
        }
        first += u32::try_from(texts[0].len()).unwrap();
    }
    map
}

/// As [`map`], asked for each value before it is made a key of.
fn looked_up(keys: &[Vec<ArrayRef>]) -> Vec<HashMap<String, RoaringBitmap, RandomState>> {
    let mut maps: Vec<HashMap<String, RoaringBitmap, RandomState>> =
        keys.iter().map(|_| HashMap::default()).collect();
    let mut first = 0;
    for batch in 0..keys[0].len() {
        let len = keys[0][batch].len();
        let texts: Vec<&StringViewArray> =
            keys.iter().map(|key| key[batch].as_string_view()).collect();
        for row in 0..len {
            for (map, texts) in maps.iter_mut().zip(&texts) {
                let rows = map.entry_ref(texts.value(row)).or_default();
                rows.try_push(first + u32::try_from(row).unwrap()).unwrap();
            }
        }
        first += u32::try_from(len).unwrap();
    }
    maps
}

fn remainder(criterion: &mut Criterion<CpuTime>) {
    let rows = row_count();
    let keys = keys(rows);
    let folder = sample::folder();
    let mut group = criterion.benchmark_group("remainder");
    group
        .throughput(Throughput::Elements(u64::from(rows) * keys.len() as u64))
        .sample_size(10);
    group.bench_function("paths", |bencher| {
        bencher.iter(|| paths(folder.path(), rows, &keys));
    });
    group.bench_function("values", |bencher| {
        bencher.iter(|| values(folder.path(), rows, &keys));
    });
    group.bench_function("map", |bencher| bencher.iter(|| black_box(map(&keys))));
    group.bench_function("map a key", |bencher| {
        bencher.iter(|| black_box(looked_up(&keys)));
    });
    group.finish();
}

criterion_group!(name = benches; config = sample::settings(); targets = remainder);
criterion_main!(benches);
