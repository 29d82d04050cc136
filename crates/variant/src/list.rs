//! Arrays: elements in order.
//!
//! ```text
//! header (1)              bits 0-1 = 3, 2-3 offset width - 1, 4 is_large, 5-7 reserved
//! count (1, or 4)         number of elements n
//! offsets ((n + 1) * w)   from the first byte of the values; the last one is their length
//! values                  in order
//! ```

use crate::Error;
use crate::bytes::{index, split_count, split_table, uint_at};

const PART: &str = "array";

/// A lazily read array; that its offsets and values fit is checked, the values are not.
#[derive(Debug, Clone, Copy)]
pub struct List<'a> {
    offsets: &'a [u8],
    values: &'a [u8],
    len: u32,
    offset_width: u8,
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
        let offset_count = u64::from(len).saturating_add(1);
        let (offsets, rest) = split_table(rest, offset_count, usize::from(offset_width))?;
        let values_len = uint_at(offsets, index(len), usize::from(offset_width))?;
        let values = rest.get(..index(values_len))?;
        Some(Self {
            offsets,
            values,
            len,
            offset_width,
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
        let parts = self.offsets.len().saturating_add(self.values.len());
        parts.saturating_add(count_len).saturating_add(1)
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
        let offset = uint_at(
            self.offsets,
            index(position),
            usize::from(self.offset_width),
        );
        let offset = offset.ok_or_else(|| Error::Truncated { part: PART })?;
        match self.values.get(index(offset)..) {
            Some(value) if !value.is_empty() => Ok(value),
            _ => Err(Error::Offset { part: PART, offset }),
        }
    }
}
