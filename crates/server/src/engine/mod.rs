//! The engine as the server's backend.
//!
//! Rooms: [`engine_backend`] tables and queries; [`serving`] what is served; [`sources`] tables that follow
//! sources; [`table_reload`] a table pinned to be reloaded, and how
//! its segments are published; [`segment_metadata`] what is told of one; [`leftovers`] of killed servers.

pub mod engine_backend;
mod leftovers;
mod segment_metadata;
mod serving;
mod sources;
mod table_reload;

pub use engine_backend::EngineBackend;
