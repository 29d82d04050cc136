//! Columns of a file to arrays, beside the `parquet` crate's reader over the same columns.
//!
//! Run with `cargo bench -p growler-benches --bench decode`; compare figures of one run only.
#![allow(missing_docs, reason = "criterion makes public functions")]
#![allow(
    clippy::unwrap_used,
    reason = "a benchmark that cannot set up must stop"
)]

mod cpu;

use std::fs::File;
use std::path::{Path, PathBuf};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use growler_base::RowRanges;
use growler_benches::generate::{Generation, Layout, Table, generate};
use growler_segment::write::WriteOptions;
use growler_segment::{FooterCache, ReadOptions, Segment};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};

use cpu::{CpuTime, settings};

const ROWS: u64 = 200_000;
const COLUMNS: [&str; 5] = ["ts", "user_id", "page_type", "latency_ms", "items"];

fn file(name: &str, codec: Compression) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("decode-{name}"));
    let what = Generation {
        table: Table::Events,
        seed: 1,
        row_count: ROWS,
        file_rows: ROWS,
        layouts: vec![Layout::Flat],
        write: WriteOptions {
            codec,
            ..WriteOptions::default()
        },
        threads: 1,
    };
    generate(&what, &folder, &|_| ()).unwrap();
    folder.join("flat/part-000.parquet")
}

fn ours(segment: &Segment, column: &str) -> usize {
    let fields = segment.fields().unwrap();
    let field = fields.iter().find(|field| field.name == column).unwrap();
    let source = segment.bind_column(field).unwrap();
    let mut rows = 0;
    for (idx, group) in segment.row_groups() {
        let all = RowRanges::all(group.row_count);
        let reader = segment.read(
            idx,
            std::slice::from_ref(&source),
            &all,
            &ReadOptions::default(),
        );
        rows += reader
            .unwrap()
            .map(|batch| batch.unwrap().row_count)
            .sum::<usize>();
    }
    rows
}

fn theirs(path: &Path, column: &str) -> usize {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let mask = ProjectionMask::columns(builder.parquet_schema(), [column]);
    let reader = builder.with_projection(mask).with_batch_size(8192).build();
    reader.unwrap().map(|batch| batch.unwrap().num_rows()).sum()
}

fn decode(criterion: &mut Criterion<CpuTime>) {
    let codecs = [
        ("none", Compression::UNCOMPRESSED),
        ("snappy", Compression::SNAPPY),
        ("zstd", Compression::ZSTD(ZstdLevel::default())),
    ];
    for (name, codec) in codecs {
        let path = file(name, codec);
        let segment = Segment::open(&path, &FooterCache::default()).unwrap();
        let mut group = criterion.benchmark_group(format!("decode/{name}"));
        group.throughput(Throughput::Elements(ROWS));
        for column in COLUMNS {
            assert_eq!(ours(&segment, column), theirs(&path, column), "{column}");
            group.bench_function(BenchmarkId::new(column, "growler"), |bencher| {
                bencher.iter(|| ours(&segment, column));
            });
            group.bench_function(BenchmarkId::new(column, "parquet"), |bencher| {
                bencher.iter(|| theirs(&path, column));
            });
        }
        group.finish();
    }
}

criterion_group!(name = benches; config = settings(); targets = decode);
criterion_main!(benches);
