//! Pinot table schemas, table configs, data types and the mapping from Parquet.
//!
//! No file is opened here. Rooms, in reading order: [`data_type`] the engine's types;
//! [`value`] one value outside an array (defaults, literals); [`field`] and [`table_schema`] what a
//! table has; [`table_config`] what it is configured to; [`index_plan`]
//! the indexes it wants; [`key_type`] the one type a VARIANT key has
//! in a query; [`source_type`] Parquet types and what they map to; [`infer`] one schema for many
//! files; [`wire`] the JSON of schemas and configs; [`default_null`] the JSON of a default null
//! value; [`validate`] what is refused; [`convert`] from JSON to engine types and back.
//!
//! A table over files comes about like this:
//! ```text
//! SchemaJson, TableConfigJson --convert, validate--> TableSchema, TableConfig
//!                                                        |
//! files' SourceTypes --Field--> infer::merge_fields --infer::complete--> the table's schema
//! ```

pub mod convert;
pub mod data_type;
pub mod default_null;
pub mod error;
pub mod field;
pub mod index_plan;
pub mod infer;
pub mod key_type;
pub mod source_type;
pub mod table_config;
pub mod table_schema;
pub mod validate;
pub mod value;
pub mod wire;

pub use data_type::{ColumnType, DataType, TimeUnit};
pub use error::Error;
pub use field::{Field, FieldRole};
pub use index_plan::IndexPlan;
pub use key_type::KeyType;
pub use source_type::SourceType;
pub use table_config::TableConfig;
pub use table_schema::TableSchema;
pub use validate::ValidationErrors;
pub use value::Value;
