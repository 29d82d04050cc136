//! A posting for each rank of a dictionary.
//!
//! A *long* posting has portable bytes; a *short* one is a list of rows in as many bits as a row
//! of the segment takes, which beats the 18 bytes that the smallest portable one has. The rows of short
//! postings lie one after the other in the order of ranks, so those of a range of ranks are one
//! piece, and where each begins follows from the counts.
//! ```text
//! inverted = portable, short, counts, long, footer
//! portable : the portable bytes of long postings, in the order of ranks
//! short    : rows of short postings, packed; eight bytes of zeros
//! counts   : for each rank the rows of all ranks before it, and in the end of all: a sequence, or
//!            marks; not there when every rank has exactly one row
//! long     : a long posting: rank u32, rows of long postings before it u32, offset u64
//! footer   : lengths u64 of portable, short, counts, long; rows of short postings u64;
//!            ranks u32; bits a row u16; form of counts u16: 0 sequence, 1 marks
//! ```
//! Rooms: `counts` and `marks` where ranks begin, `counts_writer` how that is written; `view`; `writer`.

mod counts;
mod counts_writer;
mod marks;
#[cfg(test)]
mod tests;
mod view;
mod writer;

pub(crate) use view::Inverted;
pub(crate) use writer::InvertedWriter;

/// Bytes of the footer.
const FOOTER: usize = 48;
/// Bytes of the entry of a long posting.
const LONG: usize = 16;
/// Counts are a sequence.
const SEQUENCE: u64 = 0;
/// Counts are marks.
const MARKS: u64 = 1;
