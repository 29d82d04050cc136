//! Inflated pages, kept for the next query.
//!
//! A scan of a compressed column takes most of its time inflating pages, the same ones query after
//! query. [`PageCache`] keeps them within a bound; `File` is one opened file's share of it; `reader`
//! stands before a page reader and hands out what is kept.

mod admission;
mod cache;
mod file;
mod reader;

pub use cache::{PageCache, PageCounts};
pub(crate) use file::File;
pub(crate) use reader::{Cached, CachedPages};
