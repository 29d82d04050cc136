//! What the fuzz targets check, callable by libFuzzer (`fuzz/fuzz_targets`) and by plain tests.
//!
//! A check takes any bytes and panics where growler breaks a promise: a panic of its own, a wrong
//! answer, an error that blames growler instead of the bytes. [`plain`] is what answers are
//! compared with, a decoder that reads everything and is as simple as it can be; [`twin`] is the
//! other one, the `parquet-variant` crate.
//!
//! ```text
//! bytes --input--> metadata, value, path ---> growler | plain | twin ---> equal?
//! bytes --draw---> groups and rows       ---> arrays  | plain        ---> equal?
//! bytes --edit---> a sample file, changed --> segment                ---> Ok, or a fitting error
//! bytes --edit---> an index file, changed --> index | the sound file ---> equal, or a fitting error
//! bytes --------> manifests, values of them -> plan  | file by file    ---> equal, or a fitting error
//! bytes --------> what a catalog answers   --> client               ---> Ok, or a fitting error
//! ```
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a check fails by panicking"
)]

mod draw;
mod input;
mod panics;
pub mod plain;
pub mod twin;

mod catalog_answer;
mod document_json;
mod index_file;
mod manifest_file;
mod metadata;
mod parquet_file;
mod shredded;
mod sql_text;
mod table_metadata;
mod target;
mod value_lookup;

pub use index_file::small_index_file;
pub use input::{Parts, join};
pub use manifest_file::{LIST_SCHEMA, MANIFEST_SCHEMA};
pub use panics::report_panics_of_checks;
pub use parquet_file::SAMPLES;
pub use target::{Target, run};
