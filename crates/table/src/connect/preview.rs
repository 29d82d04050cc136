//! What a source would be as a table.

use growler_base::ErrorKind;
use growler_catalog::TableMetadata;
use growler_catalog::convert::to_table_schema;
use growler_catalog::metadata::Snapshot;
use growler_catalog::objects::FileInfo;
use growler_schema::{TableSchema, infer};

use super::connected::Connected;
use crate::config::{ExternalConfig, Source};
use crate::sync::{Loaded, SourceError, SourceFault};

/// Most files whose columns are looked at; the run that ingests them looks at all.
const FILES: usize = 100;

/// What a source would be as a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// Its columns.
    pub schema: TableSchema,
    /// What is to be known about them.
    pub warnings: Vec<String>,
}

/// Why there is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// What happened, and what to do.
    pub text: String,
}

/// Reads what a source would be as a table of a name.
///
/// # Errors
/// Why it cannot be read.
pub fn preview(
    name: &str,
    config: &ExternalConfig,
    connected: &Connected,
) -> Result<Preview, Error> {
    match connected
        .source
        .load()
        .map_err(|error| unreadable(&error))?
    {
        Loaded::Iceberg { table, .. } => of_metadata(name, config, table.metadata()),
        Loaded::Files(files) => of_files(name, config, connected, &files),
    }
}

fn of_metadata(
    name: &str,
    config: &ExternalConfig,
    metadata: &TableMetadata,
) -> Result<Preview, Error> {
    let snapshot = match &config.source {
        Source::IcebergRest { reference, .. } | Source::IcebergFolder { reference, .. } => {
            snapshot(metadata, reference.as_deref())?
        }
        Source::Parquet { .. } => None,
    };
    let schema = snapshot
        .and_then(|snapshot| metadata.schema(snapshot.schema_id?))
        .unwrap_or_else(|| metadata.current_schema());
    let mapping = metadata.name_mapping().map_err(|error| Error {
        kind: error.kind(),
        text: error.to_string(),
    })?;
    let converted = to_table_schema(name, schema, mapping.as_ref());
    let skipped = converted.skipped.iter().map(|column| {
        let (name, type_name) = (&column.name, &column.type_name);
        format!("Column '{name}' is left out: type {type_name} is not supported")
    });
    Ok(Preview {
        warnings: skipped.collect(),
        schema: converted.schema,
    })
}

/// Finds the snapshot of a branch or tag, or the current one.
fn snapshot<'m>(
    metadata: &'m TableMetadata,
    reference: Option<&str>,
) -> Result<Option<&'m Snapshot>, Error> {
    let Some(name) = reference else {
        return Ok(metadata.current_snapshot());
    };
    let found = metadata.refs.get(name);
    let found = found.and_then(|found| metadata.snapshot(found.snapshot_id));
    let found = found.ok_or_else(|| invalid(format!("branch or tag not found: ref={name}")))?;
    Ok(Some(found))
}

fn of_files(
    name: &str,
    config: &ExternalConfig,
    connected: &Connected,
    files: &[FileInfo],
) -> Result<Preview, Error> {
    if files.is_empty() {
        let place = config.source.path().unwrap_or_default();
        return Err(Error {
            kind: ErrorKind::NotFound,
            text: format!("no Parquet files are there: path={place}"),
        });
    }
    let mut columns = Vec::new();
    for file in files.iter().take(FILES) {
        let opened = connected.access.open_version(file);
        let fields = opened.and_then(|segment| segment.fields());
        let fields = fields.map_err(|error| Error {
            kind: error.kind(),
            text: error.to_string(),
        })?;
        columns.push((file.location.as_str(), fields));
    }
    let fields = columns
        .iter()
        .map(|(file, fields)| infer::FileFields { file, fields });
    let merged = infer::merge_fields(fields).map_err(|error| invalid(error.to_string()))?;
    let mut warnings = Vec::new();
    if files.len() > FILES {
        warnings.push(format!(
            "Columns are those of the first {FILES} of {} files",
            files.len()
        ));
    }
    Ok(Preview {
        schema: TableSchema::new(name, merged),
        warnings,
    })
}

fn invalid(text: String) -> Error {
    Error {
        kind: ErrorKind::InvalidInput,
        text,
    }
}

fn unreadable(error: &SourceError) -> Error {
    let (kind, help) = match error.fault {
        SourceFault::Transient => (
            ErrorKind::Unavailable,
            "Check that the catalog runs and can be reached from this server, then try again",
        ),
        SourceFault::Unauthorized => (
            ErrorKind::InvalidInput,
            "Check 'credential', 'token' and 'scope', or the keys under 'storage'",
        ),
        SourceFault::NotFound => (
            ErrorKind::InvalidInput,
            "Check the names of namespace and table; POST /connections/browse lists what is there",
        ),
        SourceFault::Broken => (ErrorKind::InvalidInput, "Check the settings of the source"),
    };
    Error {
        kind,
        text: format!("{}. {help}", error.text),
    }
}
