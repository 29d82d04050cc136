//! Whole queries: those of `benches/queries`, over the same rows in five layouts.
//!
//! Run with `cargo bench -p growler-benches --bench query`; times are those of the processor, over two
//! threads. `GROWLER_BENCH_ROWS` says how many rows (1,000,000); the tables are made once and kept
//! below the target folder.
#![allow(missing_docs, reason = "criterion makes public functions")]
#![allow(
    clippy::unwrap_used,
    reason = "a benchmark that cannot set up must stop"
)]

mod cpu;

use std::path::{Path, PathBuf};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use growler_benches::generate::{Generation, Layout, Table, generate};
use growler_benches::queries::of_layout;
use growler_exec::{Engine, EngineOptions, Request, View};
use growler_segment::FooterCache;
use growler_segment::write::WriteOptions;
use parquet::basic::{Compression, ZstdLevel};

use cpu::{CpuTime, settings};

fn row_count() -> u64 {
    let rows = std::env::var("GROWLER_BENCH_ROWS");
    rows.map_or(1_000_000, |rows| rows.parse().unwrap())
}

fn made(table: Table, layouts: &[Layout]) -> PathBuf {
    let rows = row_count();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{rows}", table.name()));
    let what = Generation {
        table,
        seed: 1,
        row_count: rows,
        file_rows: (rows / 4).clamp(1, 250_000),
        layouts: layouts.to_vec(),
        write: WriteOptions {
            codec: Compression::ZSTD(ZstdLevel::default()),
            ..WriteOptions::default()
        },
        threads: 2,
    };
    generate(&what, &folder, &|_| ()).unwrap();
    folder
}

fn ask(criterion: &mut Criterion<CpuTime>, table: Table, layouts: &[Layout]) {
    let folder = made(table, layouts);
    for layout in layouts {
        let engine = Engine::new(EngineOptions {
            threads: 2,
            ..EngineOptions::default()
        });
        let engine = engine.unwrap();
        let path = folder.join(layout.name());
        let view = View::open("t", path.to_str().unwrap(), None, &FooterCache::default());
        engine.register(view.unwrap());
        let mut group = criterion.benchmark_group(table.name());
        group.throughput(Throughput::Elements(row_count()));
        for query in of_layout(table, *layout).unwrap() {
            let id = BenchmarkId::new(&query.id, layout.name());
            group.bench_function(id, |bencher| {
                bencher.iter(|| {
                    let outcome = engine.query(&query.sql, &Request::default());
                    assert!(
                        outcome.error.is_none(),
                        "{:?}: {}",
                        outcome.error,
                        query.sql
                    );
                    outcome
                });
            });
        }
        group.finish();
    }
}

fn events(criterion: &mut Criterion<CpuTime>) {
    ask(criterion, Table::Events, &Layout::ASKED);
}

fn bluesky(criterion: &mut Criterion<CpuTime>) {
    ask(criterion, Table::Bluesky, &Layout::ASKED);
}

criterion_group!(name = benches; config = settings(); targets = events, bluesky);
criterion_main!(benches);
