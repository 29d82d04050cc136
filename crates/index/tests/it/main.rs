//! Indexes, built, written and read back.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]
#![allow(
    clippy::single_range_in_vec_init,
    reason = "ranges of ranks are asked for in lists, of one too"
)]

mod builder;
mod compat;
mod damage;
mod filters;
mod json;
mod model;
mod posting;
mod row_set;
mod writer;
