//! What is told of a segment: its file and its indexes.

use growler_index::{Entry, Kind, Reading, SegmentIndexes};
use growler_schema::table_config::OFFLINE_SUFFIX;
use growler_segment::Segment;
use serde_json::{Map, Value, json};

/// Returns a segment's metadata: the counts as Pinot lists them, texts all; which indexes each
/// column and key has, in Pinot's words; and every index in the file.
pub(super) fn of(table: &str, segment: &Segment, indexes: Option<&SegmentIndexes>) -> Value {
    let entries = indexes.map(SegmentIndexes::entries).unwrap_or_default();
    let remainders = indexes.map(SegmentIndexes::remainders).unwrap_or_default();
    json!({
        "segment.name": segment.id().to_string(),
        "segment.table.name": format!("{table}{OFFLINE_SUFFIX}"),
        "segment.total.docs": segment.row_count().to_string(),
        "segment.size.in.bytes": segment.len_bytes().to_string(),
        "segment.file": segment.path().display().to_string(),
        "segment.index.file": indexes.map(|indexes| indexes.path().display().to_string()),
        "segment.index.size.in.bytes":
            indexes.map_or(0, SegmentIndexes::file_len).to_string(),
        "indexes": by_subject(entries),
        "indexEntries": entries.iter().map(entry).collect::<Vec<_>>(),
        "remainders": remainders
            .iter()
            .map(|remainder| json!({
                "column": &*remainder.column,
                "complete": remainder.complete,
                "keys": remainder.key_count,
            }))
            .collect::<Vec<_>>(),
    })
}

/// Lists the kinds of index of each column and key, in the spelling of Pinot's own listing.
fn by_subject(entries: &[Entry]) -> Value {
    let mut subjects = Map::new();
    let values = entries
        .iter()
        .filter(|entry| entry.subject.reading == Reading::Values);
    for entry in values {
        let Some(name) = pinot_name(entry.kind) else {
            continue;
        };
        let kinds = subjects
            .entry(entry.subject.to_string())
            .or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(kinds) = kinds {
            kinds.insert(name.to_owned(), "YES".into());
        }
    }
    Value::Object(subjects)
}

fn entry(entry: &Entry) -> Value {
    json!({
        "subject": entry.subject.to_string(),
        "kind": entry.kind.name(),
        "dataType": entry.data_type.name(),
        "bytes": entry.len_bytes,
        "distinctCount": entry.distinct_count,
        "nullCount": entry.null_count,
    })
}

fn pinot_name(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Nulls => "null-value-vector-reader",
        Kind::Dictionary => "dictionary",
        Kind::Inverted => "inverted-index",
        Kind::Range => "range-index",
        Kind::Bloom => "bloom-filter",
        Kind::Others => return None,
    })
}
