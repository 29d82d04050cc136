//! Every step of every sample table: the files, the schema and the deletes that its writer lists.

use std::collections::BTreeSet;

use growler_catalog::table::DeleteKind;
use growler_catalog::{IcebergTable, Plan, ScanOptions, SnapshotId, SnapshotSelector};
use serde_json::Value;

use crate::samples::{Sample, expectations, find, open, samples};

fn plan(table: &IcebergTable, snapshot: SnapshotSelector) -> Plan {
    let options = ScanOptions {
        snapshot,
        predicate: None,
    };
    table.scan_plan(&options).unwrap()
}

fn file_name(path: &str) -> String {
    path.rsplit('/').next().unwrap().to_owned()
}

fn names<'p>(paths: impl IntoIterator<Item = &'p str>) -> BTreeSet<String> {
    paths.into_iter().map(file_name).collect()
}

#[test]
fn every_snapshot_of_every_table_is_planned_from_files_that_are_there() {
    let samples = samples();
    assert!(samples.len() >= 11);
    for sample in &samples {
        let table = sample.open();
        for snapshot in table.metadata().snapshots() {
            let plan = plan(&table, SnapshotSelector::Id(snapshot.id));
            for file in &plan.files {
                let place = (&sample.name, &file.path);
                let found = std::fs::metadata(&file.path).unwrap_or_else(|_| panic!("{place:?}"));
                assert_eq!(found.len(), file.len_bytes, "{place:?}");
                for delete in &file.deletes {
                    assert!(std::fs::exists(&delete.path).unwrap(), "{}", delete.path);
                }
            }
        }
    }
}

#[test]
fn a_table_is_opened_by_its_folder_or_pinned_by_a_metadata_file() {
    for sample in samples() {
        let newest = sample.open();
        let pinned = open(newest.metadata().path().as_ref());
        assert_eq!(pinned.root(), newest.root());
        let (newest, pinned) = (
            plan(&newest, SnapshotSelector::Current),
            plan(&pinned, SnapshotSelector::Current),
        );
        assert_eq!(newest.snapshot_id, pinned.snapshot_id);
        let paths = |plan: &Plan| -> Vec<String> {
            plan.files.iter().map(|file| file.path.clone()).collect()
        };
        assert_eq!(paths(&newest), paths(&pinned), "{}", sample.name);
    }
}

#[test]
fn evolution_steps_have_their_files_and_schemas() {
    each_step("evolution", |sample, step| {
        let metadata = file_name(step["metadata"].as_str().unwrap());
        let table = open(&sample.folder.join("metadata").join(metadata));
        let plan = plan(&table, SnapshotSelector::Current);
        assert_eq!(
            plan.snapshot_id.map(|id| id.0),
            step["snapshot_id"].as_i64()
        );
        let expected = step["files"].as_array().unwrap();
        let expected = names(expected.iter().map(|path| path.as_str().unwrap()));
        assert_eq!(
            names(plan.files.iter().map(|file| file.path.as_str())),
            expected
        );
        assert_eq!(
            Some(i64::from(plan.schema.id.0)),
            step["table_schema_id"].as_i64()
        );
        let snapshot = table.metadata().current_snapshot().unwrap();
        let of_snapshot = table.schema_of(snapshot).id.0;
        assert_eq!(
            Some(i64::from(of_snapshot)),
            step["snapshot_schema_id"].as_i64()
        );
        let mut fields = plan.schema.fields.iter();
        let lines = step["schema"].as_str().unwrap().lines();
        for line in lines.filter(|line| line.starts_with("  ")) {
            assert_eq!(fields.next().unwrap().to_string(), line.trim());
        }
        assert!(fields.next().is_none());
        let rows: u64 = plan.files.iter().map(|file| file.row_count).sum();
        assert_eq!(
            rows,
            u64::try_from(step["rows"].as_array().unwrap().len()).unwrap()
        );
        // Time travel from the newest version finds the same files, under the schema of then.
        let newest = sample.open();
        let travelled = self::plan(&newest, SnapshotSelector::Id(snapshot.id));
        assert_eq!(
            names(travelled.files.iter().map(|f| f.path.as_str())),
            expected
        );
        assert_eq!(travelled.schema.id.0, of_snapshot);
    });
}

#[test]
fn spark_steps_have_their_files_deletes_and_rows() {
    each_step("spark35", |sample, step| {
        let table = sample.open();
        let id = SnapshotId(step["snapshot_id"].as_i64().unwrap());
        let plan = plan(&table, SnapshotSelector::Id(id));
        let listed = step["files"].as_array().unwrap();
        let of_content = |is_data: bool| {
            let listed = listed
                .iter()
                .filter(|file| (file["content"] == "data") == is_data);
            names(listed.map(|file| file["path"].as_str().unwrap()))
        };
        let data = names(plan.files.iter().map(|file| file.path.as_str()));
        assert_eq!(data, of_content(true), "{} {}", sample.name, step["step"]);
        let deletes = plan.files.iter().flat_map(|file| &file.deletes);
        let deletes = names(deletes.map(|delete| delete.path.as_str()));
        assert_eq!(
            deletes,
            of_content(false),
            "{} {}",
            sample.name,
            step["step"]
        );
        check_row_count(&plan, step);
    });
}

/// Rows of data files, less what their deletes say of themselves.
fn check_row_count(plan: &Plan, step: &Value) {
    let mut deletes: Vec<_> = plan.files.iter().flat_map(|file| &file.deletes).collect();
    deletes.sort_by_key(|delete| format!("{:?}", delete));
    deletes.dedup();
    let deleted: u64 = deletes.iter().map(|delete| delete.row_count).sum();
    let rows: u64 = plan.files.iter().map(|file| file.row_count).sum();
    let expected = u64::try_from(step["rows"].as_array().unwrap().len()).unwrap();
    assert_eq!(rows - deleted, expected, "{}", step["step"]);
    let is_vector = |kind: &DeleteKind| matches!(kind, DeleteKind::Vector { .. });
    let only_vectors = deletes.iter().all(|delete| is_vector(&delete.kind));
    let live: Option<u64> = plan.files.iter().map(|file| file.live_row_count()).sum();
    if only_vectors {
        assert_eq!(live, Some(expected));
    }
}

fn each_step(writer: &str, check: impl Fn(&Sample, &Value)) {
    let samples = samples();
    let mut steps_seen = 0;
    for expected in expectations(writer) {
        for (name, steps) in expected.as_object().unwrap() {
            for sample in find(&samples, writer, name) {
                for step in steps.as_array().unwrap() {
                    check(sample, step);
                    steps_seen += 1;
                }
            }
        }
    }
    assert!(steps_seen > 5);
}
