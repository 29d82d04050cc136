//! Manifests that plans share.

use std::sync::Arc;

use growler_catalog::table::SnapshotSelector;
use growler_catalog::{IcebergTable, ManifestCache, ScanOptions, SnapshotId};
use serde_json::{Value, json};

use crate::made::{self, Made, MadeManifest, MemoryFiles};
use crate::samples::samples;

/// A table of so many snapshots, each with one manifest more than the one before it.
fn appended(snapshots: usize, uuid: &str) -> MemoryFiles {
    let columns = json!([{"id": 1, "name": "id", "type": "long"}]);
    let file = |number: usize| Made::data(&format!("/lake/t/{number}.parquet"));
    let manifests: Vec<MadeManifest> = (0..snapshots)
        .map(|number| MadeManifest::new(1, vec![file(number)]))
        .collect();
    let specs = json!([{"spec-id": 0, "fields": []}]);
    let (mut files, mut metadata) = made::files(columns, specs, &manifests);
    let mut listed: Vec<Value> = Vec::new();
    for count in 1..=snapshots {
        let list = format!("/lake/t/metadata/snap{count}.avro");
        let bytes = made::list(&files, &manifests[..count]);
        files.files.insert(list.clone(), bytes);
        listed.push(
            json!({"snapshot-id": count, "sequence-number": 9, "timestamp-ms": 1,
            "schema-id": 0, "manifest-list": list}),
        );
    }
    metadata["snapshots"] = json!(listed);
    metadata["current-snapshot-id"] = json!(snapshots);
    metadata["table-uuid"] = json!(uuid);
    made::put_metadata(&mut files, &metadata);
    files
}

fn at(snapshot: i64) -> ScanOptions {
    ScanOptions {
        snapshot: SnapshotSelector::Id(SnapshotId(snapshot)),
        predicate: None,
    }
}

#[test]
fn a_plan_reads_the_manifests_that_no_plan_before_has_read() {
    let files = Arc::new(appended(20, "u"));
    let cache = Arc::new(ManifestCache::new(1 << 20));
    let table = IcebergTable::open(Arc::clone(&files) as _, "/lake/t").unwrap();
    let known = table.clone().with_manifests(&cache, "t");
    let read = |table: &IcebergTable, snapshot: i64| {
        files.reads.lock().unwrap().clear();
        let plan = table.scan_plan(&at(snapshot)).unwrap();
        let read = files.reads.lock().unwrap().len();
        (plan, read)
    };
    for (snapshot, known_before) in [(19, 0), (20, 19), (20, 20), (7, 7)] {
        let (plan, all) = read(&table, snapshot);
        let (same, new) = read(&known, snapshot);
        assert_eq!(plan.files, same.files);
        // The list of the snapshot is read each time.
        let count = usize::try_from(snapshot).unwrap();
        assert_eq!(
            (all, new),
            (count + 1, count - known_before + 1),
            "{snapshot}"
        );
        assert_eq!(same.stats.manifests_known, known_before, "{snapshot}");
        assert_eq!(same.stats.manifests_read, count, "{snapshot}");
    }
    let of_another = table.clone().with_manifests(&cache, "another");
    assert_eq!(read(&of_another, 20).1, 21);
    // The same places, but a table that was made anew.
    let anew = appended(20, "v");
    let anew = IcebergTable::open(Arc::new(anew), "/lake/t").unwrap();
    let plan = anew.with_manifests(&cache, "t").scan_plan(&at(20)).unwrap();
    assert_eq!(plan.stats.manifests_known, 0);
}

#[test]
fn a_cache_that_is_too_small_changes_no_plan() {
    let files = Arc::new(appended(20, "u"));
    let table = IcebergTable::open(Arc::clone(&files) as _, "/lake/t").unwrap();
    for most in [0, 1000, 5000, 20_000] {
        let cache = Arc::new(ManifestCache::new(most));
        let known = table.clone().with_manifests(&cache, "t");
        for snapshot in [20, 3, 20, 11, 20] {
            let plan = known.scan_plan(&at(snapshot)).unwrap();
            assert_eq!(plan.files, table.scan_plan(&at(snapshot)).unwrap().files);
            assert!(cache.len_bytes() <= most);
        }
    }
}

#[test]
fn all_states_of_sample_tables_are_planned_alike() {
    let cache = Arc::new(ManifestCache::new(1 << 20));
    let mut known = 0;
    for sample in samples() {
        let table = sample.open();
        let cached = table.clone().with_manifests(&cache, &sample.name);
        for snapshot in table.metadata().snapshots() {
            let options = at(snapshot.id.0);
            let (Ok(plain), Ok(kept)) = (table.scan_plan(&options), cached.scan_plan(&options))
            else {
                continue;
            };
            assert_eq!(plain.files, kept.files, "{}", sample.name);
            known += kept.stats.manifests_known;
        }
    }
    assert!(known > 0);
}
