//! One value outside of a file: a partition constant, a bound, a default, a literal.
//!
//! Rooms, in reading order: [`value`] the value and its binary form; [`order`] how two compare;
//! [`engine`] to and from the engine's values; `stored` and `hex_bytes` as they are written down.

pub mod engine;
pub(crate) mod hex_bytes;
pub mod order;
mod stored;
pub mod value;

pub use value::{Datum, DatumRef};
