//! Data that the benches of this crate share.
#![allow(dead_code, reason = "no bench uses all of it")]

pub mod columns;
pub mod rows;
