//! The range index: which rows hold a value between two bounds, exactly, without reading values.
//!
//! Values become *codes*, `u64`s in the same order ([`code`]); BIG_DECIMAL, text and bytes take part
//! by their ranks in the dictionary. Every 65,536 rows are a *chunk* of their own: of its rows that
//! have a value the differences to the chunk's least code are stored, cut into *slices*. Slice `i`
//! holds bit `i` of each; a slice that is zero in all rows is left out. (None is one in all rows: the
//! least code differs by zero.) A comparison folds the slices from the highest down, 512 rows at a
//! time, in registers, until no row is undecided.
//!
//! ```text
//! blob    | chunk 0 | chunk 1 | ...        | directory | footer
//! chunk   | presence | group 0: the 4 highest stored slices | group 1: the next 4 | ..
//! group   | block 0 | block 1 | ..        of 512 rows that have a value, the last one padded
//! block   | its highest slice in the group | next lower one | ..        64 bytes each
//! ```
//! To the byte it is described in `docs/format/index-file.md`.
//!
//! Rooms, in reading order: `code` values as codes and bounds as spans; `build` the builder; `slices`
//! from codes to slices; `directory` one chunk's entry; `view` the reader; `compare` the comparison
//! of a block; `spread` from rows that have a value to all rows.

mod build;
pub mod code;
mod compare;
mod directory;
mod slices;
mod spread;
#[cfg(test)]
mod tests;
mod view;

pub use build::RangeBuilder;
pub use code::Span;
pub use view::RangeView;

use crate::row_set::CHUNK_WORDS;

/// Rows in a chunk.
const CHUNK_ROWS: usize = 64 * CHUNK_WORDS;
/// Rows in a block: a slice of it fills one cache line.
const BLOCK_ROWS: usize = 512;
/// 64-bit words of a slice of a block.
const BLOCK_WORDS: usize = BLOCK_ROWS / 64;
/// Bytes of a slice of a block.
const BLOCK_BYTES: usize = BLOCK_ROWS / 8;
/// Slices of a block that lie side by side; most comparisons are decided by the first few groups.
const GROUP: usize = 4;
/// Blocks in a chunk.
const CHUNK_BLOCKS: usize = CHUNK_ROWS / BLOCK_ROWS;
