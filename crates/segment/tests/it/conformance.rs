//! The Parquet project's own shredded variants.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use growler_segment::NonObjectRoot;
use serde_json::Value;

use crate::reading::{documents, json_key, open, texts};

fn corpus() -> Option<PathBuf> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut beside = crate_folder
        .ancestors()
        .map(|folder| folder.join("shared/data/parquet-testing"));
    beside.find(|folder| folder.exists())
}

/// Cases that must fail: values in two places at once, and types that shredding does not allow.
const ERRORS: [u64; 6] = [40, 42, 87, 127, 128, 137];

fn check(folder: &Path, case: &Value) -> Result<()> {
    let number = case["case_number"].as_u64().context("number")?;
    let Some(file) = case["parquet_file"]
        .as_str()
        .filter(|file| !file.is_empty())
    else {
        return Ok(());
    };
    let segment = open(&folder.join(file))?;
    let read = |roots| documents(&segment, "var", roots).and_then(|s| texts(&segment, &s));
    let key = json_key(&segment, "var", "a", NonObjectRoot::Null).and_then(|s| texts(&segment, &s));
    if ERRORS.contains(&number) {
        let found = read(NonObjectRoot::Fail);
        ensure!(found.is_err(), "read as {found:?}");
        // The root is in conflict, so that is every key that is not shredded.
        if [42, 87, 128].contains(&number) {
            let key = json_key(&segment, "var", "not.shredded", NonObjectRoot::Null)?;
            let found = texts(&segment, &key);
            ensure!(found.is_err(), "key read as {found:?}");
        }
        return Ok(());
    }
    let (found, key) = (read(NonObjectRoot::Null)?, key?);
    ensure!(found.len() == segment.row_count(), "rows");
    for (document, key) in found.iter().zip(&key) {
        let document: Value = match document {
            Some(document) => serde_json::from_str(document).context(document.clone())?,
            None => Value::Null,
        };
        let value = document.get("a").filter(|value| !value.is_null());
        let key = key
            .as_ref()
            .map(|key| serde_json::from_str::<Value>(key))
            .transpose()?;
        ensure!(value == key.as_ref(), "document={document} key={key:?}");
    }
    Ok(())
}

#[test]
fn the_corpus_reads_and_fails_as_it_says() -> Result<()> {
    let Some(folder) = corpus().map(|folder| folder.join("shredded_variant")) else {
        eprintln!("skipped: no corpus");
        return Ok(());
    };
    let cases: Value = serde_json::from_slice(&std::fs::read(folder.join("cases.json"))?)?;
    let mut failures = Vec::new();
    for case in cases.as_array().context("cases")? {
        if let Err(error) = check(&folder, case) {
            failures.push(format!("{}: {error:#}", case["case_number"]));
        }
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}
