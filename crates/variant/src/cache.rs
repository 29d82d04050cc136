//! What was worked out for a dictionary, kept for the next rows that have the same one.

use crate::{Error, KeyPath, Metadata, ResolvedPath};

/// Dictionaries remembered at a time; a power of two.
const SLOTS: usize = 256;
/// Longest dictionary that takes one of the slots; longer ones share a single extra slot.
const SLOT_LEN_BYTES: usize = 16 << 10;

/// Remembers one `T` per distinct dictionary, compared by its bytes.
///
/// Each dictionary has one slot where it may lie, and the newest one takes it: memory is bounded,
/// and a column whose rows all differ pays for its own look-ups and no allocation.
#[derive(Debug, Default)]
pub struct MetadataCache<T> {
    slots: Vec<Slot<T>>,
    last: usize,
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
        }
    }

    /// Returns what `make` makes of a dictionary, made now or earlier. `make` gets what is in the
    /// slot, to reuse its memory.
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
        slot.ok_or(Error::Truncated { part: "metadata" })
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
            self.slots.resize_with(SLOTS.saturating_add(1), empty);
        }
        let number = if metadata.len() > SLOT_LEN_BYTES {
            SLOTS
        } else {
            slot_of(metadata)
        };
        let Some(slot) = self.slots.get_mut(number) else {
            return Ok(number);
        };
        if !slot.holds(metadata) {
            let parsed = Metadata::try_new(metadata)?;
            let mut made = slot.made.take().unwrap_or_default();
            make(&parsed, &mut made)?;
            slot.made = Some(made);
            slot.metadata.clear();
            slot.metadata.extend_from_slice(metadata);
        }
        Ok(number)
    }
}

impl<T> Slot<T> {
    #[inline(always)]
    fn holds(&self, metadata: &[u8]) -> bool {
        self.metadata == metadata && self.made.is_some()
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
}

impl PathCache {
    /// Makes an empty cache for a path.
    pub fn new(path: KeyPath) -> Self {
        Self {
            path,
            resolved: MetadataCache::new(),
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

    /// Starts on the rows of one array; see [`Rows`].
    pub fn rows<'m>(&mut self) -> Rows<'_, 'm> {
        Rows {
            cache: self,
            last: &[],
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
    last: &'m [u8],
}

impl<'m> Rows<'_, 'm> {
    /// Returns the path as resolved in the dictionary of a row.
    ///
    /// # Errors
    /// `Corrupt` when the dictionary is malformed.
    #[inline]
    pub fn resolve(&mut self, metadata: &'m [u8]) -> Result<&ResolvedPath, Error> {
        let is_same = std::ptr::eq(self.last, metadata) && !metadata.is_empty();
        if !is_same {
            self.last = &[];
            self.cache.resolve(metadata)?;
            self.last = metadata;
        }
        self.cache
            .resolved
            .last_made()
            .ok_or(Error::Truncated { part: "metadata" })
    }
}

impl<T> MetadataCache<T> {
    #[inline(always)]
    fn last_made(&self) -> Option<&T> {
        self.slots.get(self.last)?.made.as_ref()
    }
}
