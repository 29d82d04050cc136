//! `growler sync` and `growler status`: External Tables of a server that runs.
//!
//! Rooms, in reading order: [`arguments`] the command line; [`client`] calls over HTTP; [`sync`] a
//! run asked for and followed; [`status`] how far a table is; [`text`] the same for people.

pub mod arguments;
pub mod client;
pub mod status;
pub mod sync;
pub mod text;

pub use arguments::{StatusArguments, SyncArguments};
