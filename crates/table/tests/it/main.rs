//! Tests of External Tables against the tables of other writers.

mod evolve;
mod store;
