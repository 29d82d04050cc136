//! Objects: fields in the order of their names, each an id and an offset.
//!
//! ```text
//! header (1)              bits 0-1 = 2, 2-3 offset width - 1, 4-5 id width - 1, 6 is_large
//! count (1, or 4)         number of fields n
//! ids (n * id width)      in ascending order of the names they stand for
//! offsets ((n + 1) * w)   from the first byte of the values; the last one is their length
//! values                  in any order
//! ```

use crate::Error;
use crate::bytes::{index, split_count, split_table, uint_at};

const PART: &str = "object";
/// Below this many 1-byte ids a plain loop beats the call into `memchr`.
const SHORT_IDS: usize = 24;
/// From this many ids on a binary search is tried before the scan. Fewer are scanned sooner than a
/// search jumps between them; a key that is not there takes the scan in any case.
const MANY_IDS: usize = 1024;

/// A lazily read object; that its tables and values fit is checked, the values are not.
#[derive(Debug, Clone, Copy)]
pub struct Object<'a> {
    ids: &'a [u8],
    offsets: &'a [u8],
    values: &'a [u8],
    len: u32,
    id_width: u8,
    offset_width: u8,
    is_large: bool,
}

impl<'a> Object<'a> {
    /// Reads the header of an object; the cost does not depend on the number of fields.
    ///
    /// # Errors
    /// `Corrupt` when this is not an object, or its tables or values do not fit.
    #[inline]
    pub fn try_new(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::parse(bytes).ok_or_else(|| Error::Truncated { part: PART })
    }

    #[inline(always)]
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (&header, rest) = bytes.split_first()?;
        if header & 3 != 2 {
            return None;
        }
        let offset_width = ((header >> 2) & 3).saturating_add(1);
        let id_width = ((header >> 4) & 3).saturating_add(1);
        let is_large = header & 0x40 != 0;
        let (len, rest) = split_count(rest, is_large)?;
        let (ids, rest) = split_table(rest, u64::from(len), usize::from(id_width))?;
        let offset_count = u64::from(len).saturating_add(1);
        let (offsets, rest) = split_table(rest, offset_count, usize::from(offset_width))?;
        let values_len = uint_at(offsets, index(len), usize::from(offset_width))?;
        let values = rest.get(..index(values_len))?;
        Some(Self {
            ids,
            offsets,
            values,
            len,
            id_width,
            offset_width,
            is_large,
        })
    }

    /// Returns the number of fields.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Tells whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the length of the whole object, header included.
    pub fn len_bytes(&self) -> usize {
        let count_len: usize = if self.is_large { 4 } else { 1 };
        let tables = self.ids.len().saturating_add(self.offsets.len());
        tables
            .saturating_add(self.values.len())
            .saturating_add(count_len)
            .saturating_add(1)
    }

    /// Returns the id of the field at a position.
    #[inline]
    pub fn id(&self, position: u32) -> Option<u32> {
        uint_at(self.ids, index(position), usize::from(self.id_width))
    }

    /// Returns the id and the value of the field at a position; other bytes may follow the value.
    ///
    /// # Errors
    /// `Corrupt` when there is no such field, or its offset points outside of the values.
    #[inline]
    pub fn field(&self, position: u32) -> Result<(u32, &'a [u8]), Error> {
        let id = self
            .id(position)
            .ok_or_else(|| Error::Truncated { part: PART })?;
        Ok((id, self.value(index(position))?))
    }

    /// Finds the value of the first id that a field has; other bytes may follow the value.
    ///
    /// # Errors
    /// `Corrupt` when the offset of that field points outside of the values.
    pub fn find(&self, ids: &[u32]) -> Result<Option<&'a [u8]>, Error> {
        let position = ids.iter().find_map(|&id| self.position(id, 0));
        position.map(|position| self.value(position)).transpose()
    }

    /// Returns the value at a position that is below [`Self::len`].
    #[inline(always)]
    pub(crate) fn value(&self, position: usize) -> Result<&'a [u8], Error> {
        let offset = uint_at(self.offsets, position, usize::from(self.offset_width));
        let offset = offset.ok_or_else(|| Error::Truncated { part: PART })?;
        match self.values.get(index(offset)..) {
            Some(value) if !value.is_empty() => Ok(value),
            _ => Err(Error::Offset { part: PART, offset }),
        }
    }

    /// Finds the position of an id; `guess` is looked at first.
    #[inline(always)]
    pub(crate) fn position(&self, id: u32, guess: usize) -> Option<usize> {
        if uint_at(self.ids, guess, usize::from(self.id_width)) == Some(id) {
            return Some(guess);
        }
        self.search(id)
    }

    /// Ids ascend only where the dictionary is sorted, so a binary search that misses proves
    /// nothing: the scan has the last word.
    fn search(&self, id: u32) -> Option<usize> {
        let width = usize::from(self.id_width);
        if index(self.len) >= MANY_IDS
            && let Some(position) = self.binary_search(id)
        {
            return Some(position);
        }
        match width {
            1 => scan_bytes(self.ids, u8::try_from(id).ok()?),
            2 => scan_wide(self.ids, u16::try_from(id).ok()?.to_le_bytes()),
            3 => match id.to_le_bytes() {
                [a, b, c, 0] => scan_wide(self.ids, [a, b, c]),
                _ => None,
            },
            _ => scan_wide(self.ids, id.to_le_bytes()),
        }
    }

    fn binary_search(&self, id: u32) -> Option<usize> {
        let (mut low, mut high) = (0, index(self.len));
        while low < high {
            let middle = low.midpoint(high);
            match uint_at(self.ids, middle, usize::from(self.id_width))?.cmp(&id) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle.saturating_add(1),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

#[inline(always)]
fn scan_bytes(ids: &[u8], id: u8) -> Option<usize> {
    if ids.len() < SHORT_IDS {
        ids.iter().position(|&found| found == id)
    } else {
        memchr::memchr(id, ids)
    }
}

/// Scans in blocks without an early exit, which the compiler turns into vector compares.
fn scan_wide<const N: usize>(ids: &[u8], id: [u8; N]) -> Option<usize> {
    const BLOCK: usize = 64;
    let (entries, _) = ids.as_chunks::<N>();
    for (number, block) in entries.chunks(BLOCK).enumerate() {
        if block.iter().fold(false, |hit, entry| hit | (*entry == id)) {
            let within = block.iter().position(|entry| *entry == id)?;
            return number.checked_mul(BLOCK)?.checked_add(within);
        }
    }
    None
}
