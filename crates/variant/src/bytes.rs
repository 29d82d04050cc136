//! Tables of 1- to 4-byte little-endian integers, as the format uses them for ids and offsets.

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

/// Converts a count or offset of the format to an index; both are 32 bits wide or less.
#[inline(always)]
pub(crate) fn index(value: u32) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
