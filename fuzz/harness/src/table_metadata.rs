//! Metadata documents of Iceberg tables: read whole and kept whole, or an error that blames them.

use std::sync::Arc;

use bytes::Bytes;
use growler_base::ErrorKind;
use growler_catalog::convert::to_table_schema;
use growler_catalog::table::SnapshotSelector;
use growler_catalog::{Error, Files, IcebergTable, ScanOptions, TableMetadata};

const PATH: &str = "/lake/t/metadata/v1.metadata.json";
/// Most snapshots of a document that are planned.
const SNAPSHOTS: usize = 8;

pub(crate) fn check(input: &[u8]) {
    let metadata = match TableMetadata::parse(input, PATH) {
        Ok(metadata) => metadata,
        Err(error) => return blames_bytes(&error, PATH),
    };
    kept_whole(input, &metadata);
    if let Some(id) = metadata.current_snapshot_id {
        assert!(metadata.snapshot(id).is_some(), "the current snapshot");
        assert!(metadata.refs.contains_key("main"));
    }
    let mapping = metadata.name_mapping();
    if let Err(error) = &mapping {
        blames_bytes(error, PATH);
    }
    for schema in metadata.schemas() {
        for field in &schema.fields {
            let found = schema.field(field.id).expect("a column of the schema");
            assert_eq!(found.id, field.id);
        }
        let _ = to_table_schema("t", schema, mapping.as_ref().ok().and_then(Option::as_ref));
    }
    for snapshot in metadata.snapshots() {
        assert!(metadata.history(snapshot.id).len() <= metadata.snapshots().len());
    }
    plan(metadata);
}

/// What was read of a document is in the document, unknown members too.
fn kept_whole(input: &[u8], metadata: &TableMetadata) {
    let text = metadata.to_json();
    let again = TableMetadata::parse(text.as_bytes(), PATH).expect("what was read reads again");
    assert_eq!(&again, metadata);
    if let Ok(document) = serde_json::from_slice::<serde_json::Value>(input) {
        assert_eq!(&document, metadata.document());
    }
}

/// Plans over files that are not there.
fn plan(metadata: TableMetadata) {
    let table = IcebergTable::of_catalog(Arc::new(NoFiles), metadata);
    let metadata = Arc::clone(table.metadata());
    let of_snapshots = metadata.snapshots().iter().take(SNAPSHOTS);
    let of_snapshots = of_snapshots.map(|snapshot| SnapshotSelector::Id(snapshot.id));
    let of_refs = metadata.refs.keys().take(SNAPSHOTS).cloned();
    let selectors = of_snapshots
        .chain(of_refs.map(SnapshotSelector::Ref))
        .chain([SnapshotSelector::Current, SnapshotSelector::AsOf(0)]);
    for snapshot in selectors {
        let options = ScanOptions {
            snapshot,
            predicate: None,
        };
        match table.scan_plan(&options) {
            Ok(plan) => assert!(plan.files.is_empty()),
            Err(error) => assert!(
                matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Unsupported),
                "{:?}: {error}",
                error.kind()
            ),
        }
    }
}

/// An error is about the bytes, and names their file.
pub(crate) fn blames_bytes(error: &Error, path: &str) {
    let is_fitting = matches!(
        error.kind(),
        ErrorKind::Corrupt | ErrorKind::Unsupported | ErrorKind::LimitExceeded
    );
    assert!(is_fitting, "{:?}: {error}", error.kind());
    let text = error.to_string();
    assert!(text.contains(path), "{text}");
    assert!(text.len() < 4096, "{text}");
}

/// A place without files.
struct NoFiles;

impl NoFiles {
    fn error(path: &str) -> Error {
        Error::Unreadable {
            path: path.into(),
            source: std::io::ErrorKind::NotFound.into(),
        }
    }
}

impl Files for NoFiles {
    fn len_bytes(&self, path: &str) -> Result<u64, Error> {
        Err(Self::error(path))
    }

    fn read(&self, path: &str, _range: std::ops::Range<u64>) -> Result<Bytes, Error> {
        Err(Self::error(path))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, Error> {
        Err(Self::error(folder))
    }
}
