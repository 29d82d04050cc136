//! The map of a table: snapshot, schema, partition specs, files, deletes.

use std::io::{self, Write};
use std::sync::Arc;

use growler_catalog::{IcebergTable, LocalFiles, ScanOptions};
use growler_table::iceberg;
use serde_json::Value;

use crate::failure::Failure;
use crate::inspect::table::Table;
use crate::inspect::text::{counted, grouped, printable, size};
use crate::remote::text::time;
use crate::style::Style;

/// Most files listed one by one.
const FILES: usize = 20;

/// Describes an Iceberg table by its folder, or one of its `*.metadata.json` files.
///
/// # Errors
/// Its metadata or manifests cannot be read.
pub fn of_folder(location: &str) -> Result<Value, Failure> {
    let failed = |error: growler_catalog::Error| Failure::new(error.kind(), error);
    let table = IcebergTable::open(Arc::new(LocalFiles), location).map_err(failed)?;
    let plan = table.scan_plan(&ScanOptions::default()).map_err(failed)?;
    Ok(iceberg::describe(&table, &plan))
}

/// Writes a description as text.
///
/// # Errors
/// What writing gives.
pub fn write(name: &str, map: &Value, style: Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", style.bold(name))?;
    write_head(map, out)?;
    write_columns(&map["schema"], style, out)?;
    write_specs(map, style, out)?;
    write_deletes(map, style, out)?;
    write_files(map, style, out)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => printable(text),
        other => printable(&other.to_string()),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn write_head(map: &Value, out: &mut dyn Write) -> io::Result<()> {
    let totals = &map["totals"];
    let mut rows = counted(number(&totals["rows"]), "row", "rows");
    if let Some(live) = totals["liveRows"].as_u64()
        && live != number(&totals["rows"])
    {
        rows += &format!(" of which {} are left", grouped(live));
    }
    let files = counted(number(&totals["files"]), "file", "files");
    let bytes = size(number(&totals["bytes"]));
    writeln!(out, "  {rows}, {files}, {bytes}")?;
    if !map["formatVersion"].is_null() {
        let (version, uuid) = (text(&map["formatVersion"]), text(&map["tableUuid"]));
        writeln!(out, "  format version {version}, table {uuid}")?;
        writeln!(out, "  at {}", text(&map["location"]))?;
    }
    let snapshot = &map["snapshot"];
    if snapshot.is_object() {
        let when = snapshot["timestampMs"].as_i64().unwrap_or_default();
        let count = counted(number(&map["snapshotCount"]), "is kept", "are kept");
        writeln!(
            out,
            "  snapshot {} ({}) of {}, {count}",
            text(&snapshot["snapshotId"]),
            snapshot["operation"].as_str().unwrap_or("no operation"),
            time(when),
        )?;
    } else if !map["formatVersion"].is_null() {
        writeln!(out, "  no snapshot: nothing was written to it yet")?;
    }
    Ok(())
}

fn write_columns(schema: &Value, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if schema.is_null() {
        return Ok(());
    }
    writeln!(out, "\nschema {}", text(&schema["schemaId"]))?;
    let mut table = Table::new(&["ID", "COLUMN", "TYPE", ""]);
    table.right(0);
    for column in list(&schema["columns"]) {
        let required = if column["required"] == true {
            "required"
        } else {
            ""
        };
        table.push(vec![
            text(&column["id"]),
            text(&column["name"]),
            text(&column["type"]),
            required.to_owned(),
        ]);
    }
    table.write(style, out)
}

fn write_specs(map: &Value, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let specs = list(&map["partitionSpecs"]);
    if specs.is_empty() {
        return Ok(());
    }
    writeln!(out, "\npartition specs")?;
    let mut table = Table::new(&["ID", "FIELDS", "PARTITIONS", "FILES", ""]);
    for column in [0, 2, 3] {
        table.right(column);
    }
    for spec in specs {
        let fields = list(&spec["fields"]).iter().map(|field| {
            let columns: Vec<String> = list(&field["columns"]).iter().map(text).collect();
            format!("{}({})", text(&field["transform"]), columns.join(", "))
        });
        let fields: Vec<String> = fields.collect();
        let fields = if fields.is_empty() {
            "none".to_owned()
        } else {
            fields.join(", ")
        };
        let now = if spec["isDefault"] == true {
            "of new files"
        } else {
            ""
        };
        table.push(vec![
            text(&spec["specId"]),
            fields,
            grouped(number(&spec["partitions"])),
            grouped(number(&spec["files"])),
            now.to_owned(),
        ]);
    }
    table.write(style, out)
}

fn write_deletes(map: &Value, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let deletes = list(&map["deletes"]);
    if deletes.is_empty() {
        return Ok(());
    }
    let files = number(&map["totals"]["filesWithDeletes"]);
    writeln!(
        out,
        "\ndeletes apply to {}",
        counted(files, "file", "files")
    )?;
    let mut table = Table::new(&["KIND", "COUNT", "ROWS", "BYTES"]);
    for column in 1..4 {
        table.right(column);
    }
    for kind in deletes {
        table.push(vec![
            text(&kind["kind"]),
            grouped(number(&kind["count"])),
            grouped(number(&kind["rows"])),
            size(number(&kind["bytes"])),
        ]);
    }
    table.write(style, out)
}

fn write_files(map: &Value, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let files = list(&map["files"]);
    if files.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nfiles")?;
    let mut table = Table::new(&["ROWS", "BYTES", "DELETES", "PATH"]);
    table.right(0);
    table.right(1);
    for file in files.iter().take(FILES) {
        let mut deletes: Vec<String> = list(&file["deletes"]).iter().map(text).collect();
        deletes.dedup();
        table.push(vec![
            grouped(number(&file["rows"])),
            size(number(&file["bytes"])),
            deletes.join(", "),
            text(&file["path"]),
        ]);
    }
    table.write(style, out)?;
    let all = number(&map["totals"]["files"]);
    let shown = u64::try_from(files.len().min(FILES)).unwrap_or(u64::MAX);
    if all > shown {
        writeln!(out, "  and {} more", grouped(all - shown))?;
    }
    Ok(())
}
