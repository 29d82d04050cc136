//! A filter that proves that a value is nowhere: split-block bloom.
//!
//! The filter is that of Parquet, "Bloom filter" in its format documents: a value's hash picks a
//! block of 32 bytes and sets one bit in each of its eight words, so a look-up touches one cache
//! line. Values are hashed by XXH3 over what is equal for equal values: text and bytes as they are, the
//! unscaled value of a BIG_DECIMAL, and of any other type its code ([`crate::range::code`]).
//!
//! ```text
//! filter  = blocks, block count u32, "BLM1"
//!         | blocks, false positives u32, most bytes u32, block count u32, "BLM2"
//! block   : eight u32
//! ```
//! To the byte it is described in `docs/format/index-file.md`.
//!
//! Rooms, in reading order: `key` values to hashes; `block` hashes to bits; `layout` how large a filter
//! is, and what it ends with; `build` the builder; `view` the reader.

mod block;
mod build;
mod key;
mod layout;
#[cfg(test)]
mod tests;
mod view;

pub use build::BloomBuilder;
use layout::Layout;
pub use view::BloomView;

/// Bytes of a block.
const BLOCK_BYTES: usize = 32;
