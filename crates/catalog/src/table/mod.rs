//! One table: finding its metadata, planning what a snapshot reads, and applying deletes.
//!
//! Rooms, in reading order: [`version`] which metadata file is the newest; [`open`] the table;
//! [`plan`] its files at one snapshot; [`scan`] listing them, of [`manifests`], which [`manifest_cache`]
//! keeps; [`delete_index`] which deletes apply to which; [`deletion_vector`], [`positions`] and [`equality`] what deletes hold; [`row_deletes`] the rows of
//! a file that are gone.

pub(crate) mod delete_index;
pub mod deletion_vector;
pub mod equality;
pub mod manifest_cache;
mod manifests;
pub mod open;
pub mod plan;
pub mod positions;
pub mod reader;
pub mod row_deletes;
pub mod scan;
pub(crate) mod version;

pub use manifest_cache::ManifestCache;
pub use open::IcebergTable;
pub use plan::{DataFile, DeleteFile, DeleteKind, Plan, PlanStats, ScanOptions, SnapshotSelector};
pub use reader::{DeleteReader, KeyColumn, Missing, VisitPosition, VisitRow};
pub use row_deletes::RowDeletes;
