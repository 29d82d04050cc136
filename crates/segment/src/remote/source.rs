//! Bytes of one immutable file, by ranges.

use std::fmt;
use std::io;
use std::ops::Range;

use bytes::Bytes;
use growler_base::Interrupt;

/// What is done with ranges that were read, or with why they are not to be had. Dropped undone where
/// the reading broke off.
pub type Delivery = Box<dyn FnOnce(io::Result<Vec<Bytes>>) + Send>;

/// One immutable file whose bytes are fetched.
pub trait RangeSource: fmt::Debug + Send + Sync {
    /// Returns the length of the file, in bytes.
    fn len_bytes(&self) -> u64;

    /// Returns what tells this version of the file from others of the same place and length, as far as
    /// anything does.
    fn tag(&self) -> Option<&str>;

    /// Returns whose credentials it reads with: sources of different readers share no opened file, so
    /// that one whose credentials were mended, or are wrong, does not go by another's.
    fn reader(&self) -> u64 {
        0
    }

    /// Reads ranges, which lie inside the file, in the order asked; as many at a time as is good, and
    /// ranges close to each other together. Ends with the caller's [`Interrupt`].
    ///
    /// # Errors
    /// Why the bytes are not to be had; a range that came back short is one too.
    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Bytes>>;

    /// Reads ranges that others may come to wait for as well: to the end, whatever becomes of the caller.
    /// A source that waits does so elsewhere, and returns at once.
    fn deliver_ranges(&self, ranges: Vec<Range<u64>>, delivery: Delivery) {
        delivery(Interrupt::within(None, || self.read_ranges(&ranges)));
    }
}
