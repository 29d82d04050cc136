//! Schemas and table configs as clients send them.

mod infer;
mod schema_json;
mod table_config;
