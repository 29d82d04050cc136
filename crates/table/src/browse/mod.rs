//! What a source has, before there is a table of it.
//!
//! Rooms: [`place`] where is looked; [`listing`] what was found.

pub mod listing;
pub mod place;

pub use listing::{Listing, browse};
pub use place::Place;
