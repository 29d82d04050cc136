//! Pinot table schemas, table configs, data types and the mapping from Parquet.
//!
//! No file is opened here. Rooms, in reading order: [`data_type`] the engine's types;
//! [`value`] one value outside an array (defaults, literals); [`field`] and [`table_schema`] what a
//! table has; [`key_type`] the one type a VARIANT key has in a query; [`source_type`] Parquet types
//! and what they map to.

pub mod data_type;
pub mod error;
pub mod field;
pub mod key_type;
pub mod source_type;
pub mod table_schema;
pub mod validate;
pub mod value;

pub use data_type::{ColumnType, DataType, TimeUnit};
pub use error::Error;
pub use field::{Field, FieldRole};
pub use key_type::KeyType;
pub use source_type::SourceType;
pub use table_schema::TableSchema;
pub use value::Value;
