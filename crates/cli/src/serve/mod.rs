//! `growler serve`: tables over HTTP until a signal.
//!
//! Rooms: [`command`] from arguments to a configuration; [`listen`] from a configuration to a
//! running server.

mod command;
mod listen;

pub use command::{run, samples};
