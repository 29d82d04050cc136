//! Tables as queries see them: the files found, one schema over them, the type of each key.
//!
//! Rooms: [`discover`] the files of a path, folder or glob; [`view`] the segments and the schema that
//! a query is pinned to; [`error`] why a table cannot be opened.

pub mod discover;
pub mod error;
pub mod view;

pub use error::OpenError;
pub use view::View;
