//! Which files have no row that a predicate can hold for: sections "Scan Planning" and "Partition
//! Transforms" of the spec.
//!
//! Everything here is one-sided: a file is ruled out only where what is written down proves it;
//! evidence that is missing, cannot be read or is of another kind than the question keeps the file.
//! Rooms, in reading order: [`predicate`] the question; [`evidence`] what is known of some values;
//! [`murmur3`] and [`transform`] partition values; [`project`] a question about a column as one about
//! a partition; [`variant_bounds`] keys of variants; [`file_filter`] all of it for a file; [`file_set`],
//! [`ranges`] and [`file_index`] for all files of a plan, again and again.

pub mod evidence;
pub mod file_filter;
pub mod file_index;
mod file_set;
mod murmur3;
pub mod predicate;
pub mod project;
mod ranges;
pub mod transform;
pub(crate) mod variant_bounds;

pub use evidence::Evidence;
pub use file_filter::FileFilter;
pub use file_index::FileIndex;
pub use predicate::{Comparison, Predicate, Test, VariantPath};
