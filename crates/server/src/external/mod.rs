//! External Tables: tables that follow a catalog or a folder.
//!
//! ```text
//! POST /sql/ddl, /tables, /tables/preview -> tables (trait): read the source
//! clock, POST /tasks/.. -> watchers: which table is due -> tables: one run -> engine
//! ```
//! Rooms: [`tables`] what is asked of the one who follows; [`watchers`] the threads that run it;
//! [`watched`] what they know of each table; [`restoring`] a table
//! that is to be served again after a restart; [`task`] what was asked for, by name.

pub mod restoring;
pub mod tables;
pub mod task;
pub mod watched;
pub mod watchers;

pub use tables::{ExternalParts, ExternalTables};
pub use task::Task;
pub use watchers::Watchers;
