//! The hottest loops, each alone, on one thread and without compression: what `benches/instructions`
//! counts, in time.
//!
//! Run with `cargo bench -p growler-benches --bench kernels`.
#![allow(missing_docs, reason = "criterion makes public functions")]
#![allow(
    clippy::unwrap_used,
    reason = "a benchmark that cannot set up must stop"
)]

mod cpu;

use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use growler_benches::kernels::{ROWS, all};

use cpu::{CpuTime, settings};

fn kernels(criterion: &mut Criterion<CpuTime>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
    let mut group = criterion.benchmark_group("kernel");
    group.throughput(Throughput::Elements(ROWS));
    for mut kernel in all(&folder).unwrap() {
        group.bench_function(kernel.name, |bencher| {
            bencher.iter(|| kernel.run().unwrap());
        });
    }
    group.finish();
}

criterion_group!(name = benches; config = settings(); targets = kernels);
criterion_main!(benches);
