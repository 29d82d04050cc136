//! Indexes of one segment: built over the values a slot reads, kept in one file, read in place.
//!
//! No Parquet, SQL or network is known here, and no thread is started: arrays of values go in, in row order;
//! sets of rows come out. An index is asked with the very test a scan would run, over its distinct
//! values, so it cannot change an answer.
//! ```text
//! arrays -> ValueBuilder -> blobs -> IndexWriter -> one file a segment
//! file -> SegmentIndexes -> ValueIndex -> Dictionary: values -> ranks -> postings -> RowSet
//! ```
//! Rooms, in reading order: [`subject`] what is indexed and how; [`identity`] of which file;
//! [`row_set`] sets of rows and their algebra; [`order`] values as ordered numbers; `sequence` numbers
//! in few bits; `wide` loops for wide registers; [`posting`] one set of rows in the file; [`dictionary`] the sorted values;
//! `inverted` a posting for each of them; [`range`] slices of bits; [`bloom`] proofs of absence;
//! `format` the file, byte by byte; [`read`] a file opened; [`mod@write`] a file written; [`build`]
//! values to blobs; [`json`] the paths of documents to blobs.
//!
//! Invariants: an open reads header and directory only; a blob's checksum is checked on first use
//! and the verdict kept; no byte of a file is trusted, a damaged one is an error and never a panic,
//! a wrong allocation or an endless loop; building holds to its budget and spills beyond.
#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

pub mod error;
pub mod identity;
pub mod subject;

pub mod order;
pub mod row_set;
mod sequence;
mod wide;

pub mod bloom;
pub mod dictionary;
mod inverted;
pub mod posting;
pub mod range;

pub mod build;
mod format;
pub mod json;
pub mod read;
pub mod write;

pub use build::{Budget, Built, ValueBuilder};
pub use dictionary::Dictionary;
pub use error::Error;
pub use identity::SourceIdentity;
pub use json::{JsonBudget, JsonBuilder};
pub use posting::Posting;
pub use read::{Entry, Remainder, SegmentIndexes, ValueIndex};
pub use row_set::{RowSet, RowSetBuilder};
pub use subject::{Kind, Kinds, Reading, Subject};
pub use write::IndexWriter;
