//! Which files no row of can satisfy a predicate: sections "Scan Planning" and "Partition Transforms".
//!
//! Everything here is one-sided: a file is ruled out only where what is written down proves it;
//! evidence that is missing, cannot be read or is of another kind than the question keeps the file.
//! Rooms, in reading order: [`predicate`] the question; [`evidence`] what is known of some values;
//! [`murmur3`] and [`transform`] partition values; [`project`] a question about a column as one about
//! a partition; [`variant_bounds`] keys of variants; [`file_filter`] all of it for a file.

pub mod evidence;
pub mod file_filter;
mod murmur3;
pub mod predicate;
pub mod project;
pub mod transform;
pub mod variant_bounds;

pub use evidence::Evidence;
pub use file_filter::FileFilter;
pub use predicate::{Comparison, Predicate, Test, VariantPath};
