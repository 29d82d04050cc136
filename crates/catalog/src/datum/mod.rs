//! One value outside of a file: a partition constant, a bound, a default, a literal.
//!
//! Rooms, in reading order: [`value`] the value and its binary form; [`order`] how two compare;
//! [`engine`] to and from the engine's values.

pub mod engine;
pub mod order;
pub mod value;

pub use value::{Datum, DatumRef};
