//! Rows as they are: the first ones, or chosen ones.
//!
//! Rooms: [`rows`] the first rows that pass; [`pieces`] arrays of results put together.

pub mod pieces;
pub mod rows;

pub use pieces::Pieces;
pub use rows::SelectPartial;
