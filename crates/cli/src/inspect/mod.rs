//! `growler inspect`: how a file is laid out, and which VARIANT keys are fast.
//!
//! Rooms: [`map`] what is told; [`file`], [`leaf`], [`levels`], [`variant`] and [`residual`] finding
//! it out; [`text`], [`keys`] and [`json`] telling it.

mod command;
mod file;
mod json;
mod keys;
mod leaf;
mod levels;
mod map;
mod residual;
mod text;
mod variant;

pub use command::run;
