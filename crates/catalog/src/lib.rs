//! Iceberg tables: which files a table has, what to delete from them, and which to leave closed.
//!
//! No Parquet file is opened here: files come through [`Files`], and what Parquet files hold through
//! [`DeleteReader`], which a caller brings. Only [`rest`] and [`objects`] touch the network. The whole way:
//!
//! ```text
//! folder or *.metadata.json --IcebergTable::open--> TableMetadata --scan_plan--> Plan
//!                                                        |                        |
//!                        convert::to_table_schema <------+     DataFile: path, constants, bounds, deletes
//!                               |                                                 |
//!                          TableSchema                   FileIndex::matching       RowDeletes::of
//! ```
//!
//! Rooms, in reading order: [`rest`] a catalog's tables over HTTP; [`files`], [`objects`] and
//! [`location`] where bytes are; [`datum`] single values;
//! [`metadata`] the table's own document; [`manifest`] lists of files; [`table`] opening, planning
//! and deletes; [`prune`] which files a predicate rules out; [`convert`] columns as the engine has
//! them.
//!
//! What holds throughout: columns are found by field id, never by position; evidence that is missing
//! or cannot be read keeps a file; whatever the bytes say, the answer is right or an [`Error`].
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)
)]

mod aws;
mod blocking;
pub mod convert;
pub mod datum;
pub mod error;
pub mod files;
pub mod ids;
pub mod location;
pub mod manifest;
pub mod metadata;
pub mod objects;
pub mod prune;
pub mod rest;
pub mod secret;
pub mod table;

pub use datum::{Datum, DatumRef};
pub use error::{Error, FileKind};
pub use files::{Files, LocalFiles};
pub use ids::{SchemaId, SequenceNumber, SnapshotId, SpecId};
pub use location::Relocation;
pub use metadata::{PrimitiveType, Schema, TableMetadata};
pub use objects::{ObjectFiles, Storage};
pub use prune::{FileFilter, FileIndex, Predicate};
pub use secret::{Properties, Secret};
pub use table::{
    DeleteReader, IcebergTable, ManifestCache, Plan, RowDeletes, ScanOptions, SnapshotSelector,
};
