//! Benchmarks of growler.
