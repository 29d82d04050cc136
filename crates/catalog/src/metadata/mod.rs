//! Table metadata, format versions 1 to 3, as section "Table Metadata" of the Iceberg spec has it.
//!
//! The JSON document is kept as it was read, members that nobody here knows included; what is read
//! out of it is a model beside it. Rooms, in reading order: [`json`] typed members; [`types`] and
//! [`schema`] what columns are; [`default`] their defaults; [`transform`], [`partition`] and [`sort`]
//! how files are laid out; [`snapshot`] the table's states; [`name_mapping`] columns of files without
//! ids; [`table_metadata`] all of it.

pub mod default;
pub(crate) mod json;
pub mod name_mapping;
pub mod partition;
pub mod schema;
pub mod snapshot;
pub mod sort;
pub mod table_metadata;
pub mod transform;
pub mod types;

pub use default::InitialDefault;
pub use name_mapping::{MappedField, NameMapping};
pub use partition::{PartitionField, PartitionSpec};
pub use schema::{NestedField, Schema};
pub use snapshot::{RefKind, Snapshot, SnapshotRef};
pub use sort::{SortField, SortOrder};
pub use table_metadata::TableMetadata;
pub use transform::Transform;
pub use types::{ListType, MapType, PrimitiveType, Type};
