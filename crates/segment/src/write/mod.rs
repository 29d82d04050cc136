//! Writing a Parquet file whose VARIANT columns carry the annotation.
//!
//! Arrow batches go in; a field made by [`variant_field`], at any depth, becomes a group annotated
//! VARIANT(1) with the repetitions that the specification asks for. [`options`] says how the file
//! is cut.

mod annotate;
pub mod options;
mod writer;

pub use annotate::variant_field;
pub use options::WriteOptions;
pub use writer::Writer;
