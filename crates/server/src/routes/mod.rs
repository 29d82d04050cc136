//! Routes, by what they are about.

pub mod console;
pub mod ddl;
pub mod external;
pub mod health;
pub mod queries;
pub mod reload;
pub mod router;
pub mod schemas;
pub mod segments;
pub mod tables;
pub mod tasks;

pub use router::router;
