//! External Tables: tables that come from an Iceberg catalog, or from a folder of Parquet files, and
//! follow it.

pub mod access;
pub mod browse;
pub mod config;
pub mod connect;
pub mod ddl;
pub mod evolve;
pub mod iceberg;
pub mod store;
pub mod sync;
