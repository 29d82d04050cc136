//! Tests of External Tables against the tables of other writers.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test does not expect fails it"
)]

mod store;
