//! The variant crate against vectors, samples, its twin `parquet-variant`, and mutated bytes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod build;
mod limits;
mod lookup;
mod mutate;
mod raw;
mod samples;
mod shred;
mod shred_column;
mod shred_damage;
mod shred_table;
mod split;
mod twin;
mod vectors;

use growler_variant::json::write_json;
use growler_variant::{Budget, Error, Metadata};

/// Returns the JSON text of a variant.
fn json(metadata: &[u8], value: &[u8]) -> Result<String, Error> {
    let mut text = Vec::new();
    write_json(
        &Metadata::try_new(metadata)?,
        value,
        &mut text,
        &mut Budget::new(),
    )?;
    Ok(String::from_utf8(text).expect("JSON text is UTF-8"))
}
