//! The map of a file as JSON.

use serde_json::{Map, Value, json};

use crate::inspect::indexes;
use crate::inspect::map::{
    Bytes, ColumnMap, FileMap, KeyKind, KeyMap, LeafMap, Residual, ResidualKey, VariantMap,
};

/// Makes the JSON object of a map.
pub fn of(map: &FileMap) -> Value {
    let row_groups = map.row_groups.iter();
    let row_groups = row_groups
        .map(|group| json!({"rowCount": group.row_count, "compressedBytes": group.len_bytes}));
    let mut members = json!({
        "path": map.path.display().to_string(),
        "lengthBytes": map.len_bytes,
        "writer": map.writer,
        "rowCount": map.row_count,
        "rowGroups": row_groups.collect::<Vec<_>>(),
        "columns": map.columns.iter().map(column).collect::<Vec<_>>(),
    });
    if !map.indexes.is_empty() {
        members["indexes"] = map.indexes.iter().map(indexes::of).collect();
    }
    members
}

fn column(column: &ColumnMap) -> Value {
    let mut members = json!({
        "name": column.name,
        "fieldId": column.field_id,
        "sourceType": column.source_type,
        "dataType": column.column_type,
        "refusal": column.refusal,
        "leaves": column.leaves.iter().map(leaf).collect::<Vec<_>>(),
    });
    if let Some(found) = &column.variant {
        members["variant"] = variant(found);
    }
    members
}

fn leaf(leaf: &LeafMap) -> Value {
    let mut members = Map::new();
    members.insert("path".to_owned(), json!(leaf.path));
    members.insert("codecs".to_owned(), json!(leaf.codecs));
    members.insert("encodings".to_owned(), json!(leaf.encodings));
    push_bytes(&mut members, leaf.bytes);
    members.insert("valueCount".to_owned(), json!(leaf.value_count));
    members.insert("nullCount".to_owned(), json!(leaf.null_count));
    let (min, max) = leaf.bounds.as_ref().map(|(min, max)| (min, max)).unzip();
    members.insert("min".to_owned(), json!(min));
    members.insert("max".to_owned(), json!(max));
    members.insert("pageIndex".to_owned(), json!(leaf.has_page_index));
    Value::Object(members)
}

fn variant(variant: &VariantMap) -> Value {
    json!({
        "annotated": variant.annotated,
        "root": kind(&variant.root),
        "metadataCompressedBytes": variant.metadata.compressed,
        "keys": variant.keys.iter().map(key).collect::<Vec<_>>(),
        "residual": variant.residual.as_ref().map(residual),
    })
}

fn key(key: &KeyMap) -> Value {
    let mut members = Map::new();
    members.insert("path".to_owned(), json!(key.names.join(".")));
    members.insert("kind".to_owned(), json!(kind(&key.kind)));
    if let KeyKind::Scalar { scalar, key_type } = &key.kind {
        members.insert("typedAs".to_owned(), json!(scalar));
        members.insert("dataType".to_owned(), json!(key_type));
    }
    members.insert("typedRows".to_owned(), json!(key.typed_rows));
    members.insert("leafCount".to_owned(), json!(key.leaf_count));
    push_bytes(&mut members, key.bytes);
    members.insert(
        "residual".to_owned(),
        json!(key.residual.as_ref().map(residual)),
    );
    Value::Object(members)
}

fn residual(residual: &Residual) -> Value {
    let mut members = Map::new();
    members.insert("rowCount".to_owned(), json!(residual.row_count));
    push_bytes(&mut members, residual.bytes);
    if residual.sampled_rows > 0 {
        members.insert("sampledRows".to_owned(), json!(residual.sampled_rows));
        let keys = residual.keys.iter().map(residual_key).collect::<Vec<_>>();
        members.insert("keys".to_owned(), json!(keys));
    }
    Value::Object(members)
}

fn residual_key(key: &ResidualKey) -> Value {
    json!({"path": key.names.join("."), "rowCount": key.row_count, "types": key.types})
}

fn kind(kind: &KeyKind) -> &'static str {
    match kind {
        KeyKind::Untyped => "untyped",
        KeyKind::Scalar { .. } => "scalar",
        KeyKind::Object => "object",
        KeyKind::Array => "array",
    }
}

fn push_bytes(members: &mut Map<String, Value>, bytes: Bytes) {
    members.insert("compressedBytes".to_owned(), json!(bytes.compressed));
    members.insert("uncompressedBytes".to_owned(), json!(bytes.uncompressed));
}
