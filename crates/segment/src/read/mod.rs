//! Asked rows of asked sources, as arrays.
//!
//! `plan` which leaves each source needs in a row group; `pruned_schema` a Parquet schema of just
//! these; `pages` their column chunks, checked against the file and by `delta_check`; `held` and `ahead` the bytes
//! of these, where a file is not mapped; `batch` the reader that puts them together. `facts` and `page_index` are what is known before data is read, worked out on first use.

pub(crate) mod ahead;
pub(crate) mod batch;
pub(crate) mod batch_rows;
pub(crate) mod delta_check;
pub(crate) mod facts;
pub(crate) mod guard;
pub(crate) mod held;
pub(crate) mod page_index;
pub(crate) mod pages;
pub(crate) mod plan;
pub(crate) mod pruned_schema;

pub use batch::{Batch, BatchReader, ReadOptions};
