//! From what an External Table is told to its source and its files.
//!
//! Nothing is sent until the source is asked: a server starts while a catalog is away.
//!
//! Rooms: [`connected`] the way in; `rest` a table of a catalog; `segments` how its files are opened;
//! [`preview`] what a source would be as a table.

pub mod connected;
pub mod preview;
mod rest;
mod segments;

pub use connected::{Connected, Patience};
pub use preview::{Preview, preview};
