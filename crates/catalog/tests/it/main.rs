//! Tables as other engines write them, tables made to harm, and deletes against a naive reader.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test does not expect fails it"
)]

mod deletes;
mod hostile;
mod made;
mod manifests;
mod metadata;
mod pack;
mod pruning;
mod samples;
mod schemas;
mod soundness;
