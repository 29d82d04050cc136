//! Metadata of sample tables, kept as it was read.

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use growler_catalog::metadata::{RefKind, Transform};
use growler_catalog::{SnapshotId, TableMetadata};

use crate::samples::{sample, samples};

#[test]
fn every_member_of_every_metadata_file_survives() {
    for sample in samples() {
        for entry in fs::read_dir(sample.folder.join("metadata")).unwrap() {
            let path = entry.unwrap().path();
            if !path.to_str().unwrap().ends_with(".metadata.json") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let parsed = TableMetadata::parse(text.as_bytes(), "t").unwrap();
            let read: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(parsed.document(), &read);
            let again = TableMetadata::parse(parsed.to_json().as_bytes(), "t").unwrap();
            assert_eq!(again, parsed, "{}", path.display());
        }
    }
}

#[test]
fn members_and_types_of_later_formats_survive() {
    let text = r#"{"format-version":3,"table-uuid":"u","location":"s3://b/t","later":{"x":1.00},
        "last-column-id":6,"current-schema-id":0,"schemas":[{"type":"struct","schema-id":0,"fields":[
            {"id":1,"name":"v","type":"variant","later":[1,2]},
            {"id":2,"name":"g","type":"geometry(srid:4326)"},
            {"id":3,"name":"n","type":"timestamp_ns","initial-default":null,"write-default":"2020-01-01T00:00:00.000000000"},
            {"id":4,"name":"q","type":"quaternion"},
            {"id":5,"name":"u","type":"unknown"},
            {"id":6,"name":"d","type":"int","initial-default":7}]}],
        "partition-specs":[{"spec-id":0,"fields":[
            {"source-ids":[1,2],"field-id":1000,"name":"z","transform":"zorder[2]"}]}],
        "default-spec-id":0,"current-snapshot-id":null,"snapshots":[],"next-row-id":9007199254740993}"#;
    let parsed = TableMetadata::parse(text.as_bytes(), "t").unwrap();
    let squeezed: String = text.split('\n').map(str::trim).collect();
    assert_eq!(parsed.to_json(), squeezed);
    assert_eq!(parsed.next_row_id, Some(9_007_199_254_740_993));
    assert_eq!(parsed.current_snapshot_id, None);
    let spec = &parsed.partition_specs[0].fields[0];
    assert_eq!(spec.transform, Transform::Unknown("zorder[2]".into()));
    assert_eq!(spec.source(), None);
}

#[test]
fn gzipped_metadata_is_read() {
    let folder = sample("spark35", "mor_v3").folder.join("metadata");
    let text = fs::read(folder.join("v6.metadata.json")).unwrap();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&text).unwrap();
    let gzipped = gzip.finish().unwrap();
    let read = TableMetadata::parse(&gzipped, "t").unwrap();
    assert_eq!(read, TableMetadata::parse(&text, "t").unwrap());
    for len in 0..gzipped.len() {
        assert!(TableMetadata::parse(&gzipped[..len], "t").is_err());
    }
}

#[test]
fn version_one_tables_need_not_say_much() {
    let text = r#"{"format-version":1,"location":"/t","last-column-id":1,
        "schema":{"type":"struct","fields":[{"id":1,"name":"a","required":true,"type":"int"}]},
        "partition-spec":[{"source-id":1,"name":"a","transform":"identity"}],
        "current-snapshot-id":5,
        "snapshots":[{"snapshot-id":5,"timestamp-ms":1,"manifests":["/t/m.avro"]}]}"#;
    let parsed = TableMetadata::parse(text.as_bytes(), "t").unwrap();
    assert_eq!(parsed.current_schema().fields[0].name, "a");
    assert_eq!(parsed.partition_specs[0].fields[0].id.0, 1000);
    let main = parsed.refs["main"];
    assert_eq!(
        (main.snapshot_id, main.kind),
        (SnapshotId(5), RefKind::Branch)
    );
    // L22: the summary has no operation, nor is there one.
    assert_eq!(parsed.current_snapshot().unwrap().operation, None);
}
