//! Distinct values, and distinct tuples of values, numbered in the order they first appear.
//!
//! Rooms: [`canonical`] equal values made identical; [`fixed`] numbers; [`text`] text and bytes, once
//! per dictionary entry; [`pairs`] tuples as pairs of numbers; [`grouper`] all of them behind one door;
//! [`mod@explode`] rows of multi-value keys; [`partial`] groups with the
//! states of their aggregates; `whole` those of a segment that its indexes tell; `encoded` those of rows
//! that are stored as ids.

pub mod canonical;
mod encoded;
pub mod explode;
mod fixed;
pub mod grouper;
mod pairs;
pub mod partial;
mod text;
mod whole;

pub use explode::{Exploded, explode};
pub use grouper::Grouper;
pub use partial::GroupPartial;
