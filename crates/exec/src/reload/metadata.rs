//! What is kept of a segment's columns: types and default null values, as of its last reload.
//!
//! Queries read every file with the types of the table's schema; this record says which of them a
//! reload has brought the segment up to. Where it has none, the segment has the types of its file.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use growler_index::SourceIdentity;
use growler_index::write::{publish, temporary_file};
use growler_schema::{Field, TableSchema, default_null};
use growler_segment::Segment;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::Error;
use super::store::{StoredFiles, identity};

const VERSION: u32 = 1;
/// Longest record that is read, in bytes.
const LEN_BYTES: u64 = 64 << 20;

/// The record of one segment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    version: u32,
    source: SourceRecord,
    columns: BTreeMap<String, ColumnRecord>,
}

/// Which file the record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SourceRecord {
    len_bytes: u64,
    footer_hash: u64,
    row_count: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ColumnRecord {
    data_type: String,
    default_null_value: Json,
}

/// What a segment has to be brought up to; empty where it is already there.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Reconcile {
    /// Properties and values, such as `column.qty.dataType` and `LONG`.
    pub(super) properties: Vec<(String, String)>,
    retyped: bool,
    columns: BTreeMap<String, ColumnRecord>,
}

impl Reconcile {
    /// Compares what is recorded of a segment with the schema.
    pub(super) fn of(segment: &Segment, schema: &TableSchema, files: &StoredFiles) -> Self {
        let own = segment.fields().unwrap_or_default();
        let own = own.iter().map(|field| (field.name.clone(), column(field)));
        let mut columns: BTreeMap<String, ColumnRecord> = own.collect();
        if let Some(record) = read(&files.metadata_path(), &identity(segment)) {
            columns.extend(record.columns);
        }
        let mut found = Self::default();
        for field in schema.fields() {
            let Some(known) = columns.get_mut(&field.name) else {
                continue;
            };
            let wanted = column(field);
            let mut say = |property: &str, value: String| {
                let name = format!("column.{}.{property}", field.name);
                found.properties.push((name, value));
            };
            let retyped = known.data_type != wanted.data_type;
            if retyped {
                say("dataType", wanted.data_type.clone());
            }
            if known.default_null_value != wanted.default_null_value {
                say("defaultNullValue", text(&wanted.default_null_value));
            }
            found.retyped |= retyped;
            *known = wanted;
        }
        found.columns = columns;
        found
    }

    /// Tells whether nothing is to be done.
    pub(super) fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    /// Records it, and says so.
    pub(super) fn apply(self, segment: &Segment, files: &StoredFiles) -> Result<Changes, Error> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let source = identity(segment);
        let record = Record {
            version: VERSION,
            source: SourceRecord::from(&source),
            columns: self.columns,
        };
        let path = files.metadata_path();
        if let Err(source) = write(files, &record) {
            // The text is Pinot's: operators search their logs for it.
            tracing::warn!(
                "Failed to reconcile widened column types for segment {}; it keeps its current \
                 column types and the reconcile is retried on the next reload",
                segment.id()
            );
            return Err(Error::File {
                segment: segment.id().clone(),
                action: "record the column types",
                path: Box::new(path),
                source: Box::new(source),
            });
        }
        let listed: Vec<String> = self
            .properties
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let listed = listed.join(", ");
        if self.retyped {
            tracing::info!(
                "Reconciled widened column types in segment {}: {{{listed}}}",
                segment.id()
            );
        } else {
            tracing::info!(
                "Reconciled null defaults in segment {}: {{{listed}}}",
                segment.id()
            );
        }
        Ok(self.properties)
    }
}

/// Properties that were changed, with their new values.
pub(super) type Changes = Vec<(String, String)>;

fn column(field: &Field) -> ColumnRecord {
    ColumnRecord {
        data_type: field.column_type.data_type.name().to_owned(),
        default_null_value: default_null::write(&field.default_null),
    }
}

fn text(value: &Json) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Reads a record; one that is absent, damaged, newer or about another file is none.
fn read(path: &Path, source: &SourceIdentity) -> Option<Record> {
    let length = std::fs::metadata(path).ok()?.len();
    let bytes = (length <= LEN_BYTES).then(|| std::fs::read(path).ok())??;
    let record: Record = match serde_json::from_slice(&bytes) {
        Ok(record) => record,
        Err(error) => {
            let path = path.display();
            tracing::warn!("column types of a segment are not readable: {error} path={path}");
            return None;
        }
    };
    let fits = record.version == VERSION && record.source == SourceRecord::from(source);
    fits.then_some(record)
}

fn write(files: &StoredFiles, record: &Record) -> io::Result<()> {
    let mut file = temporary_file(&files.folder, &files.metadata)?;
    serde_json::to_writer_pretty(&mut file, record)?;
    file.write_all(b"\n")?;
    publish(file, &files.folder, &files.metadata)
}

impl From<&SourceIdentity> for SourceRecord {
    fn from(source: &SourceIdentity) -> Self {
        Self {
            len_bytes: source.len_bytes,
            footer_hash: source.footer_hash,
            row_count: source.row_count,
        }
    }
}
