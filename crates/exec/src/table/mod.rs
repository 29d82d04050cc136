//! Tables as queries see them: the files found, one schema over them, the type of each key.
//!
//! Rooms: [`discover`] the files of a path, folder or glob; [`member`] one file of a table that says
//! more of it; [`view`] the segments and the schema that a query is pinned to; [`prune`] files that a
//! query leaves closed; [`error`] why a table cannot be opened.

pub mod discover;
pub mod error;
pub mod member;
pub mod prune;
pub mod view;

pub use error::OpenError;
pub use member::Member;
pub use prune::FilePruner;
pub use view::View;
