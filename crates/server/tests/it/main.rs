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
#[path = "../../../table/tests/it/lake.rs"]
#[allow(dead_code, reason = "the tests of tables use all of it")]
mod lake;
mod limits;
mod queries;
mod race;
mod reload;
mod shadow;
mod shutdown;
mod sources;
mod tables;
