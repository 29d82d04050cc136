//! The catalog client and the object store against doubles in this process, which drop answers, page,
//! expire tokens, stall, and say no.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test does not expect fails it"
)]

mod answers;
mod auth;
mod catalog;
mod double;
mod failing;
mod lists;
mod loads;
mod objects;
mod signed;
mod store;
