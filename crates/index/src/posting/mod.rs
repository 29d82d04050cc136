//! One set of rows in the file, in the portable bytes of the Roaring format.
//!
//! The layout is that of <https://github.com/RoaringBitmap/RoaringFormatSpec>, version of the two
//! cookies:
//! ```text
//! without runs: cookie 12346 u32, containers u32
//! with runs   : cookie 12347 u16, containers - 1 u16, a bit a container: is it runs?
//! then        : a container: key u16, rows - 1 u16
//! unless there are runs and fewer than four containers: offset u32 a container
//! then        : array (u16 a row) up to 4,096 rows, else 8 KiB of bits; or runs: count u16,
//!               then (first u16, length - 1 u16) a run
//! ```

mod view;
mod writer;

pub use view::Posting;
pub(crate) use writer::{PostingWriter, portable};

/// Cookie of bytes without runs.
const PLAIN: u32 = 12_346;
/// Cookie of bytes with runs.
const WITH_RUNS: u16 = 12_347;
/// Containers from which offsets are written even where there are runs.
const OFFSETS_FROM: usize = 4;
/// Bytes of a bitmap.
const BITS_LEN: usize = 8192;
