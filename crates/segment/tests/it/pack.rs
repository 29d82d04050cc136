//! Files of Spark and DuckDB read as those engines say they read them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use growler_segment::NonObjectRoot;
use serde_json::Value;

use crate::expected::{equal, lookup, parse};
use crate::reading::{documents, json_key, open, pack, testdata, texts};

/// Files of a folder that have expectations beside them.
fn cases(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let is_data = path
            .extension()
            .is_some_and(|extension| extension == "parquet");
        if is_data && path.with_extension("expected.json").exists() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn check_file(path: &Path) -> Result<()> {
    let expected: Value =
        serde_json::from_slice(&std::fs::read(path.with_extension("expected.json"))?)?;
    let column = expected["column"].as_str().context("column")?;
    let rows = expected["rows"].as_array().context("rows")?;
    let segment = open(path)?;
    ensure!(
        segment.row_count() == rows.len(),
        "rows: {}",
        segment.row_count()
    );

    let found = texts(&segment, &documents(&segment, column, NonObjectRoot::Null)?)?;
    ensure!(found.len() == rows.len(), "documents: {}", found.len());
    for (row, (expected, found)) in rows.iter().zip(&found).enumerate() {
        let json = expected["json"].as_str();
        // Roots that are no objects read as null here.
        let json = json.filter(|json| json.starts_with('{'));
        same(json, found.as_deref()).with_context(|| format!("document row={row}"))?;
    }
    let paths = rows
        .iter()
        .filter_map(|row| row["keys"].as_object())
        .flat_map(|keys| keys.keys());
    let mut paths: Vec<&String> = paths.collect();
    paths.sort();
    paths.dedup();
    for key in paths {
        let found = texts(
            &segment,
            &json_key(&segment, column, key, NonObjectRoot::Null)?,
        )?;
        ensure!(found.len() == rows.len(), "values: {}", found.len());
        for (row, (expected, found)) in rows.iter().zip(&found).enumerate() {
            let at = || format!("key={key} row={row}");
            let document = parse(expected["json"].as_str().unwrap_or("null"))?;
            let json = lookup(&document, key).filter(|value| !value.is_null());
            let json = json.map(Value::to_string);
            same(json.as_deref(), found.as_deref()).with_context(at)?;
            // The writers walk every dot.
            if !key.contains('.') {
                let json = expected["keys"][key]["json"]
                    .as_str()
                    .filter(|json| *json != "null");
                same(json, found.as_deref()).with_context(at)?;
            }
        }
    }
    ensure!(segment.malformed_rows() == 0, "malformed rows");
    Ok(())
}

fn same(expected: Option<&str>, found: Option<&str>) -> Result<()> {
    match (expected, found) {
        (None, None) => Ok(()),
        (Some(expected), Some(found)) => {
            let left = parse(expected)?;
            let right: Value =
                serde_json::from_str(found).with_context(|| format!("found={found}"))?;
            ensure!(equal(&left, &right), "expected={expected} found={found}");
            Ok(())
        }
        _ => anyhow::bail!("expected={expected:?} found={found:?}"),
    }
}

fn check_folder(folder: &Path) -> Result<()> {
    let files = cases(folder)?;
    ensure!(!files.is_empty(), "no files in {}", folder.display());
    let mut failures = Vec::new();
    for file in files {
        if let Err(error) = check_file(&file) {
            failures.push(format!("{}: {error:#}", file.display()));
        }
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

#[test]
fn documents_and_keys_are_those_of_the_writer() -> Result<()> {
    for folder in ["spark", "duckdb", "spark/perfile", "duckdb/perfile"] {
        check_folder(&testdata(folder))?;
    }
    Ok(())
}

#[test]
fn the_whole_pack_reads_as_its_writers_say() -> Result<()> {
    for folder in ["spark", "duckdb", "spark/perfile", "duckdb/perfile"] {
        let folder = pack(folder);
        if !folder.exists() {
            eprintln!("skipped: no shared pack at {}", folder.display());
            continue;
        }
        check_folder(&folder)?;
    }
    Ok(())
}
