//! Tables made to harm: an error that names the file, or the right answer.

use std::fs;
use std::sync::Arc;

use growler_base::ErrorKind;
use growler_catalog::manifest::Manifest;
use growler_catalog::{IcebergTable, LocalFiles, ScanOptions, SnapshotId, TableMetadata};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::samples::sample;

fn base() -> Value {
    json!({
        "format-version": 2, "table-uuid": "u", "location": "/t", "last-column-id": 2,
        "current-schema-id": 0,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": [
            {"id": 1, "name": "a", "required": false, "type": "int"},
            {"id": 2, "name": "b", "required": false, "type": "string"}]}],
        "partition-specs": [{"spec-id": 0, "fields": []}], "default-spec-id": 0,
        "current-snapshot-id": 7,
        "snapshots": [{"snapshot-id": 7, "sequence-number": 1, "timestamp-ms": 1,
                       "manifest-list": "/t/metadata/snap.avro"}]
    })
}

fn changed(pointer: &str, value: Value) -> Value {
    let mut document = base();
    match document.pointer_mut(pointer) {
        Some(place) => *place = value,
        None => {
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            let parent = document.pointer_mut(parent).unwrap();
            parent
                .as_object_mut()
                .unwrap()
                .insert(name.to_owned(), value);
        }
    }
    document
}

fn kind(document: &Value) -> Result<TableMetadata, (ErrorKind, String)> {
    let parsed = TableMetadata::parse(document.to_string().as_bytes(), "/t/m.json");
    parsed.map_err(|error| (error.kind(), error.to_string()))
}

#[test]
fn metadata_that_contradicts_itself_is_refused() {
    let field = |id: i64, name: &str, kind: Value| json!({"id": id, "name": name, "type": kind});
    let fields = "/schemas/0/fields";
    let schema = |id: i64, name: &str| json!({"type": "struct", "schema-id": id, "fields": [field(1, name, json!("int"))]});
    let snapshot = json!({"snapshot-id": 7, "manifest-list": "/x"});
    let nested = json!({"type": "list", "element-id": 1, "element": "int"});
    let cases = [
        ("/format-version", json!(4), ErrorKind::Unsupported),
        ("/format-version", json!(0), ErrorKind::Unsupported),
        ("/format-version", json!("2"), ErrorKind::Corrupt),
        ("/current-schema-id", json!(9), ErrorKind::Corrupt),
        (
            "/current-schema-id",
            json!(99_999_999_999_i64),
            ErrorKind::Corrupt,
        ),
        ("/schemas", json!([]), ErrorKind::Corrupt),
        ("/schemas", json!({}), ErrorKind::Corrupt),
        (
            "/schemas",
            json!([schema(0, "a"), schema(0, "b")]),
            ErrorKind::Corrupt,
        ),
        ("/default-spec-id", json!(3), ErrorKind::Corrupt),
        ("/current-snapshot-id", json!(8), ErrorKind::Corrupt),
        ("/current-snapshot-id", json!(7.5), ErrorKind::Corrupt),
        (
            "/snapshots",
            json!([snapshot, snapshot]),
            ErrorKind::Corrupt,
        ),
        ("/snapshots", json!([7]), ErrorKind::Corrupt),
        ("/snapshots/0/manifest-list", json!(5), ErrorKind::Corrupt),
        (
            fields,
            json!([field(1, "a", json!("int")), field(1, "b", json!("int"))]),
            ErrorKind::Corrupt,
        ),
        (
            fields,
            json!([field(1, "a", json!("int")), field(2, "a", json!("int"))]),
            ErrorKind::Corrupt,
        ),
        (fields, json!([field(1, "a", nested)]), ErrorKind::Corrupt),
        (
            fields,
            json!([field(-1, "a", json!("int"))]),
            ErrorKind::Corrupt,
        ),
        (
            fields,
            json!([field(2_147_483_546, "a", json!("int"))]),
            ErrorKind::Corrupt,
        ),
        (fields, json!([field(1, "a", json!(7))]), ErrorKind::Corrupt),
        (
            fields,
            json!([field(1, "a", json!({"type": "list"}))]),
            ErrorKind::Corrupt,
        ),
        (
            "/partition-specs",
            json!([{"spec-id": 0, "fields": [{"transform": "day"}]}]),
            ErrorKind::Corrupt,
        ),
    ];
    for (pointer, value, expected) in cases {
        let (kind, text) = kind(&changed(pointer, value.clone())).unwrap_err();
        assert_eq!(kind, expected, "{pointer} {value} {text}");
        assert!(text.ends_with("path=/t/m.json"), "{text}");
    }
    assert!(kind(&base()).is_ok());
}

#[test]
fn k03_a_default_that_wraps_is_refused_at_load() {
    let field = json!([{"id": 1, "name": "a", "type": "timestamp_ns",
                        "initial-default": "2262-04-12T00:00:00.000000000"}]);
    let (kind, text) = kind(&changed("/schemas/0/fields", field)).unwrap_err();
    assert_eq!(kind, ErrorKind::Corrupt);
    assert_eq!(
        text,
        "corrupt table metadata: initial-default is no value of the type type=timestamp_ns \
         field=a schema=0 path=/t/m.json"
    );
}

#[test]
fn histories_may_run_in_a_circle_or_lead_nowhere() {
    let snapshot = |id: i64, parent: i64| json!({"snapshot-id": id, "parent-snapshot-id": parent, "manifest-list": "/x"});
    let circle = json!([snapshot(7, 8), snapshot(8, 9), snapshot(9, 8)]);
    let metadata = kind(&changed("/snapshots", circle)).unwrap();
    let history: Vec<i64> = metadata
        .history(SnapshotId(7))
        .iter()
        .map(|s| s.id.0)
        .collect();
    assert_eq!(history, [7, 8, 9]);
    let lost = kind(&changed("/snapshots", json!([snapshot(7, 1)]))).unwrap();
    assert_eq!(lost.history(SnapshotId(7)).len(), 1);
    // A schema that was removed while a snapshot still names it: the table's own stands in.
    let dangling = kind(&changed("/snapshots/0/schema-id", json!(5))).unwrap();
    let table = IcebergTable::of_catalog(Arc::new(LocalFiles), dangling);
    let snapshot = table.metadata().current_snapshot().unwrap();
    assert_eq!(table.schema_of(snapshot).id.0, 0);
}

#[test]
fn large_metadata_ends_soon() {
    let mut many = Vec::new();
    for id in 0..20_000 {
        many.push(json!({"type": "struct", "schema-id": id, "fields": []}));
    }
    assert!(kind(&changed("/schemas", json!(many))).is_ok());
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(TableMetadata::parse(deep.as_bytes(), "t").is_err());
    let fields: Vec<Value> = (0..200_000)
        .map(|id| json!({"id": id, "name": id.to_string(), "type": "int"}))
        .collect();
    let (kind, _) = kind(&changed("/schemas/0/fields", json!(fields))).unwrap_err();
    assert_eq!(kind, ErrorKind::LimitExceeded);
}

#[test]
fn a_folder_without_a_table_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &str| IcebergTable::open(Arc::new(LocalFiles), path).unwrap_err();
    let path = folder.path().to_str().unwrap();
    assert_eq!(open(path).kind(), ErrorKind::NotFound);
    fs::create_dir(folder.path().join("metadata")).unwrap();
    assert_eq!(open(path).kind(), ErrorKind::NotFound);
    assert!(
        open(path)
            .to_string()
            .starts_with("not an iceberg table: folder has no metadata file")
    );
    fs::write(folder.path().join("metadata/v1.metadata.json"), "{}").unwrap();
    assert_eq!(open(path).kind(), ErrorKind::Corrupt);
    fs::write(
        folder.path().join("metadata/v1.metadata.json"),
        changed("/location", json!("/other")).to_string(),
    )
    .unwrap();
    let table = IcebergTable::open(Arc::new(LocalFiles), path).unwrap();
    let lost = table.scan_plan(&ScanOptions::default()).unwrap_err();
    assert_eq!(lost.kind(), ErrorKind::NotFound);
}

#[test]
fn a_late_or_broken_hint_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let metadata = folder.path().join("metadata");
    fs::create_dir(&metadata).unwrap();
    for (name, time) in [("v1", 1), ("v2", 2), ("v3", 3)] {
        let text = changed("/last-updated-ms", json!(time)).to_string();
        fs::write(metadata.join(format!("{name}.metadata.json")), text).unwrap();
    }
    let path = folder.path().to_str().unwrap();
    for hint in [
        Some("3"),
        Some("1\n"),
        Some("nonsense"),
        Some("99"),
        Some(""),
        None,
    ] {
        let file = metadata.join("version-hint.text");
        match hint {
            Some(hint) => fs::write(file, hint).unwrap(),
            None => fs::remove_file(file).unwrap(),
        }
        let table = IcebergTable::open(Arc::new(LocalFiles), path).unwrap();
        assert_eq!(table.metadata().last_updated_ms, 3, "{hint:?}");
    }
    // Two writers that made the same version: the later one is the table.
    let text = changed("/last-updated-ms", json!(9)).to_string();
    fs::write(metadata.join("00003-x.metadata.json"), text).unwrap();
    let table = IcebergTable::open(Arc::new(LocalFiles), path).unwrap();
    assert_eq!(table.metadata().last_updated_ms, 9);
}

fn avro_files() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for sample in [
        sample("spark35", "mor_v3"),
        sample("evolution", "part_identity"),
        sample("duckdb15", "v3b"),
    ] {
        for entry in fs::read_dir(sample.folder.join("metadata")).unwrap() {
            let path = entry.unwrap().path();
            if path
                .extension()
                .is_some_and(|extension| extension == "avro")
            {
                files.push(fs::read(path).unwrap());
            }
        }
    }
    files.sort();
    files
}

fn read_everything(bytes: &[u8]) {
    let path: Arc<str> = "m".into();
    let _ = Manifest::parse_list(bytes, "m");
    if let Ok(manifest) = Manifest::embedded(bytes, "m") {
        let _ = growler_catalog::manifest::Entry::each_of(
            bytes,
            &path,
            &manifest,
            |_| None,
            |_| Ok(()),
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn changed_manifests_never_panic(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let files = avro_files();
        let mut bytes = which.get(&files).clone();
        for (position, value) in changes {
            let position = position.index(bytes.len());
            bytes[position] = value;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        read_everything(&bytes);
    }

    #[test]
    fn changed_metadata_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = base().to_string().into_bytes();
        for (position, value) in changes {
            let position = position.index(bytes.len());
            bytes[position] = value;
        }
        let _ = TableMetadata::parse(&bytes, "t");
    }
}
