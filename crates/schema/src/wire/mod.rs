//! JSON of Pinot schemas and table configs, member by member.
//!
//! These structs hold what a client sent, so that it can be handed back unchanged, members that
//! growler does not know included. What the engine works with is made of them in
//! [`crate::convert`].

pub mod field_config;
pub mod schema;
pub mod table_config;

pub use field_config::{FieldConfigJson, OpenStructJson};
pub use schema::{FieldSpecJson, SchemaJson};
pub use table_config::{SourceJson, TableConfigJson};
