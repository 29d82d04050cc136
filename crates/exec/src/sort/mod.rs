//! ORDER BY: rows compared as bytes.
//!
//! Rooms: [`order`] arrays to comparable rows, and the order of results; [`top`] the first rows of an
//! order, without the others.

pub mod order;
pub mod top;

pub use order::Order;
pub use top::{Candidate, Top, TopPartial};
