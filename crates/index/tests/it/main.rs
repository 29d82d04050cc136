//! Indexes, built, written and read back.

mod builder;
mod damage;
mod model;
mod posting;
mod row_set;
mod writer;
