//! The chunk directory and the footer of a range index.
//!
//! ```text
//! entry (40)   payload offset u64 | least code u64 | greatest code u64 | stored slices u64 |
//!              rows with a value u32 | 0 u32
//! footer (16)  row count u32 | rows a chunk u32 | "RNG1" | 0 u32
//! ```
//! All little-endian; entry `i` is chunk `i`'s.

use growler_base::{Cursor, OutOfBytes};

use super::{BLOCK_BYTES, BLOCK_ROWS, CHUNK_ROWS, slices::Frame};
use crate::Error;

pub(super) const ENTRY_BYTES: usize = 40;
pub(super) const FOOTER_BYTES: usize = 16;
const MAGIC: [u8; 4] = *b"RNG1";
/// Most rows of a chunk whose presence is a list of positions; 8 KiB of bits are as long.
const LISTED_ROWS: usize = 4096;

/// One chunk as the directory has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Where its payload starts in the blob.
    pub offset: u64,
    /// Least and greatest code; slices that are not stored are zero in all rows.
    pub frame: Frame,
    /// Rows that have a value.
    pub present: u32,
}

/// How a chunk says which of its rows have a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// All have one: nothing is stored.
    All,
    /// Their positions, ascending `u16`s.
    Listed,
    /// A bit each.
    Bits,
}

impl Entry {
    pub fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        let fields = [
            self.offset,
            self.frame.min,
            self.frame.max,
            self.frame.stored,
            self.present.into(),
        ];
        for (place, field) in bytes.chunks_exact_mut(8).zip(fields) {
            place.copy_from_slice(&field.to_le_bytes());
        }
        bytes
    }

    /// Reads entry `idx` of a directory.
    pub fn read(directory: &[u8], idx: usize) -> Option<Self> {
        let start = idx.checked_mul(ENTRY_BYTES)?;
        let bytes = directory.get(start..)?.first_chunk::<ENTRY_BYTES>()?;
        let (fields, _) = bytes.as_chunks::<8>();
        let [offset, min, max, stored, present] = fields else {
            return None;
        };
        let frame = Frame {
            min: u64::from_le_bytes(*min),
            max: u64::from_le_bytes(*max),
            stored: u64::from_le_bytes(*stored),
        };
        Some(Self {
            offset: u64::from_le_bytes(*offset),
            frame,
            present: u32::try_from(u64::from_le_bytes(*present)).ok()?,
        })
    }

    /// Returns how a chunk of `rows` rows says which of them have a value.
    pub fn presence(&self, rows: usize) -> Presence {
        match usize::try_from(self.present) {
            Ok(present) if present == rows => Presence::All,
            Ok(present) if present <= LISTED_ROWS => Presence::Listed,
            _ => Presence::Bits,
        }
    }

    /// Returns the bytes of the presence, and of all stored slices of a block.
    pub fn lens(&self, rows: usize) -> (usize, usize) {
        let present = usize::try_from(self.present).unwrap_or(CHUNK_ROWS);
        let presence = match self.presence(rows) {
            Presence::All => 0,
            Presence::Listed => (2 * present).next_multiple_of(BLOCK_BYTES),
            Presence::Bits => rows.div_ceil(BLOCK_ROWS) * BLOCK_BYTES,
        };
        let slices = usize::try_from(self.frame.stored.count_ones()).unwrap_or(64);
        (presence, slices * BLOCK_BYTES)
    }

    /// Returns the payload in a blob, split into presence and blocks.
    ///
    /// # Errors
    /// Corrupt, when the entry contradicts itself or leaves the payload area.
    pub fn payload<'a>(
        &self,
        payloads: &'a [u8],
        rows: usize,
    ) -> Result<(&'a [u8], &'a [u8]), Error> {
        let present = usize::try_from(self.present).unwrap_or(usize::MAX);
        if present > rows || (present > 0 && self.frame.min > self.frame.max) {
            return Err(Error::damaged("range chunk has more values than rows"));
        }
        let width = u64::BITS - self.frame.max.wrapping_sub(self.frame.min).leading_zeros();
        let allowed = u64::MAX.checked_shr(u64::BITS - width).unwrap_or(0);
        if present > 0 && self.frame.stored & !allowed != 0 {
            return Err(Error::damaged(
                "range chunk has slices beyond its greatest value",
            ));
        }
        let (presence, block) = self.lens(rows);
        let blocks = present.div_ceil(BLOCK_ROWS) * block;
        let start = usize::try_from(self.offset).ok();
        let payload = start
            .and_then(|start| payloads.get(start..))
            .and_then(|payload| payload.get(..presence + blocks));
        let (presence, blocks) = payload
            .and_then(|payload| payload.split_at_checked(presence))
            .ok_or_else(|| Error::damaged("range chunk lies outside its bytes"))?;
        Ok((presence, blocks))
    }
}

/// Returns the footer of an index over that many rows.
pub(super) fn footer(row_count: u32) -> [u8; FOOTER_BYTES] {
    let mut bytes = [0; FOOTER_BYTES];
    let chunk_rows = u32::try_from(CHUNK_ROWS).unwrap_or_default();
    let fields = [row_count.to_le_bytes(), chunk_rows.to_le_bytes(), MAGIC];
    for (place, field) in bytes.chunks_exact_mut(4).zip(fields) {
        place.copy_from_slice(&field);
    }
    bytes
}

/// Splits a blob into payloads, directory and row count.
///
/// # Errors
/// Corrupt, when it is too short or of another kind.
pub(super) fn split(blob: &[u8]) -> Result<(&[u8], &[u8], u32), Error> {
    let short = || Error::damaged("range index is cut off");
    let (rest, footer) = blob.split_last_chunk::<FOOTER_BYTES>().ok_or_else(short)?;
    let read = |footer: &[u8]| -> Result<_, OutOfBytes> {
        let mut cursor = Cursor::new(footer);
        let (rows, chunk_rows) = (cursor.uint(4)?, cursor.uint(4)?);
        Ok((rows, chunk_rows, cursor.take_array::<4>()?))
    };
    let (row_count, chunk_rows, magic) = read(footer).map_err(|_| short())?;
    if magic != MAGIC || usize::try_from(chunk_rows) != Ok(CHUNK_ROWS) {
        return Err(Error::damaged("not a range index of this version"));
    }
    let directory = length(row_count).div_ceil(CHUNK_ROWS) * ENTRY_BYTES;
    let start = rest.len().checked_sub(directory).ok_or_else(short)?;
    let (payloads, directory) = rest.split_at_checked(start).ok_or_else(short)?;
    Ok((payloads, directory, row_count))
}

/// Returns a number of rows as a length.
pub(super) fn length(row_count: u32) -> usize {
    usize::try_from(row_count).unwrap_or(usize::MAX)
}
