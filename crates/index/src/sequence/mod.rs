//! Numbers in few bits, read in place.
//!
//! Rooms: `packed` numbers of one width; `writer` and `view` sequences in blocks, each with a base
//! and a width of its own: small where neighbours are close, as in sorted ones.
//! ```text
//! sequence = data, headers, footer
//! data     : a block's numbers less their base, packed; eight bytes of zeros at the end
//! headers  : a block: base u64, (offset in data << 8 | width) u64
//! footer   : count u64
//! ```
//! Footers, as data streams out while headers are still unknown.

mod packed;
mod view;
mod writer;

pub(crate) use packed::{Packed, Packer, packed_len, width};
pub(crate) use view::Sequence;
pub(crate) use writer::SequenceWriter;

/// Numbers of a block.
pub(crate) const BLOCK: usize = 128;
/// Bytes of a block's header.
const HEADER: usize = 16;
/// Bytes of the footer.
const FOOTER: usize = 8;
/// Zeros behind packed numbers, so that eight bytes may be loaded at each.
const PADDING: usize = 8;
