//! External Tables: tables that come from an Iceberg catalog, or from a folder of Parquet files, and
//! follow it.

pub mod evolve;
pub mod store;
