//! Schemas and table configs as clients send them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod index_plan;
mod infer;
mod properties;
mod schema_json;
mod table_config;
