//! Segments read whole files that other engines, and the `parquet` crate, wrote.

mod damage;
mod nested;
mod pack;
mod reading;
mod selection;
mod types;
mod writing;
