//! Opening a segment whose footer is cached, beside parsing that footer.
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot set up must stop"
)]

use std::fs::File;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use growler_segment::{FooterCache, Segment};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::ParquetMetaDataReader;

fn write_wide(path: &Path, column_count: usize) -> Result<(), Box<dyn std::error::Error>> {
    let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..64));
    let columns = (0..column_count).map(|idx| (format!("c{idx}"), Arc::clone(&column)));
    let batch = RecordBatch::try_from_iter(columns)?;
    let mut writer = ArrowWriter::try_new(File::create(path)?, batch.schema(), None)?;
    for _ in 0..4 {
        writer.write(&batch)?;
        writer.flush()?;
    }
    writer.close()?;
    Ok(())
}

fn open(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let mut group = criterion.benchmark_group("open");
    for column_count in [14, 400] {
        let path = folder.path().join(format!("{column_count}.parquet"));
        write_wide(&path, column_count).unwrap();
        let file = File::open(&path).unwrap();
        group.bench_function(BenchmarkId::new("parse_footer", column_count), |bencher| {
            bencher.iter(|| {
                ParquetMetaDataReader::new()
                    .parse_and_finish(black_box(&file))
                    .unwrap()
            });
        });
        let cache = FooterCache::default();
        Segment::open(&path, &cache).unwrap();
        group.bench_function(BenchmarkId::new("cached", column_count), |bencher| {
            bencher.iter(|| Segment::open(black_box(&path), &cache).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, open);
criterion_main!(benches);
