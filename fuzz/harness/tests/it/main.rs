//! Replays the seeds and every input that once broke a promise.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod mutated;
mod replay;
