//! Sets of rows of one segment, in chunks of 65,536 rows.
//!
//! A chunk is an array of positions, a bitmap of 8 KiB or a list of runs, as a container of the
//! Roaring format is. Rooms: `container` one chunk's rows; `set` the whole set; `algebra` and, or,
//! without; `fill` windows as bitmaps; `iter` rows in order; `builder` rows in order to a set;
//! `union` many small sets to one.

mod algebra;
mod builder;
mod container;
mod fill;
mod intersect;
mod iter;
mod runs;
mod set;
mod union;

pub use builder::RowSetBuilder;
pub use iter::Rows;
pub use set::RowSet;

pub(crate) use container::{ARRAY_ROWS, Bits, Container, Run};
pub use container::{CHUNK_ROWS, CHUNK_WORDS};
pub(crate) use union::Union;
