//! The keys that residuals hold are all that documents show and no file column types.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use growler_segment::{KeyPath, NonObjectRoot, Segment, ValueClass};
use serde_json::Value;

use crate::reading::{documents, field, open, testdata, texts};

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(self::files(&path)?);
        } else if path.extension().is_some_and(|name| name == "parquet") {
            files.push(path);
        }
    }
    Ok(files)
}

/// Adds the paths of all values below an object.
fn walk(value: &Value, prefix: &str, paths: &mut BTreeSet<String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let path = format!("{prefix}{name}");
        walk(value, &format!("{path}."), paths);
        if !value.is_null() {
            paths.insert(path);
        }
    }
}

fn check(path: &Path) -> Result<()> {
    let segment = open(path)?;
    let field = field(&segment, "props")?;
    let mut shown = BTreeSet::new();
    for text in texts(
        &segment,
        &documents(&segment, "props", NonObjectRoot::Fail)?,
    )? {
        let document: Value = serde_json::from_str(&text.context("no document")?)?;
        walk(&document, "", &mut shown);
    }
    let found = segment.residual_paths(&field, 1000, &mut |_| ControlFlow::Continue(()))?;
    let found = found.context("no such column")?;
    ensure!(found.complete, "complete");
    let untyped = |path: &String| -> Result<bool> {
        Ok(segment.key_type(&field, &KeyPath::parse(path)?)?.is_none())
    };
    let mut expected = Vec::new();
    for path in shown {
        if untyped(&path)? {
            expected.push(path);
        }
    }
    let mut known = Vec::new();
    for path in &found.paths {
        ensure!(path.classes.has_values());
        // An array or object that is shredded may be there in no row.
        let is_shredded = path.value_count == 0 && !expected.contains(&path.path);
        if untyped(&path.path)? && !is_shredded {
            known.push(path.path.clone());
        }
    }
    ensure!(known == expected, "known={known:?} expected={expected:?}");
    Ok(())
}

#[test]
fn finds_what_documents_show() -> Result<()> {
    let mut checked = 0;
    for folder in ["spark", "duckdb"] {
        for path in files(&testdata(folder))? {
            check(&path).with_context(|| path.display().to_string())?;
            checked += 1;
        }
    }
    ensure!(checked > 30, "checked={checked}");
    Ok(())
}

fn discover(segment: &Segment, most: usize) -> Result<growler_segment::ResidualPaths> {
    let field = field(segment, "props")?;
    let found = segment.residual_paths(&field, most, &mut |_| ControlFlow::Continue(()))?;
    found.context("no such column")
}

#[test]
fn tells_what_values_are_and_when_there_are_too_many() -> Result<()> {
    let segment = open(&testdata("spark/seed4_none.parquet"))?;
    let found = discover(&segment, 1000)?;
    let of = |path: &str| {
        let found = found.paths.iter().find(|found| found.path == path);
        found.map(|found| found.classes).context(path.to_owned())
    };
    ensure!(of("device")?.contains(ValueClass::Object));
    ensure!(of("tags")?.contains(ValueClass::Array));
    ensure!(of("latency_ms")?.contains(ValueClass::Number));
    ensure!(of("latency_ms")?.contains(ValueClass::Text));
    ensure!(!of("session")?.contains(ValueClass::Number));
    let cut = discover(&segment, 2)?;
    ensure!(!cut.complete && cut.paths.len() == 2, "{cut:?}");
    Ok(())
}

#[test]
fn breaks_off_when_told() -> Result<()> {
    let segment = open(&testdata("spark/seed4_none.parquet"))?;
    let field = field(&segment, "props")?;
    let found = segment.residual_paths(&field, 1000, &mut |_| ControlFlow::Break(()))?;
    ensure!(found.is_none());
    Ok(())
}
