//! ORDER BY: rows compared as bytes.
//!
//! Rooms: [`order`] arrays to comparable rows, and the order of results; [`top`] the first rows of an
//! order, without the others; [`bar`] what a row needs to be among them; [`leaders`] those that all
//! workers have found so far; [`partial`] those of one morsel; [`promise`] what statistics tell of it
//! all beforehand.

pub mod bar;
pub mod leaders;
pub mod order;
pub mod partial;
pub mod promise;
pub mod top;

pub use bar::{Bar, Bars};
pub use leaders::Leaders;
pub use order::Order;
pub use partial::TopPartial;
pub use top::{Candidate, Ties, Top};
