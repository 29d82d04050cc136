//! Parsed files, kept for the next query.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::Metadata;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use foldhash::fast::RandomState;
use growler_base::limits;

use crate::segment::Inner;
use crate::{PageCache, RangeSource};

/// Bounded cache of opened files, keyed by path, length and modification time; by location, length,
/// tag and reader where they are remote.
///
/// An entry holds the parsed footer, the memory map and everything that queries have worked out
/// about the columns they named, so opening a cached file costs one `stat` and one look-up; of
/// a remote file a look-up alone.
#[derive(Debug)]
pub struct FooterCache {
    capacity: usize,
    clock: AtomicU64,
    // By the bytes of the path: a `Path` hashes component by component, which is dear beside `stat`.
    entries: RwLock<HashMap<OsString, Entry, RandomState>>,
    pages: Arc<PageCache>,
}

#[derive(Debug)]
struct Entry {
    stamp: Stamp,
    inner: Arc<Inner>,
    used: AtomicU64,
}

/// What tells one version of a file from the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    len_bytes: u64,
    modified: Option<SystemTime>,
    /// Of a remote file.
    tag: Option<Box<str>>,
    reader: u64,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            len_bytes: metadata.len(),
            modified: metadata.modified().ok(),
            tag: None,
            reader: 0,
        }
    }

    pub(crate) fn of_source(source: &dyn RangeSource) -> Self {
        Self {
            len_bytes: source.len_bytes(),
            modified: None,
            tag: source.tag().map(Box::from),
            reader: source.reader(),
        }
    }
}

impl Default for FooterCache {
    fn default() -> Self {
        Self::new(limits::FOOTER_CACHE_ENTRIES)
    }
}

impl FooterCache {
    /// Makes an empty cache of at most `capacity` files.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            clock: AtomicU64::new(0),
            entries: RwLock::default(),
            pages: Arc::default(),
        }
    }

    /// Takes a cache of inflated pages for the files that are opened from now on; without it they share
    /// one of the default size.
    #[must_use]
    pub fn with_pages(mut self, pages: Arc<PageCache>) -> Self {
        self.pages = pages;
        self
    }

    /// Returns the cache of inflated pages that its files share.
    pub fn pages(&self) -> &Arc<PageCache> {
        &self.pages
    }

    /// Drops what is cached for a file.
    pub fn forget(&self, path: &Path) {
        self.entries
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(path.as_os_str());
    }

    /// Counts the files in the cache.
    pub fn len(&self) -> usize {
        self.entries
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    /// Tells whether nothing is cached.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn get(&self, path: &Path, stamp: &Stamp) -> Option<Arc<Inner>> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let entry = entries
            .get(path.as_os_str())
            .filter(|entry| entry.stamp == *stamp)?;
        entry.used.store(
            self.clock.fetch_add(1, Ordering::Relaxed),
            Ordering::Relaxed,
        );
        Some(entry.inner.clone())
    }

    pub(crate) fn put(&self, path: &Path, stamp: Stamp, inner: Arc<Inner>) {
        if self.capacity == 0 {
            return;
        }
        let used = AtomicU64::new(self.clock.fetch_add(1, Ordering::Relaxed));
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        entries.insert(path.into(), Entry { stamp, inner, used });
        // One look at every entry is cheap beside the parse that led here.
        while entries.len() > self.capacity {
            let age = |entry: &Entry| entry.used.load(Ordering::Relaxed);
            let oldest = entries.iter().min_by_key(|(_, entry)| age(entry));
            let Some(oldest) = oldest.map(|(path, _)| path.clone()) else {
                return;
            };
            entries.remove(&oldest);
        }
    }
}
