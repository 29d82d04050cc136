//! Tests of External Tables against the tables of other writers.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test does not expect fails it"
)]

mod config;
mod cron;
mod ddl;
mod answers;
mod evolve;
mod expected;
#[path = "../../../catalog/tests/it/samples.rs"]
#[allow(dead_code, reason = "shared with the tests of the catalog")]
mod samples;
mod steps;
mod store;
