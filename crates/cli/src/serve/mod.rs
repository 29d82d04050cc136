//! `growler serve`: tables over HTTP until a signal.
//!
//! Rooms: [`command`] from arguments to a configuration; [`backend`] the engine as the server sees
//! it; [`listen`] from a configuration to a running server.

mod backend;
mod command;
mod listen;

pub use command::{run, samples};
