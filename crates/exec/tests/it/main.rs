//! Integration tests of the engine.

mod explain;
mod response;
mod sql;
