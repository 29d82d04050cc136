//! What was worked out for a dictionary, kept for the next rows that have the same one.

use crate::{Error, Found, KeyPath, Metadata, ResolvedPath};

/// Dictionaries remembered at a time; a power of two.
const SLOTS: usize = 256;
/// Longest dictionary that takes one of the slots; longer ones share a single extra slot.
const SLOT_LEN_BYTES: usize = 16 << 10;

/// Slot of dictionaries that are too long to be kept among the others.
const LONG_SLOT: usize = SLOTS;
/// Slot of what is made and not kept; its `metadata` is always empty, which no dictionary is.
const PASSING_SLOT: usize = SLOTS + 1;
/// Longest dictionary that is compared as soon as a name in it.
const SHORT_LEN_BYTES: usize = 512;
/// New dictionaries in a row after which the rows seem to have one each.
const MISSES: u32 = 64;
/// Rows for which then nothing is kept or searched.
const PASSING_ROWS: u32 = 1024;

/// Remembers one `T` per distinct dictionary, compared by its bytes.
///
/// Each dictionary has one slot where it may lie, and the newest one takes it: memory is bounded
/// and used again, no row allocates. Where every row has a dictionary of its own, keeping them is
/// given up for a while.
#[derive(Debug, Default)]
pub struct MetadataCache<T> {
    slots: Vec<Slot<T>>,
    last: usize,
    misses: u32,
    passing: u32,
}

#[derive(Debug, Default)]
struct Slot<T> {
    metadata: Vec<u8>,
    made: Option<T>,
}

impl<T: Default> MetadataCache<T> {
    /// Makes an empty cache; memory is taken with the first row.
    pub fn new() -> Self {
        Self {
            slots: Vec::new(),
            last: 0,
            misses: 0,
            passing: 0,
        }
    }

    /// Returns what `make` makes of a dictionary, made now or earlier. `make` gets what is in the
    /// slot, whatever that was made for, to reuse its memory.
    ///
    /// # Errors
    /// Those of [`Metadata::try_new`] and of `make`.
    #[inline]
    pub fn get_or_make(
        &mut self,
        metadata: &[u8],
        make: impl FnOnce(&Metadata<'_>, &mut T) -> Result<(), Error>,
    ) -> Result<&mut T, Error> {
        let is_last = self
            .slots
            .get(self.last)
            .is_some_and(|slot| slot.holds(metadata));
        if !is_last {
            self.last = self.settle(metadata, make)?;
        }
        let slot = self
            .slots
            .get_mut(self.last)
            .and_then(|slot| slot.made.as_mut());
        slot.ok_or_else(|| Error::Truncated { part: "metadata" })
    }

    fn settle(
        &mut self,
        metadata: &[u8],
        make: impl FnOnce(&Metadata<'_>, &mut T) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        if self.slots.is_empty() {
            let empty = || Slot {
                metadata: Vec::new(),
                made: None,
            };
            self.slots
                .resize_with(PASSING_SLOT.saturating_add(1), empty);
        }
        let number = self.slot_for(metadata);
        let Some(slot) = self.slots.get_mut(number) else {
            return Ok(number);
        };
        if slot.holds(metadata) {
            self.misses = 0;
            return Ok(number);
        }
        let parsed = Metadata::try_new(metadata)?;
        // The slot holds nothing until all is made.
        slot.metadata.clear();
        make(&parsed, slot.made.get_or_insert_default())?;
        if number != PASSING_SLOT {
            slot.metadata.extend_from_slice(metadata);
            self.misses = self.misses.saturating_add(1);
            if self.misses == MISSES {
                (self.misses, self.passing) = (0, PASSING_ROWS);
            }
        }
        Ok(number)
    }

    #[inline]
    fn slot_for(&mut self, metadata: &[u8]) -> usize {
        if let Some(left) = self.passing.checked_sub(1) {
            self.passing = left;
            PASSING_SLOT
        } else if metadata.len() > SLOT_LEN_BYTES {
            LONG_SLOT
        } else {
            slot_of(metadata)
        }
    }
}

impl<T> Slot<T> {
    #[inline(always)]
    fn holds(&self, metadata: &[u8]) -> bool {
        self.metadata == metadata && !metadata.is_empty()
    }
}

/// Chooses a slot by samples spread over the bytes: a clash costs one look-up, not an answer.
fn slot_of(metadata: &[u8]) -> usize {
    const SAMPLES: usize = 8;
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, tail) = metadata.as_chunks::<8>();
    let stride = words.len().div_ceil(SAMPLES).max(1);
    let mut last = [0; 8];
    tail.iter()
        .zip(&mut last)
        .for_each(|(byte, into)| *into = *byte);
    let seed = u64::from_le_bytes(last) ^ u64::try_from(metadata.len()).unwrap_or(u64::MAX);
    let hash = words.iter().step_by(stride).fold(seed, |hash, word| {
        (hash.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(MULTIPLIER)
    });
    let top = hash.wrapping_mul(MULTIPLIER) >> 32;
    usize::try_from(top).unwrap_or(0) & SLOTS.saturating_sub(1)
}

/// Resolves one path, once per distinct dictionary.
#[derive(Debug)]
pub struct PathCache {
    path: KeyPath,
    resolved: MetadataCache<ResolvedPath>,
    /// Whether the last row that was searched has the key.
    was_found: bool,
}

impl PathCache {
    /// Makes an empty cache for a path.
    pub fn new(path: KeyPath) -> Self {
        Self {
            path,
            resolved: MetadataCache::new(),
            was_found: false,
        }
    }

    /// Returns the path.
    pub fn path(&self) -> &KeyPath {
        &self.path
    }

    /// Returns the path as resolved in a dictionary.
    ///
    /// # Errors
    /// `Corrupt` when the dictionary is malformed.
    #[inline]
    pub fn resolve(&mut self, metadata: &[u8]) -> Result<&ResolvedPath, Error> {
        let path = &self.path;
        let resolved = self.resolved.get_or_make(metadata, |metadata, resolved| {
            resolved.resolve(metadata, path);
            Ok(())
        })?;
        Ok(resolved)
    }

    /// Tells whether to look for the key where it was before a dictionary is compared or searched:
    /// rows seem to have one each, or it is long.
    ///
    /// Where the key is missing there is no way around its bytes, all of them: an equal dictionary
    /// takes about 0.02 ns a byte to compare, another one is searched (`Metadata::may_have`).
    #[inline(always)]
    fn is_costly(&self, metadata: &[u8]) -> bool {
        self.was_found && (self.resolved.passing > 0 || metadata.len() > SHORT_LEN_BYTES)
    }

    #[inline]
    fn find_again<'v>(&mut self, metadata: &[u8], value: &'v [u8]) -> Option<Found<'v>> {
        let resolved = self.resolved.last_made()?;
        let metadata = Metadata::try_new(metadata).ok()?;
        let found = resolved.find_again(&metadata, &self.path, value)?;
        self.resolved.passing = self.resolved.passing.saturating_sub(1);
        Some(found)
    }

    /// Starts on the rows of one array; see [`Rows`].
    pub fn rows<'m>(&mut self) -> Rows<'_, 'm> {
        Rows {
            cache: self,
            last: &[],
            seen: &[],
        }
    }
}

/// A [`PathCache`] while the rows of one array are read.
///
/// Rows that share the very same dictionary bytes, as those of a dictionary-encoded page do, are
/// told by their address: borrowing them for `'m` makes that sound.
#[derive(Debug)]
pub struct Rows<'c, 'm> {
    cache: &'c mut PathCache,
    /// The dictionary that the path is resolved in.
    last: &'m [u8],
    /// That of the row before.
    seen: &'m [u8],
}

impl<'m> Rows<'_, 'm> {
    /// Finds the path in the value of a row, given its dictionary.
    ///
    /// # Errors
    /// `Corrupt` when the dictionary is malformed, or an object on the way does not fit its bytes.
    #[inline]
    pub fn find<'v>(&mut self, metadata: &'m [u8], value: &'v [u8]) -> Result<Found<'v>, Error> {
        let is_same = std::ptr::eq(self.last, metadata) && !metadata.is_empty();
        if !is_same {
            self.last = &[];
            // One that is seen again is worth being resolved: the next rows may share it, too.
            let is_new = !std::ptr::eq(self.seen, metadata);
            self.seen = metadata;
            if is_new
                && self.cache.is_costly(metadata)
                && let Some(found) = self.cache.find_again(metadata, value)
            {
                return Ok(found);
            }
            self.cache.resolve(metadata)?;
            self.last = metadata;
        }
        let resolved = self.cache.resolved.last_made();
        let resolved = resolved.ok_or_else(|| Error::Truncated { part: "metadata" })?;
        let found = resolved.find(value)?;
        self.cache.was_found = matches!(found, Found::Value(_) | Found::Null);
        Ok(found)
    }
}

impl<T> MetadataCache<T> {
    #[inline(always)]
    fn last_made(&self) -> Option<&T> {
        self.slots.get(self.last)?.made.as_ref()
    }
}
