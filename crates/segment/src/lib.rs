//! One Parquet file as a segment: columns, variant layout, statistics and exact reads.
//!
//! No query, index or network is known here: bytes come from a memory map, or from a source that fetches
//! ranges; Arrow arrays go out.
//! ```text
//! open -> footer cache -> columns -> bind (by field id) -> Source
//! Source x RowRanges -> pruned schema -> pages -> arrays as in the file -> column types of `schema`
//! ```
//! Rooms, in reading order: `open`, `thrift_check` and [`footer`] one file, mapped and parsed once;
//! [`remote`] files that are not mapped, and a disk cache of their blocks; [`page_cache`] pages that are
//! inflated already;
//! `schema` what its Parquet schema means; [`table`] what a table knows of the
//! file besides; [`segment`] the file, opened or [`closed`]; [`binding`] a table's column
//! or key in this file; [`read`] leaves and row ranges to arrays; [`encoded`] rows as ids into a
//! dictionary; `column` arrays as they are in the file to the types
//! of the engine; [`statistics`] what the footer proves about rows; [`describe`] a map for people;
//! [`discover`] the keys outside of typed columns; [`mod@write`] new files
//! with annotated VARIANT columns.
//!
//! Invariants: a query allocates per queried leaf, never per leaf of the file; only pages that hold
//! asked rows of asked leaves are read; damaged bytes are errors that name the place; rows of an
//! answer never depend on pages, row groups or shredding.
#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

mod bytes;
mod open;
pub mod page_cache;
pub mod remote;

pub mod footer;
mod thrift_check;

mod schema;

pub mod table;

pub mod closed;
pub mod segment;

pub mod binding;
mod column;
pub mod describe;
pub mod discover;
pub mod encoded;
pub mod error;
pub mod read;
pub mod statistics;
pub mod write;

pub use binding::Source;
pub use closed::{Closed, Layouts};
pub use describe::Description;
pub use discover::ResidualPaths;
pub use encoded::{Bits, Block, EncodedReader, EncodedStop, IdSet};
pub use error::{Error, Place};
pub use footer::FooterCache;
pub use growler_variant::KeyPath;
pub use growler_variant::shred::{DiscoveredPath, ValueClass, ValueClasses};
pub use growler_variant::shred::{KeyOutput, Layout, NonObjectRoot};
pub use page_cache::{PageCache, PageCounts};
pub use read::{Batch, BatchReader, ReadOptions};
pub use remote::{BlockCache, Delivery, RangeSource};
pub use segment::{RowGroup, Segment};
pub use statistics::Statistics;
pub use table::TableFile;
