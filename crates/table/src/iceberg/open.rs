//! Which table a path is, and the view of it.

use std::path::Path;
use std::sync::Arc;

use growler_catalog::convert::to_table_schema;
use growler_catalog::{IcebergTable, LocalFiles, ScanOptions, SnapshotSelector};
use growler_exec::View;
use growler_schema::TableSchema;
use growler_schema::infer::{complete, unreadable};
use growler_segment::FooterCache;

use super::dropped::with_dropped;
use super::{Columns, Error, LocalSegments, SegmentAccess, members, view};

const METADATA: &str = "metadata";
/// Most entries of a folder that are looked at to tell what it is.
const LOOKED_AT: usize = 1000;
/// Most tables named in a message.
const NAMED: usize = 5;

/// Opens what lies at a path of the local file system as one table: the folder of an Iceberg table
/// at its newest version, one of its `*.metadata.json` files at that version; or else Parquet files
/// ([`View::open`]).
///
/// # Errors
/// See [`Error`]; folders that are not the table they look like have an error each.
pub fn open(
    name: &str,
    location: &str,
    schema: Option<&TableSchema>,
    footers: &Arc<FooterCache>,
) -> Result<View, Error> {
    if !is_iceberg(location)? {
        return Ok(View::open(name, location, schema, footers)?);
    }
    let table = IcebergTable::open(Arc::new(LocalFiles), location)?;
    let access: Arc<dyn SegmentAccess> = Arc::new(LocalSegments::new(Arc::clone(footers)));
    open_table(name, &table, SnapshotSelector::Current, schema, &access)
}

/// Makes the view of a table at one of its states.
///
/// # Errors
/// See [`Error`].
pub fn open_table(
    name: &str,
    table: &IcebergTable,
    snapshot: SnapshotSelector,
    declared: Option<&TableSchema>,
    access: &Arc<dyn SegmentAccess>,
) -> Result<View, Error> {
    let plan = table.scan_plan(&ScanOptions {
        snapshot,
        predicate: None,
    })?;
    let mapping = table.metadata().name_mapping()?;
    let converted = to_table_schema(name, &plan.schema, mapping.as_ref());
    for skipped in &converted.skipped {
        tracing::warn!(
            table = name,
            "column is left out, its type is not supported: type={} column={}",
            skipped.type_name,
            skipped.name
        );
    }
    let schema = match declared {
        None => converted.schema,
        Some(declared) => {
            let fields = converted.schema.fields();
            let errors = unreadable(declared, fields);
            if !errors.is_empty() {
                return Err(Error::Declared(errors));
            }
            complete(declared, fields)
        }
    };
    let (plan, dropped) = with_dropped(table.metadata(), plan, &schema)?;
    let served = Columns { schema, dropped };
    view(name, served, table, &plan, members(&plan), access)
}

/// Tells whether a path is an Iceberg table.
///
/// # Errors
/// It looks like one, but is not quite: the error says what it is instead.
pub fn is_iceberg(location: &str) -> Result<bool, Error> {
    if is_metadata_file(location) {
        return Ok(true);
    }
    let path = Path::new(location);
    if !path.is_dir() {
        return Ok(false);
    }
    if has_metadata_file(&path.join(METADATA)) {
        return Ok(true);
    }
    let text = || location.trim_end_matches('/').to_owned();
    if path.file_name().is_some_and(|name| name == METADATA) && has_metadata_file(path) {
        let table = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        return Err(Error::IsMetadata {
            path: text(),
            table: table.unwrap_or(Path::new(".")).display().to_string(),
        });
    }
    if has_manifests(&path.join(METADATA)) {
        return Err(Error::NoMetadata { path: text() });
    }
    let tables = tables_below(path);
    if tables.is_empty() {
        return Ok(false);
    }
    Err(Error::HoldsTables {
        path: text(),
        tables,
    })
}

fn is_metadata_file(name: &str) -> bool {
    name.ends_with(".metadata.json") || name.ends_with(".metadata.json.gz")
}

fn entries(folder: &Path) -> impl Iterator<Item = std::fs::DirEntry> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.take(LOOKED_AT)
}

fn has_metadata_file(folder: &Path) -> bool {
    // A long history has many manifests before its first metadata file.
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name());
    names.any(|name| name.to_str().is_some_and(is_metadata_file))
}

/// Tells whether a folder has what Iceberg keeps beside its metadata files.
fn has_manifests(folder: &Path) -> bool {
    entries(folder).any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name == "version-hint.text" || name.ends_with(".avro")
    })
}

/// Lists tables one or two folders below, by their paths from here.
fn tables_below(folder: &Path) -> Vec<String> {
    let mut tables = Vec::new();
    for child in entries(folder) {
        let name = child.file_name().to_string_lossy().into_owned();
        if has_metadata_file(&child.path().join(METADATA)) {
            tables.push(name);
            continue;
        }
        for grandchild in entries(&child.path()) {
            if has_metadata_file(&grandchild.path().join(METADATA)) {
                let below = grandchild.file_name().to_string_lossy().into_owned();
                tables.push(format!("{name}/{below}"));
            }
        }
    }
    tables.sort();
    tables.truncate(NAMED);
    tables
}
