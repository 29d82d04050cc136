//! Snapshots: the states of a table, and the branches and tags that name them.

use serde_json::Value;

use super::json;
use crate::error::Fault;
use crate::{SchemaId, SequenceNumber, SnapshotId};

/// One state of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Identity.
    pub id: SnapshotId,
    /// The state it was made from; it need not be listed any more.
    pub parent: Option<SnapshotId>,
    /// Rank of its commit; 0 in v1 tables.
    pub sequence_number: SequenceNumber,
    /// When it was committed, in milliseconds since 1970.
    pub timestamp_ms: i64,
    /// Where its manifests are listed.
    pub manifests: ManifestSource,
    /// The table's schema when it was committed; v1 tables may not say.
    pub schema_id: Option<SchemaId>,
    /// What the commit did: `append`, `replace`, `overwrite`, `delete`; some writers do not say.
    pub operation: Option<String>,
    /// First row id that the commit assigned.
    pub first_row_id: Option<i64>,
    /// Rows that row ids were assigned to.
    pub added_rows: Option<i64>,
    /// Key that the manifest list is encrypted with.
    pub key_id: Option<String>,
}

/// Where the manifests of a snapshot are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ManifestSource {
    /// In a file, at its recorded path.
    List(String),
    /// In the table metadata, at their recorded paths; v1 only.
    Embedded(Vec<String>),
}

/// What a name in `refs` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefKind {
    /// It moves with commits.
    Branch,
    /// It stays.
    Tag,
}

/// A branch or tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotRef {
    /// The snapshot it names.
    pub snapshot_id: SnapshotId,
    /// What it is.
    pub kind: RefKind,
}

impl Snapshot {
    pub(crate) fn parse(value: &Value) -> Result<Self, Fault> {
        let object = json::object(value, "snapshot")?;
        let id = json::required(json::long(object, "snapshot-id")?, "snapshot-id")?;
        let operation = json::member(object, "summary")
            .and_then(Value::as_object)
            .and_then(|summary| summary.get("operation"))
            .and_then(Value::as_str);
        let manifests = match json::text(object, "manifest-list")? {
            Some(path) => ManifestSource::List(path.to_owned()),
            None => ManifestSource::Embedded(embedded(json::array(object, "manifests")?)?),
        };
        Ok(Self {
            id: SnapshotId(id),
            parent: json::long(object, "parent-snapshot-id")?
                .filter(|parent| *parent != -1)
                .map(SnapshotId),
            sequence_number: SequenceNumber(json::long(object, "sequence-number")?.unwrap_or(0)),
            timestamp_ms: json::long(object, "timestamp-ms")?.unwrap_or(0),
            manifests,
            schema_id: json::int(object, "schema-id")?.map(SchemaId),
            operation: operation.map(str::to_owned),
            first_row_id: json::long(object, "first-row-id")?,
            added_rows: json::long(object, "added-rows")?,
            key_id: json::text(object, "key-id")?.map(str::to_owned),
        })
    }
}

impl SnapshotRef {
    pub(crate) fn parse(value: &Value) -> Result<Self, Fault> {
        let object = json::object(value, "ref")?;
        let snapshot_id = json::required(json::long(object, "snapshot-id")?, "snapshot-id")?;
        let kind = match json::text(object, "type")? {
            Some("tag") => RefKind::Tag,
            _ => RefKind::Branch,
        };
        Ok(Self {
            snapshot_id: SnapshotId(snapshot_id),
            kind,
        })
    }
}

fn embedded(items: &[Value]) -> Result<Vec<String>, Fault> {
    let mut paths = Vec::with_capacity(items.len().min(1024));
    for item in items {
        let path = item.as_str();
        paths.push(
            path.ok_or_else(|| Fault::corrupt("manifests holds no path"))?
                .to_owned(),
        );
    }
    Ok(paths)
}
