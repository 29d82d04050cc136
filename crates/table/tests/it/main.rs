//! Tests of External Tables against the tables of other writers.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test does not expect fails it"
)]

mod answers;
#[path = "../../../catalog/tests/net/store.rs"]
#[allow(dead_code, reason = "shared with the tests of the catalog")]
mod bucket;
mod cases_j;
mod cases_k;
mod cases_l;
mod closed;
mod config;
mod cron;
mod ddl;
mod documents;
#[path = "../../../catalog/tests/net/double.rs"]
#[allow(dead_code, reason = "shared with the tests of the catalog")]
mod double;
mod evolve;
mod expected;
mod handmade;
mod killed;
mod lake;
#[path = "../../../catalog/tests/it/made.rs"]
#[allow(dead_code, reason = "shared with the tests of the catalog")]
mod made;
mod many;
mod remote;
#[path = "../../../catalog/tests/it/samples.rs"]
#[allow(dead_code, reason = "shared with the tests of the catalog")]
mod samples;
mod steps;
mod store;
mod sync;
mod world;
