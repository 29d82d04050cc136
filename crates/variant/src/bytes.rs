//! Tables of 1- to 4-byte little-endian integers, as the format uses them for ids and offsets, and
//! the values that offsets point to.

use crate::Error;

/// Reads entry `index` of a table whose entries are `width` bytes wide, 1 to 4.
#[inline(always)]
pub(crate) fn uint_at(table: &[u8], index: usize, width: usize) -> Option<u32> {
    match width {
        1 => table.get(index).copied().map(u32::from),
        2 => entry::<2>(table, index).map(|entry| u32::from(u16::from_le_bytes(entry))),
        3 => entry::<3>(table, index).map(|[a, b, c]| u32::from_le_bytes([a, b, c, 0])),
        _ => entry::<4>(table, index).map(u32::from_le_bytes),
    }
}

#[inline(always)]
fn entry<const N: usize>(table: &[u8], index: usize) -> Option<[u8; N]> {
    table
        .get(index.checked_mul(N)?..)?
        .first_chunk::<N>()
        .copied()
}

/// Splits a table of `len` entries off the front; `None` when it does not fit.
#[inline(always)]
pub(crate) fn split_table(bytes: &[u8], len: u64, width: usize) -> Option<(&[u8], &[u8])> {
    let len_bytes = len.checked_mul(u64::try_from(width).ok()?)?;
    bytes.split_at_checked(usize::try_from(len_bytes).ok()?)
}

/// Reads the element count that follows an object or array header: 4 bytes if `large`, else 1.
#[inline(always)]
pub(crate) fn split_count(bytes: &[u8], large: bool) -> Option<(u32, &[u8])> {
    if large {
        let (count, rest) = bytes.split_first_chunk::<4>()?;
        Some((u32::from_le_bytes(*count), rest))
    } else {
        let (count, rest) = bytes.split_first()?;
        Some((u32::from(*count), rest))
    }
}

/// What ends an object or an array: the offsets of its values, one more than there are, and the
/// values. That they fit is checked, single offsets are not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Values<'a> {
    offsets: &'a [u8],
    bytes: &'a [u8],
    offset_width: u8,
}

impl<'a> Values<'a> {
    /// Splits `len` values off the front; `None` when they do not fit.
    #[inline(always)]
    pub(crate) fn split(bytes: &'a [u8], len: u32, offset_width: u8) -> Option<Self> {
        let width = usize::from(offset_width);
        let offset_count = u64::from(len).saturating_add(1);
        let (offsets, rest) = split_table(bytes, offset_count, width)?;
        let len_bytes = uint_at(offsets, index(len), width)?;
        Some(Self {
            offsets,
            bytes: rest.get(..index(len_bytes))?,
            offset_width,
        })
    }

    /// Returns the length of the offsets and the values.
    pub(crate) fn len_bytes(&self) -> usize {
        self.offsets.len().saturating_add(self.bytes.len())
    }

    /// Returns the value at a position that is below their number; other bytes may follow it.
    #[inline(always)]
    pub(crate) fn get(&self, position: usize, part: &'static str) -> Result<&'a [u8], Error> {
        let offset = uint_at(self.offsets, position, usize::from(self.offset_width));
        let offset = offset.ok_or_else(|| Error::Truncated { part })?;
        match self.bytes.get(index(offset)..) {
            Some(value) if !value.is_empty() => Ok(value),
            _ => Err(Error::Offset { part, offset }),
        }
    }
}

/// Converts a count or offset of the format to an index; both are 32 bits wide or less.
#[inline(always)]
pub(crate) fn index(value: u32) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
