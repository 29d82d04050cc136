//! What a state of a table is, as people look at it.

use std::collections::{BTreeMap, BTreeSet};

use growler_catalog::metadata::{NestedField, PartitionSpec, Schema, TableMetadata, Transform};
use growler_catalog::table::{DataFile, DeleteFile, DeleteKind};
use growler_catalog::{IcebergTable, Plan};
use serde_json::{Value, json};

/// Most files that are listed one by one.
const FILES_LISTED: usize = 10_000;

/// Describes the state of a table that a plan reads: snapshot, schema, partition specs, files, deletes,
/// and how large they are. No data file is opened.
pub fn describe(table: &IcebergTable, plan: &Plan) -> Value {
    let metadata = table.metadata();
    let files = plan.files.iter().take(FILES_LISTED);
    json!({
        "location": metadata.location,
        "metadataFile": metadata.path(),
        "formatVersion": metadata.format_version,
        "tableUuid": metadata.table_uuid,
        "lastUpdatedMs": metadata.last_updated_ms,
        "snapshot": snapshot(metadata, plan),
        "snapshotCount": metadata.snapshots().len(),
        "refs": metadata.refs.iter().map(|(name, r)| (name.clone(), json!(r.snapshot_id.0)))
            .collect::<BTreeMap<_, _>>(),
        "schema": schema(&plan.schema),
        "schemaCount": metadata.schemas().len(),
        "partitionSpecs": metadata.partition_specs.iter().map(|s| spec(metadata, s, plan))
            .collect::<Vec<_>>(),
        "totals": totals(&plan.files),
        "deletes": deletes(&plan.files),
        "files": files.map(file).collect::<Vec<_>>(),
        "filesCut": plan.files.len() > FILES_LISTED,
    })
}

/// Describes plain files, which have no metadata.
pub fn plain(files: &[DataFile]) -> Value {
    let listed = files.iter().take(FILES_LISTED);
    json!({
        "totals": totals(files),
        "files": listed.map(file).collect::<Vec<_>>(),
        "filesCut": files.len() > FILES_LISTED,
    })
}

fn snapshot(metadata: &TableMetadata, plan: &Plan) -> Value {
    let Some(snapshot) = plan.snapshot_id.and_then(|id| metadata.snapshot(id)) else {
        return Value::Null;
    };
    json!({
        "snapshotId": snapshot.id.0,
        "parentId": snapshot.parent.map(|id| id.0),
        "sequenceNumber": snapshot.sequence_number.0,
        "timestampMs": snapshot.timestamp_ms,
        "operation": snapshot.operation,
        "schemaId": snapshot.schema_id.map(|id| id.0),
    })
}

fn schema(schema: &Schema) -> Value {
    let column = |field: &NestedField| {
        json!({
            "id": field.id.0,
            "name": field.name,
            "type": field.field_type.to_string(),
            "required": field.required,
        })
    };
    json!({"schemaId": schema.id.0, "columns": schema.fields.iter().map(column).collect::<Vec<_>>()})
}

fn spec(metadata: &TableMetadata, spec: &PartitionSpec, plan: &Plan) -> Value {
    let name = |id| {
        let found = metadata.schemas().iter().rev().find_map(|s| s.field(id));
        found.map_or_else(|| id.to_string(), |field| field.name.clone())
    };
    let fields = spec.fields.iter().map(|field| {
        let sources: Vec<String> = field.source_ids.iter().map(|id| name(*id)).collect();
        json!({
            "name": field.name,
            "transform": transform(&field.transform),
            "columns": sources,
        })
    });
    let own = plan.files.iter().filter(|file| file.spec_id == spec.id);
    let partitions: BTreeSet<_> = own.clone().map(|file| file.partition.key()).collect();
    json!({
        "specId": spec.id.0,
        "isDefault": spec.id == metadata.default_spec_id,
        "fields": fields.collect::<Vec<_>>(),
        "files": own.count(),
        "partitions": partitions.len(),
    })
}

fn transform(transform: &Transform) -> String {
    match transform {
        Transform::Identity => "identity".to_owned(),
        Transform::Bucket(count) => format!("bucket[{count}]"),
        Transform::Truncate(width) => format!("truncate[{width}]"),
        Transform::Year => "year".to_owned(),
        Transform::Month => "month".to_owned(),
        Transform::Day => "day".to_owned(),
        Transform::Hour => "hour".to_owned(),
        Transform::Void => "void".to_owned(),
        Transform::Unknown(text) => text.to_string(),
    }
}

fn totals(files: &[DataFile]) -> Value {
    let sum = |of: fn(&DataFile) -> u64| files.iter().map(of).fold(0, u64::saturating_add);
    let sizes = files.iter().map(|file| file.len_bytes);
    let live = files.iter().map(DataFile::live_row_count);
    json!({
        "files": files.len(),
        "rows": sum(|file| file.row_count),
        // None where only the deletes themselves tell.
        "liveRows": live.sum::<Option<u64>>(),
        "bytes": sum(|file| file.len_bytes),
        "smallestBytes": sizes.clone().min(),
        "largestBytes": sizes.max(),
        "filesWithDeletes": files.iter().filter(|file| !file.deletes.is_empty()).count(),
    })
}

/// Sums up delete files by kind; each counts once, however many data files it applies to.
fn deletes(files: &[DataFile]) -> Value {
    #[derive(Default)]
    struct Kind<'f> {
        seen: BTreeSet<(&'f str, u64)>,
        rows: u64,
        bytes: u64,
    }
    let mut kinds: BTreeMap<&str, Kind<'_>> = BTreeMap::new();
    for delete in files.iter().flat_map(|file| &file.deletes) {
        let (kind, offset) = kind(delete);
        let of_kind = kinds.entry(kind).or_default();
        if of_kind.seen.insert((delete.path.as_str(), offset)) {
            let len_bytes = match &delete.kind {
                // Several vectors share a file.
                DeleteKind::Vector { len_bytes, .. } => *len_bytes,
                _ => delete.len_bytes,
            };
            of_kind.rows = of_kind.rows.saturating_add(delete.row_count);
            of_kind.bytes = of_kind.bytes.saturating_add(len_bytes);
        }
    }
    let kinds = kinds.into_iter().map(|(kind, all)| {
        json!({"kind": kind, "count": all.seen.len(), "rows": all.rows, "bytes": all.bytes})
    });
    kinds.collect()
}

fn kind(delete: &DeleteFile) -> (&'static str, u64) {
    match &delete.kind {
        DeleteKind::Vector { offset, .. } => ("deletion vectors", *offset),
        DeleteKind::Positions { .. } => ("position deletes", 0),
        DeleteKind::Equality { .. } => ("equality deletes", 0),
    }
}

fn file(file: &DataFile) -> Value {
    let deletes: Vec<&str> = file.deletes.iter().map(|delete| kind(delete).0).collect();
    json!({
        "path": file.path,
        "rows": file.row_count,
        "bytes": file.len_bytes,
        "specId": file.spec_id.0,
        "sequenceNumber": file.sequence_number.0,
        "deletes": deletes,
    })
}
