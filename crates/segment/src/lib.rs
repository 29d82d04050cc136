//! One Parquet file as a segment: columns, variant layout, statistics and exact reads.
//!
//! No query, index or network is known here: bytes come from a memory map, Arrow arrays go out.
//! ```text
//! open -> footer cache -> columns -> bind (by field id) -> Source
//! Source x RowRanges -> pruned schema -> pages -> arrays as in the file -> column types of `schema`
//! ```
//! Rooms, in reading order: [`open`] and [`footer`] one file, mapped and parsed once;
//!
//! Invariants: a query allocates per queried leaf, never per leaf of the file; only pages that hold
//! asked rows of asked leaves are read; damaged bytes are errors that name the place; rows of an
//! answer never depend on pages, row groups or shredding.

pub mod binding;
pub mod error;
pub mod footer;
mod pending;
pub mod read;
pub mod segment;
pub mod statistics;

pub use binding::Source;
pub use error::{Error, Place};
pub use footer::FooterCache;
pub use pending::{KeyOutput, KeyPath, Layout, NonObjectRoot};
pub use read::{Batch, BatchReader, ReadOptions};
pub use segment::{RowGroup, Segment};
pub use statistics::Statistics;
