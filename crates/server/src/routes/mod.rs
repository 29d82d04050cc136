//! Routes, by what they are about.

pub mod console;
pub mod health;
pub mod queries;
pub mod reload;
pub mod router;
pub mod schemas;
pub mod segments;
pub mod tables;

pub use router::router;
