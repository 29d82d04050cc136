//! Segments read whole files that other engines, and the `parquet` crate, wrote.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test does not expect fails it"
)]

mod cache;
mod conformance;
mod damage;
mod description;
mod discover;
mod encoded;
mod expected;
mod nested;
mod pack;
mod page_cache;
mod partial;
mod reading;
mod remote;
mod selection;
mod statistics;
mod types;
mod writing;
mod written;
