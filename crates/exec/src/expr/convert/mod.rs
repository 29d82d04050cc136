//! Values from one form into another: text, numbers, time, arrays, types.
//!
//! Rooms, in reading order: [`decimal`] exact numbers; [`number`] text to numbers and back;
//! [`timestamp`] text to time and back; [`value`] one value to an array and back; [`cast`] arrays
//! of one type to another.

pub(crate) mod cast;
pub(crate) mod decimal;
pub(crate) mod number;
pub(crate) mod timestamp;
pub(crate) mod value;

pub(crate) use cast::cast;
