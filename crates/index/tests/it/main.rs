//! Indexes, built, written and read back.

mod builder;
mod compat;
mod damage;
mod filters;
mod model;
mod posting;
mod row_set;
mod writer;
