//! Rules that schemas and table configs must keep.
//!
//! Every breach is collected before anything is refused, so that one round mends all of them.

pub mod date_time;
pub mod errors;
pub mod indexes;
pub mod schema;
pub(crate) mod settings;
pub mod table_config;

pub use errors::ValidationErrors;
pub(crate) use schema::schema;
pub(crate) use table_config::table_config;
