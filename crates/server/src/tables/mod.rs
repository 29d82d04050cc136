//! Schemas and tables that the server knows, and where it keeps them.
//!
//! ```text
//! POST /tables -> check: config, files or source -> prepare -> keep -> swap
//! start        -> catalog: config file's tables, then the kept ones
//! ```
//! What fails before it is kept changed nothing; what is kept is served.

pub mod catalog;
pub mod changes;
mod check;
pub mod compatibility;
pub mod external;
pub mod keep;
mod load;
pub mod onboard;

pub use catalog::Catalog;
pub use changes::{SchemaWrite, TableWrite};
