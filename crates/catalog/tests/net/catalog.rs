//! A catalog with a few tables, and clients that do not wait long.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use growler_catalog::rest::{Namespace, RestCatalog, RestConfig, Retries, TableId, Timeouts};
use serde_json::{Value, json};

use crate::double::{Asked, Double, Reply};

/// Settings of a client that is soon impatient.
pub fn config(uri: &str) -> RestConfig {
    RestConfig {
        timeouts: Timeouts {
            connect: Duration::from_secs(2),
            read: Duration::from_millis(400),
            whole: Duration::from_secs(5),
        },
        retries: Retries {
            attempts: 4,
            first_pause: Duration::from_millis(5),
            longest_pause: Duration::from_millis(300),
            within: Duration::from_secs(5),
        },
        ..RestConfig::new(uri)
    }
}

/// Connects without credentials.
pub fn connect(double: &Double) -> RestCatalog {
    RestCatalog::connect(config(&double.uri)).unwrap()
}

/// A server that configures nothing, and answers the rest by a handler.
pub fn plain(handler: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Double {
    Double::new(move |asked| match asked.path.as_str() {
        "/v1/config" => Reply::json(&json!({"defaults": {}, "overrides": {}})),
        _ => handler(asked),
    })
}

pub fn namespace(dotted: &str) -> Namespace {
    Namespace::parse(dotted).unwrap()
}

pub fn table(name: &str) -> TableId {
    TableId {
        namespace: namespace("db"),
        name: name.to_owned(),
    }
}

/// Metadata of a table with these snapshots, the last of them current.
pub fn metadata(snapshots: &[i64]) -> Value {
    let snapshots: Vec<Value> = snapshots
        .iter()
        .enumerate()
        .map(|(at, id)| {
            json!({
                "snapshot-id": id, "sequence-number": at + 1, "timestamp-ms": 1000 + at,
                "manifest-list": format!("s3://b/t/metadata/snap-{id}.avro"),
                "summary": {"operation": "append"}, "schema-id": 0,
            })
        })
        .collect();
    let current = snapshots
        .last()
        .map(|snapshot| snapshot["snapshot-id"].clone());
    json!({
        "format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": "s3://b/t", "last-sequence-number": snapshots.len(), "last-updated-ms": 2000,
        "last-column-id": 1, "current-schema-id": 0,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": [
            {"id": 1, "name": "a", "required": false, "type": "long"}]}],
        "default-spec-id": 0, "partition-specs": [{"spec-id": 0, "fields": []}],
        "last-partition-id": 999, "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "current-snapshot-id": current, "snapshots": snapshots,
    })
}

/// The answer to a load.
pub fn loaded(metadata: &Value) -> Value {
    json!({"metadata-location": "s3://b/t/metadata/v1.metadata.json", "metadata": metadata})
}

/// Counts calls, and tells each its number, from 0.
#[derive(Clone, Default)]
pub struct Counter(Arc<AtomicUsize>);

impl Counter {
    pub fn next(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst)
    }

    pub fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}
