//! The Parquet VARIANT codec: lazy reading, path look-up, shredding layouts and text form.
//!
//! Bytes come from files of other engines and may lie about everything: whatever they hold, the
//! answer is right or an [`Error`], never a panic, and bounded in time, memory and depth. No
//! Parquet file is opened or written here.
//!
//! ```text
//! metadata bytes -> Metadata --KeyPath--> ResolvedPath (once per distinct dictionary)
//! value bytes ----> ResolvedPath::find -> value bytes of one key -> Node -> number, text, JSON
//! ```
//!
//! Rooms, in the order of the format: [`metadata`] the dictionary of names; [`value`], [`object`]
//! and [`list`] single values; [`path`], [`lookup`] and [`cache`] from a dotted key to its value, [`inside`]
//! from there on into arrays;
//! [`convert`], [`text`], [`names`] and [`json`] what a value reads as; [`validate`] the full
//! check; [`shred`] columns that a file splits into typed leaves and residuals; [`build`] the way back, from
//! JSON text and Arrow arrays to bytes.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)
)]
#![allow(
    clippy::unnecessary_lazy_evaluations,
    reason = "an error that is made and dropped unused shows in the look-up benchmark"
)]

pub mod build;
mod bytes;
pub mod cache;
pub mod convert;
pub mod error;
pub mod inside;
pub mod json;
pub mod list;
pub mod lookup;
pub mod metadata;
pub mod names;
mod number;
pub mod object;
pub mod path;
mod scan;
pub mod shred;
pub mod text;
pub mod validate;
pub mod value;

pub use error::Error;
pub use inside::{InsidePath, InsideStep};
pub use json::Budget;
pub use list::List;
pub use lookup::{Found, ResolvedPath};
pub use metadata::Metadata;
pub use object::Object;
pub use path::KeyPath;
pub use value::Node;
