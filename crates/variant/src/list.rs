//! Arrays: elements in order.
//!
//! ```text
//! header (1)              bits 0-1 = 3, 2-3 offset width - 1, 4 is_large, 5-7 reserved
//! count (1, or 4)         number of elements n
//! offsets ((n + 1) * w)   from the first byte of the values; the last one is their length
//! values                  in order
//! ```

use crate::Error;
use crate::bytes::{Values, index, split_count};

const PART: &str = "array";

/// A lazily read array; that its offsets and values fit is checked, the values are not.
#[derive(Debug, Clone, Copy)]
pub struct List<'a> {
    values: Values<'a>,
    len: u32,
    is_large: bool,
}

impl<'a> List<'a> {
    /// Reads the header of an array; the cost does not depend on the number of elements.
    ///
    /// # Errors
    /// `Corrupt` when this is not an array, or its offsets or values do not fit.
    #[inline]
    pub fn try_new(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::parse(bytes).ok_or_else(|| Error::Truncated { part: PART })
    }

    #[inline]
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (&header, rest) = bytes.split_first()?;
        if header & 3 != 3 {
            return None;
        }
        let offset_width = ((header >> 2) & 3).saturating_add(1);
        let is_large = header & 0x10 != 0;
        let (len, rest) = split_count(rest, is_large)?;
        Some(Self {
            values: Values::split(rest, len, offset_width)?,
            len,
            is_large,
        })
    }

    /// Returns the number of elements.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Tells whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the length of the whole array, header included.
    pub fn len_bytes(&self) -> usize {
        let count_len: usize = if self.is_large { 4 } else { 1 };
        let values = self.values.len_bytes();
        values.saturating_add(count_len).saturating_add(1)
    }

    /// Returns the element at a position; other bytes may follow it.
    ///
    /// # Errors
    /// `Corrupt` when there is no such element, or its offset points outside of the values.
    #[inline]
    pub fn get(&self, position: u32) -> Result<&'a [u8], Error> {
        if position >= self.len {
            return Err(Error::Truncated { part: PART });
        }
        self.values.get(index(position), PART)
    }
}
