//! Tables as a catalog hands them out: snapshots, ids, credentials, tags.

use std::ops::Range;

use bytes::Bytes;
use growler_base::ErrorKind;
use growler_catalog::rest::{LoadedTable, RestError, Snapshots};
use growler_catalog::{Error, Files, SnapshotId};
use serde_json::{Value, json};

use crate::catalog::{connect, loaded, metadata, plain, table};
use crate::double::{Double, Reply};

/// No files, or one.
struct OneFile(Option<(String, Bytes)>);

impl OneFile {
    fn find(&self, path: &str) -> Result<&Bytes, Error> {
        let found = self.0.as_ref().filter(|(name, _)| name == path);
        found
            .map(|(_, bytes)| bytes)
            .ok_or_else(|| Error::Unreadable {
                path: path.into(),
                source: std::io::ErrorKind::NotFound.into(),
            })
    }
}

impl Files for OneFile {
    fn len_bytes(&self, path: &str) -> Result<u64, Error> {
        Ok(self.find(path)?.len() as u64)
    }

    fn read(&self, path: &str, range: Range<u64>) -> Result<Bytes, Error> {
        Ok(self
            .find(path)?
            .slice(range.start as usize..range.end as usize))
    }

    fn list(&self, _: &str) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }
}

fn ids(loaded: &LoadedTable) -> Vec<i64> {
    loaded
        .metadata
        .snapshots()
        .iter()
        .map(|snapshot| snapshot.id.0)
        .collect()
}

/// A table of three snapshots, of which one has a name.
fn three(honours_refs: bool) -> Double {
    plain(
        move |asked| match (asked.query("snapshots"), honours_refs) {
            ("refs", true) => Reply::json(&loaded(&metadata(&[3]))),
            _ => Reply::json(&loaded(&metadata(&[1, 2, 3]))),
        },
    )
}

#[test]
fn all_snapshots_are_asked_for() {
    let double = three(true);
    let found = connect(&double).load(&table("t"), Snapshots::All).unwrap();
    assert_eq!(ids(&found), [1, 2, 3]);
    let asked = double.asked().pop().unwrap();
    assert_eq!(asked.path, "/v1/namespaces/db/tables/t");
    assert_eq!(asked.query("snapshots"), "all");
    assert_eq!(
        asked.header("x-iceberg-access-delegation"),
        "vended-credentials"
    );
    assert_eq!(
        found.metadata_location.as_deref(),
        Some("s3://b/t/metadata/v1.metadata.json")
    );
}

#[test]
fn m04_servers_may_heed_the_parameter_or_not() {
    for (honours, expected) in [(true, vec![3]), (false, vec![1, 2, 3])] {
        let double = three(honours);
        let catalog = connect(&double);
        let found = catalog.load(&table("t"), Snapshots::Refs).unwrap();
        assert_eq!(ids(&found), expected);
        let found = catalog.with_snapshot(&table("t"), found, SnapshotId(2), &OneFile(None));
        assert_eq!(ids(&found.unwrap()), [1, 2, 3]);
    }
}

#[test]
fn m04_a_server_that_refuses_the_parameter_is_asked_without() {
    for status in [400, 422] {
        let double = plain(move |asked| match asked.query("snapshots") {
            "" => Reply::json(&loaded(&metadata(&[1, 2]))),
            _ => Reply::error(status, "unknown parameter"),
        });
        let found = connect(&double).load(&table("t"), Snapshots::All).unwrap();
        assert_eq!(ids(&found), [1, 2]);
    }
}

#[test]
fn m05_a_snapshot_is_unknown_only_after_all_were_looked_at() {
    let double = three(true);
    let catalog = connect(&double);
    let refs = catalog.load(&table("t"), Snapshots::Refs).unwrap();
    let found = catalog.with_snapshot(&table("t"), refs.clone(), SnapshotId(1), &OneFile(None));
    assert_eq!(ids(&found.unwrap()), [1, 2, 3]);
    assert_eq!(double.count("/tables/t"), 2);

    let error = catalog
        .with_snapshot(&table("t"), refs, SnapshotId(9), &OneFile(None))
        .unwrap_err();
    assert!(
        matches!(error, RestError::UnknownSnapshot { .. }),
        "{error}"
    );
    assert_eq!(
        error.to_string(),
        "snapshot not found: snapshot=9 table=db.t"
    );
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(double.count("/tables/t"), 3);
}

#[test]
fn m05_a_server_that_leaves_snapshots_out_whatever_is_asked_is_not_believed() {
    let double = plain(|_| Reply::json(&loaded(&metadata(&[3]))));
    let catalog = connect(&double);
    let refs = catalog.load(&table("t"), Snapshots::All).unwrap();
    let path = "s3://b/t/metadata/v1.metadata.json".to_owned();
    let whole = Bytes::from(metadata(&[1, 2, 3]).to_string());
    let files = OneFile(Some((path.clone(), whole)));
    let found = catalog.with_snapshot(&table("t"), refs.clone(), SnapshotId(1), &files);
    assert_eq!(ids(&found.unwrap()), [1, 2, 3]);

    // Another table that came to lie there is not this one.
    let mut other = metadata(&[1, 2, 3]);
    other["table-uuid"] = json!("00000000-0000-0000-0000-000000000000");
    let files = OneFile(Some((path, other.to_string().into())));
    let error = catalog
        .with_snapshot(&table("t"), refs, SnapshotId(1), &files)
        .unwrap_err();
    assert!(
        matches!(error, RestError::UnknownSnapshot { .. }),
        "{error}"
    );
}

#[test]
fn ids_beyond_2_to_the_53_stay_exact() {
    let id = 9_007_199_254_740_993;
    let double = plain(move |_| Reply::json(&loaded(&metadata(&[1, id, i64::MAX]))));
    let found = connect(&double).load(&table("t"), Snapshots::All).unwrap();
    assert_eq!(ids(&found), [1, id, i64::MAX]);
    assert_eq!(
        found.metadata.current_snapshot().unwrap().id,
        SnapshotId(i64::MAX)
    );
}

#[test]
fn vended_credentials_go_by_the_longest_prefix() {
    let mut answer = loaded(&metadata(&[1]));
    answer["config"] = json!({
        "s3.endpoint": "http://vended", "s3.access-key-id": "config-key-id", "s3.path-style-access": true,
    });
    answer["storage-credentials"] = json!([
        {"prefix": "s3://b", "config": {"s3.access-key-id": "bucket-key-id"}},
        {"prefix": "s3://b/t/data", "config": {
            "s3.access-key-id": "data-key-id", "s3.session-token-expires-at-ms": "4102444800000"}},
    ]);
    let double = plain(move |_| Reply::json(&answer));
    let found = connect(&double).load(&table("t"), Snapshots::All).unwrap();
    for (location, expected) in [
        ("s3://b/t/data/f.parquet", "data-key-id"),
        ("s3a://b/t/metadata/m.avro", "bucket-key-id"),
        ("s3://other/f", "config-key-id"),
    ] {
        let storage = found.storage.properties_for(location);
        assert_eq!(
            storage.get("s3.access-key-id"),
            Some(expected),
            "{location}"
        );
        assert_eq!(storage.get("s3.endpoint"), Some("http://vended"));
        assert_eq!(storage.get("s3.path-style-access"), Some("true"));
    }
    assert!(found.storage.expires_at().is_some());
    assert!(!format!("{found:?}").contains("data-key-id"));
}

#[test]
fn a_version_is_loaded_unless_it_is_known() {
    let double = plain(|asked| match asked.header("if-none-match") {
        "\"v1\"" => Reply::new(304, ""),
        _ => Reply::json(&loaded(&metadata(&[1]))).with("ETag", "\"v1\""),
    });
    let catalog = connect(&double);
    let first = catalog.load(&table("t"), Snapshots::All).unwrap();
    assert_eq!(first.etag.as_deref(), Some("\"v1\""));
    assert!(
        catalog
            .load_unless(&table("t"), "\"v1\"")
            .unwrap()
            .is_none()
    );
    assert!(
        catalog
            .load_unless(&table("t"), "\"v0\"")
            .unwrap()
            .is_some()
    );
}

#[test]
fn answers_that_are_no_table_are_told_apart() {
    let check = |answer: Value, kind: ErrorKind| {
        let double = plain(move |_| Reply::json(&answer));
        let error = connect(&double)
            .load(&table("t"), Snapshots::All)
            .unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
    };
    check(json!({}), ErrorKind::Corrupt);
    check(json!({"metadata": []}), ErrorKind::Corrupt);
    check(json!({"metadata": {}}), ErrorKind::Corrupt);
    let mut later = metadata(&[1]);
    later["format-version"] = json!(4);
    check(loaded(&later), ErrorKind::Unsupported);
    let mut planned = loaded(&metadata(&[1]));
    planned["config"] = json!({"scan-planning-mode": "server"});
    check(planned, ErrorKind::Unsupported);

    let double = plain(|_| Reply::error(404, "no such table"));
    let error = connect(&double)
        .load(&table("t"), Snapshots::All)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn a_staged_table_has_no_location() {
    let double =
        plain(|_| Reply::json(&json!({"metadata-location": null, "metadata": metadata(&[])})));
    let found = connect(&double).load(&table("t"), Snapshots::All).unwrap();
    assert_eq!(found.metadata_location, None);
    assert_eq!(found.metadata.path(), "db.t");
}
