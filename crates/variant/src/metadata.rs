//! The dictionary of field names that all values of one variant row share.
//!
//! ```text
//! header (1)             bits 0-3 version = 1, 4 sorted, 5 reserved, 6-7 offset width - 1
//! dictionary_size (w)    number of names n
//! offsets ((n + 1) * w)  start of each name, the last one is the length of all
//! bytes                  the names back to back, UTF-8
//! ```

use crate::Error;
use crate::bytes::{index, split_table, uint_at};
use crate::path::NameLens;
use crate::text::needs_escape;

const PART: &str = "metadata";
/// From this length on names are many: a text is sought in all of them before it is sought in each.
const LONG_NAMES: usize = 512;

/// A lazily read dictionary. Only that its tables and its names fit is checked up front.
///
/// The sorted flag is not trusted: some writers set it over unsorted and repeated names. Names are
/// therefore searched in full, once per distinct dictionary (see [`crate::cache`]).
#[derive(Debug, Clone, Copy)]
pub struct Metadata<'m> {
    offsets: &'m [u8],
    names: &'m [u8],
    width: usize,
    len: u32,
    sorted: bool,
}

impl<'m> Metadata<'m> {
    /// Reads the header; the cost does not depend on the number of names.
    ///
    /// # Errors
    /// `Corrupt` when the version is unknown, the tables or the names do not fit, or the first name
    /// does not start the names.
    #[inline(always)]
    pub fn try_new(bytes: &'m [u8]) -> Result<Self, Error> {
        let (&header, rest) = bytes
            .split_first()
            .ok_or_else(|| Error::Truncated { part: PART })?;
        if header & 0x0f != 1 {
            return Err(Error::Version {
                version: header & 0x0f,
            });
        }
        let metadata = Self::parse(header, rest).ok_or_else(|| Error::Truncated { part: PART })?;
        match uint_at(metadata.offsets, 0, metadata.width) {
            Some(0) => Ok(metadata),
            offset => Err(Error::Offset {
                part: PART,
                offset: offset.unwrap_or(u32::MAX),
            }),
        }
    }

    #[inline(always)]
    fn parse(header: u8, rest: &'m [u8]) -> Option<Self> {
        let width = usize::from(header >> 6).saturating_add(1);
        let (size, rest) = rest.split_at_checked(width)?;
        let len = uint_at(size, 0, width)?;
        let (offsets, rest) = split_table(rest, u64::from(len).saturating_add(1), width)?;
        let names_len = uint_at(offsets, index(len), width)?;
        let names = rest.get(..index(names_len))?;
        Some(Self {
            offsets,
            names,
            width,
            len,
            sorted: header & 0x10 != 0,
        })
    }

    /// Returns the number of names.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Tells whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Tells whether the writer claims that the names are sorted and unique. Not to be trusted.
    pub fn claims_sorted(&self) -> bool {
        self.sorted
    }

    /// Returns the length of the whole dictionary; what follows it is not part of it.
    pub fn len_bytes(&self) -> usize {
        let tables = self.offsets.len().saturating_add(self.names.len());
        tables.saturating_add(self.width).saturating_add(1)
    }

    /// Returns the name of an id.
    ///
    /// # Errors
    /// `Corrupt` when there is no such id, its offsets are wrong, or the name is not UTF-8.
    pub fn name(&self, id: u32) -> Result<&'m str, Error> {
        let name = self.name_bytes(id)?;
        simdutf8::basic::from_utf8(name).map_err(|_| Error::Utf8 { part: "name" })
    }

    /// Returns the bytes of a name, which need not be UTF-8.
    ///
    /// # Errors
    /// `Corrupt` when there is no such id or its offsets are wrong.
    #[inline]
    pub fn name_bytes(&self, id: u32) -> Result<&'m [u8], Error> {
        if id >= self.len {
            return Err(Error::FieldId {
                id,
                names: self.len,
            });
        }
        let position = index(id);
        let start = uint_at(self.offsets, position, self.width).unwrap_or(u32::MAX);
        let end = uint_at(self.offsets, position.saturating_add(1), self.width).unwrap_or(0);
        self.names
            .get(index(start)..index(end))
            .ok_or_else(|| Error::Offset {
                part: PART,
                offset: start,
            })
    }

    /// Finds every id of a name: none, one, or several where a dictionary repeats it. Linear.
    pub fn ids_of<'s>(&self, name: &'s str) -> impl Iterator<Item = u32> + use<'s, 'm> {
        let mut ids = Vec::new();
        self.each_id_of(name.as_bytes(), |id| ids.push(id));
        ids.into_iter()
    }

    /// Tells whether some name may have a dot in it.
    #[inline]
    pub(crate) fn may_have_dots(&self) -> bool {
        memchr::memchr(b'.', self.names).is_some()
    }

    /// Tells whether all names are text that JSON takes as it is: ASCII without anything to escape.
    /// Long dictionaries are not looked at, for few of their names may be asked for.
    #[inline]
    pub(crate) fn is_short_json_ascii(&self) -> bool {
        let is_ascii = |all, &byte: &u8| all & (byte < 0x80) & !needs_escape(byte);
        self.names.len() < LONG_NAMES && self.names.iter().fold(true, is_ascii)
    }

    /// Tells whether some name may have a text in it. Cheap: a dictionary of few names may always.
    ///
    /// Where each row has a large dictionary of its own and the key is in none, there is no way
    /// around their names: this is what a row costs, 0.07 ns a byte where they come from far away.
    #[inline]
    pub(crate) fn may_have(&self, text: &[u8]) -> bool {
        self.names.len() < LONG_NAMES || memchr::memmem::find(self.names, text).is_some()
    }

    /// Calls `found` with every id whose name has one of some lengths, and the name.
    #[inline]
    pub(crate) fn each_name_of(&self, lens: NameLens, found: impl FnMut(u32, &'m [u8])) {
        match self.width {
            1 => scan_lens::<1>(self.offsets, self.names, lens, found),
            2 => scan_lens::<2>(self.offsets, self.names, lens, found),
            3 => scan_lens::<3>(self.offsets, self.names, lens, found),
            _ => scan_lens::<4>(self.offsets, self.names, lens, found),
        }
    }

    /// Calls `found` with every id of a name, in ascending order.
    #[inline]
    pub(crate) fn each_id_of(&self, name: &[u8], found: impl FnMut(u32)) {
        match self.width {
            1 => scan::<1>(self.offsets, self.names, name, found),
            2 => scan::<2>(self.offsets, self.names, name, found),
            3 => scan::<3>(self.offsets, self.names, name, found),
            _ => scan::<4>(self.offsets, self.names, name, found),
        }
    }
}

/// Names of another length are passed over by their offsets alone.
#[inline(always)]
fn scan<const W: usize>(offsets: &[u8], names: &[u8], name: &[u8], mut found: impl FnMut(u32)) {
    let (offsets, _) = offsets.as_chunks::<W>();
    let Some((first, ends)) = offsets.split_first() else {
        return;
    };
    let (mut start, first) = (offset(first), name.first());
    for (id, end) in (0..).zip(ends) {
        let end = offset(end);
        let is_long_as = end.checked_sub(start) == Some(name.len());
        // The first byte tells most names of one length apart, without a call.
        let may_be = is_long_as && (first.is_none() || names.get(start) == first);
        if may_be && names.get(start..end) == Some(name) {
            found(id);
        }
        start = end;
    }
}

/// Passes over the offsets once for many names.
#[inline(always)]
fn scan_lens<'m, const W: usize>(
    offsets: &[u8],
    names: &'m [u8],
    lens: NameLens,
    mut found: impl FnMut(u32, &'m [u8]),
) {
    let (offsets, _) = offsets.as_chunks::<W>();
    let Some((first, ends)) = offsets.split_first() else {
        return;
    };
    let mut start = offset(first);
    for (id, end) in (0..).zip(ends) {
        let end = offset(end);
        if lens.may_have(end.wrapping_sub(start))
            && let Some(name) = names.get(start..end)
        {
            found(id, name);
        }
        start = end;
    }
}

#[inline(always)]
fn offset<const W: usize>(bytes: &[u8; W]) -> usize {
    bytes
        .iter()
        .rev()
        .fold(0, |value, byte| value << 8 | usize::from(*byte))
}
