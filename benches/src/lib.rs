//! Benchmarks of growler: the tables they ask and the queries they ask them.
//!
//! Everything comes from a seed, nothing is downloaded. Rooms, in reading order: [`random`] numbers
//! that a seed and a row decide; [`event`] and [`bluesky`] the documents of the two tables;
//! [`generate`] rows to Parquet files in several layouts; [`queries`] the questions that
//! `benches/queries` holds; [`kernels`] the hottest loops, each alone.
//!
//! ```text
//! seed, row -> Event | bluesky text -> JSON text -> VARIANT batch --split by shape--> Parquet files
//!                                   \-> plain columns ---------------------------->
//! ```
#![allow(
    clippy::indexing_slicing,
    reason = "nothing here reads foreign bytes; a benchmark that cannot set up must stop"
)]

pub mod random;

pub mod bluesky;
pub mod event;

pub mod generate;

pub mod queries;

pub mod kernels;
