//! Every file of `fuzz/corpus/TARGET` and `fuzz/regressions/TARGET`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use growler_fuzz::{Target, run};

/// libFuzzer's own bound is 5 seconds, for an optimised build.
const LONGEST: Duration = Duration::from_secs(20);

pub fn inputs(folder: &str, target: Target) -> Vec<PathBuf> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = fuzz.join(folder).join(target.name());
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn replay(target: Target) {
    let paths = [inputs("corpus", target), inputs("regressions", target)].concat();
    assert!(!paths.is_empty(), "no inputs for {}", target.name());
    for path in paths {
        let input = std::fs::read(&path).unwrap();
        let start = Instant::now();
        let checked = std::panic::catch_unwind(|| run(target, &input));
        assert!(checked.is_ok(), "{}", path.display());
        assert!(start.elapsed() < LONGEST, "slow: {}", path.display());
    }
}

#[test]
fn metadata() {
    replay(Target::Metadata);
}

#[test]
fn value_lookup() {
    replay(Target::ValueLookup);
}

#[test]
fn document_json() {
    replay(Target::DocumentJson);
}

#[test]
fn parquet_file() {
    replay(Target::ParquetFile);
}

#[test]
fn shredded_triples() {
    replay(Target::ShreddedTriples);
}

#[test]
fn sql_text() {
    replay(Target::SqlText);
}

#[test]
fn index_file() {
    replay(Target::IndexFile);
}

#[test]
fn table_metadata() {
    replay(Target::TableMetadata);
}

#[test]
fn manifest_file() {
    replay(Target::ManifestFile);
}

#[test]
fn catalog_answer() {
    replay(Target::CatalogAnswer);
}
