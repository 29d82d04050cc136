//! The server over a listening socket; the engine is a double unless a test says otherwise.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed helper is a failed test"
)]

mod client;
mod connections;
mod ddl;
mod double;
mod engine;
mod external;
mod indexes;
mod limits;
mod queries;
mod reload;
mod shadow;
mod shutdown;
mod sources;
mod tables;
