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
use crate::bytes::{Values, index, split_count, split_table, uint_at};
use crate::scan;

const PART: &str = "object";
/// From this many ids on a binary search is tried before the scan. Fewer are scanned sooner than a
/// search jumps between them; a key that is not there takes the scan in any case.
const MANY_IDS: usize = 1024;

/// A lazily read object; that its tables and values fit is checked, the values are not.
#[derive(Debug, Clone, Copy)]
pub struct Object<'a> {
    ids: &'a [u8],
    values: Values<'a>,
    len: u32,
    id_width: u8,
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
        Some(Self {
            ids,
            values: Values::split(rest, len, offset_width)?,
            len,
            id_width,
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
        let ids_and_values = self.ids.len().saturating_add(self.values.len_bytes());
        ids_and_values.saturating_add(count_len).saturating_add(1)
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
        self.values.get(position, PART)
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
        if index(self.len) >= MANY_IDS
            && let Some(position) = self.binary_search(id)
        {
            return Some(position);
        }
        scan::position(self.ids, usize::from(self.id_width), id)
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
