//! The cache itself: a bound on bytes, admission and eviction.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use growler_base::{LeafIdx, RowGroupIdx, limits};
use parquet::column::page::Page;

use super::admission::{MOST_READINGS, READINGS, Seen};

/// What a page takes beside its bytes, roughly.
const ENTRY_LEN_BYTES: usize = 256;
/// Readings after which those before count half, by the pages that are kept; and at the least.
const AGE_TURNS: usize = 16;
const AGE_READINGS: usize = 1 << 14;

/// Bounded cache of inflated pages, shared by all files that are opened through one
/// [`FooterCache`](crate::FooterCache).
///
/// A page is kept when it is inflated for the second time, so a scan that comes once pushes nothing
/// out. Where there is no room, the page that the clock's hand points at makes some, if it was read
/// less often than the new one; else that one stays, so a table larger than the cache keeps a part
/// in it. What is handed out shares the bytes of what is kept.
#[derive(Debug)]
pub struct PageCache {
    most_len_bytes: usize,
    next_file: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
    hasher: RandomState,
    kept: Mutex<Kept>,
}

/// What a [`PageCache`] has done so far, and what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageCounts {
    /// Pages that need not be inflated.
    pub hits: u64,
    /// Pages that were inflated.
    pub misses: u64,
    /// Pages held.
    pub pages: usize,
    /// Bytes held.
    pub len_bytes: usize,
}

/// What tells a page from all others: the file that was opened, by a number that no other has; the
/// leaf whose codec and type it was read with; where its header lies, and how far the page goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PageKey {
    pub(crate) file: u64,
    pub(crate) group: RowGroupIdx,
    pub(crate) leaf: LeafIdx,
    pub(crate) start: u64,
    pub(crate) len_bytes: u64,
}

#[derive(Debug, Default)]
struct Kept {
    pages: HashMap<PageKey, Entry, RandomState>,
    /// The hand points at the first; pages of forgotten files are passed over.
    clock: VecDeque<PageKey>,
    len_bytes: usize,
    seen: Seen,
    /// Readings since those before were made to count half.
    readings: usize,
}

#[derive(Debug)]
struct Entry {
    page: Page,
    len_bytes: usize,
    /// How often it was read, lately.
    readings: u8,
}

impl Default for PageCache {
    fn default() -> Self {
        Self::new(limits::PAGE_CACHE_LEN_BYTES)
    }
}

impl PageCache {
    /// Makes an empty cache of at most so many bytes; of none, it keeps nothing.
    pub fn new(most_len_bytes: usize) -> Self {
        Self {
            most_len_bytes,
            next_file: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            hasher: RandomState::default(),
            kept: Mutex::default(),
        }
    }

    /// Returns what was done so far.
    pub fn counts(&self) -> PageCounts {
        let kept = self.kept();
        PageCounts {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            pages: kept.pages.len(),
            len_bytes: kept.len_bytes,
        }
    }

    pub(super) fn is_off(&self) -> bool {
        self.most_len_bytes == 0
    }

    /// Returns a number for a file that is opened now.
    pub(super) fn new_file(&self) -> u64 {
        self.next_file.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns a page if it is kept.
    pub(super) fn get(&self, key: &PageKey) -> Option<Page> {
        let mut kept = self.kept();
        let found = kept.pages.get_mut(key).map(|entry| {
            entry.readings = entry.readings.saturating_add(1).min(MOST_READINGS);
            entry.page.clone()
        });
        kept.age();
        drop(kept);
        let count = if found.is_some() {
            &self.hits
        } else {
            &self.misses
        };
        count.fetch_add(1, Ordering::Relaxed);
        found
    }

    /// Offers a page that was inflated and is sound; returns whether it is kept.
    pub(super) fn offer(&self, key: PageKey, page: &Page) -> bool {
        let len_bytes = page.buffer().len().saturating_add(ENTRY_LEN_BYTES);
        // One page had better not push out all others.
        if len_bytes > self.most_len_bytes / 4 {
            return false;
        }
        let mut kept = self.kept();
        let readings = kept.seen.count(self.hasher.hash_one(key));
        if readings < READINGS || kept.pages.contains_key(&key) {
            return false;
        }
        let most = self.most_len_bytes.saturating_sub(len_bytes);
        while kept.len_bytes > most {
            if !kept.evict(readings) {
                return false;
            }
        }
        kept.len_bytes = kept.len_bytes.saturating_add(len_bytes);
        kept.clock.push_back(key);
        let entry = Entry {
            page: page.clone(),
            len_bytes,
            readings,
        };
        kept.pages.insert(key, entry);
        true
    }

    /// Drops the pages of a file.
    pub(super) fn forget(&self, file: u64) {
        let mut kept = self.kept();
        let Kept {
            pages,
            clock,
            len_bytes,
            ..
        } = &mut *kept;
        clock.retain(|key| key.file != file);
        pages.retain(|key, entry| {
            if key.file == file {
                *len_bytes = len_bytes.saturating_sub(entry.len_bytes);
            }
            key.file != file
        });
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Moves the hand on by one page, and drops that if it was read less often than another one.
    fn evict(&mut self, readings: u8) -> bool {
        let Some(key) = self.clock.pop_front() else {
            return false;
        };
        let found = self.pages.get(&key);
        if found.is_some_and(|entry| entry.readings >= readings) {
            self.clock.push_back(key);
            return false;
        }
        if let Some(entry) = self.pages.remove(&key) {
            self.len_bytes = self.len_bytes.saturating_sub(entry.len_bytes);
        }
        true
    }

    /// Counts a reading; once in a while makes those before count less, so that what is not read any
    /// more goes.
    fn age(&mut self) {
        self.readings = self.readings.saturating_add(1);
        let turns = self.pages.len().saturating_mul(AGE_TURNS);
        if self.readings < turns.max(AGE_READINGS) {
            return;
        }
        self.readings = 0;
        self.seen.age();
        for entry in self.pages.values_mut() {
            entry.readings /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use parquet::basic::Encoding;

    use super::*;

    fn key(start: u64) -> PageKey {
        PageKey {
            file: 0,
            group: RowGroupIdx(0),
            leaf: LeafIdx(0),
            start,
            len_bytes: 10,
        }
    }

    fn page(len: usize) -> Page {
        Page::DictionaryPage {
            buf: Bytes::from(vec![0; len]),
            num_values: 0,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        }
    }

    /// Room for ten pages of 1,000 bytes.
    fn ten() -> PageCache {
        PageCache::new((1000 + ENTRY_LEN_BYTES) * 10)
    }

    fn read(cache: &PageCache, start: u64) -> bool {
        let found = cache.get(&key(start)).is_some();
        if !found {
            cache.offer(key(start), &page(1000));
        }
        found
    }

    #[test]
    fn a_page_is_kept_when_it_comes_again() {
        let cache = ten();
        let found: Vec<bool> = (0..4).map(|_| read(&cache, 1)).collect();
        assert_eq!(found, [false, false, true, true]);
        let counts = cache.counts();
        assert_eq!((counts.hits, counts.misses, counts.pages), (2, 2, 1));
        assert_eq!(counts.len_bytes, 1000 + ENTRY_LEN_BYTES);
    }

    #[test]
    fn the_bound_holds_and_what_is_used_stays() {
        let cache = ten();
        for start in 0..100 {
            read(&cache, start % 50);
            assert!(cache.counts().len_bytes <= cache.most_len_bytes);
        }
        assert_eq!(cache.counts().pages, 10);
        // A scan that comes once changes nothing, one that comes again meets what is used.
        let held: Vec<u64> = (0..50).filter(|&start| read(&cache, start)).collect();
        assert_eq!(held.len(), 10);
        (100..200).for_each(|start| assert!(!read(&cache, start)));
        assert!(held.iter().all(|&start| read(&cache, start)));
        (100..110).for_each(|start| assert!(!read(&cache, start)));
        assert!(held.iter().all(|&start| read(&cache, start)));
        assert!(cache.counts().len_bytes <= cache.most_len_bytes);
    }

    #[test]
    fn what_is_not_used_makes_room() {
        let cache = ten();
        (0..20).for_each(|start| {
            read(&cache, start % 10);
        });
        assert_eq!(cache.counts().pages, 10);
        for _ in 0..4 {
            (20..30).for_each(|start| {
                read(&cache, start);
            });
        }
        assert!((20..30).all(|start| read(&cache, start)));
        // What was read as often as is counted goes as well, some time after.
        (0..100).for_each(|_| assert!(read(&cache, 20)));
        (0..8 * AGE_READINGS as u64).for_each(|reading| {
            read(&cache, 40 + reading % 10);
        });
        assert!((40..50).all(|start| read(&cache, start)));
    }

    #[test]
    fn large_pages_and_no_room_keep_nothing() {
        for (cache, len) in [(ten(), 5000), (PageCache::new(0), 1)] {
            for _ in 0..3 {
                assert!(!cache.offer(key(0), &page(len)));
            }
            assert_eq!(cache.counts().pages, 0);
        }
    }

    #[test]
    fn a_forgotten_file_leaves_nothing() {
        let cache = ten();
        let other = PageKey {
            file: cache.new_file() + 1,
            ..key(1)
        };
        for _ in 0..2 {
            cache.offer(key(1), &page(10));
            cache.offer(other, &page(20));
        }
        cache.forget(0);
        assert!(cache.get(&key(1)).is_none() && cache.get(&other).is_some());
        assert_eq!(cache.counts().len_bytes, 20 + ENTRY_LEN_BYTES);
    }
}
