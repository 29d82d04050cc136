//! `growler inspect`: how a file is laid out, and which VARIANT keys are fast; what an Iceberg table has.
//!
//! Rooms: [`map`] what is told; [`mod@file`], [`leaf`], [`levels`], [`variant`] [`residual`] and [`indexes`] finding
//! it out; [`text`], [`keys`] (with [`table`] and
//! [`bar`]) and [`json`] telling it; [`lake`] both for a table.

mod bar;
mod command;
mod file;
mod indexes;
mod json;
mod keys;
mod lake;
mod leaf;
mod levels;
mod map;
mod residual;
pub mod table;
pub mod text;
mod variant;

pub use command::run;
