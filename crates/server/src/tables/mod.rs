//! Schemas and tables that the server knows, and where it keeps them.
//!
//! ```text
//! POST /tables -> catalog: infer, check -> store (temporary file) -> engine -> store (rename)
//! start        -> catalog: config file's tables, then the store's
//! ```

pub mod catalog;
pub mod changes;
mod check;
pub mod compatibility;
pub mod store;

pub use catalog::Catalog;
pub use changes::{SchemaWrite, TableWrite};
