//! The crate graph of `docs/ARCHITECTURE.md`: an arrow never runs up.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// What each crate may use, besides what those use.
const DRAWN: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("variant", &["base", "schema"]),
    ("schema", &["base"]),
    ("segment", &["base", "variant", "schema"]),
    ("index", &["base", "schema"]),
    ("catalog", &["base", "variant", "schema"]),
    ("exec", &["base", "variant", "schema", "segment", "index"]),
    (
        "table",
        &["base", "schema", "segment", "index", "exec", "catalog"],
    ),
    (
        "server",
        &[
            "base", "schema", "segment", "index", "exec", "catalog", "table",
        ],
    ),
    (
        "cli",
        &[
            "base", "variant", "schema", "segment", "index", "exec", "catalog", "table", "server",
        ],
    ),
    (
        "benches",
        &["base", "variant", "schema", "segment", "index", "exec"],
    ),
    (
        "fuzz",
        &[
            "base", "variant", "schema", "segment", "index", "exec", "catalog",
        ],
    ),
];

#[test]
fn no_crate_uses_one_above_it() -> Result<(), Box<dyn std::error::Error>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()?;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let drawn: BTreeMap<&str, BTreeSet<&str>> = DRAWN
        .iter()
        .map(|(name, uses)| (*name, uses.iter().copied().collect()))
        .collect();
    for package in metadata["packages"].as_array().ok_or("no packages")? {
        let name = short(&package["name"]).ok_or("package outside the workspace")?;
        let allowed = drawn
            .get(name)
            .ok_or_else(|| format!("crate not drawn: {name}"))?;
        let used = package["dependencies"]
            .as_array()
            .ok_or("no dependencies")?;
        let used = used
            .iter()
            .filter_map(|dependency| short(&dependency["name"]));
        let up: Vec<&str> = used.filter(|used| !allowed.contains(used)).collect();
        assert!(up.is_empty(), "{name} must not use {up:?}");
    }
    Ok(())
}

fn short(name: &Value) -> Option<&str> {
    name.as_str()?.strip_prefix("growler-")
}
