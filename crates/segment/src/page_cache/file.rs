//! The share that one opened file has of the cache.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use growler_base::{LeafIdx, RowGroupIdx};
use parquet::column::page::Page;

use super::PageCache;
use super::cache::PageKey;

/// An opened file as the cache knows it: a file that is opened again, be it under the same path, is
/// another one. Its pages go when it is closed.
#[derive(Debug)]
pub(crate) struct File {
    cache: Arc<PageCache>,
    number: u64,
    has_pages: AtomicBool,
}

impl File {
    /// Makes the share of a file that is opened now.
    pub(crate) fn new(cache: Arc<PageCache>) -> Self {
        Self {
            number: cache.new_file(),
            cache,
            has_pages: AtomicBool::new(false),
        }
    }

    /// Tells whether nothing is ever kept.
    pub(super) fn is_off(&self) -> bool {
        self.cache.is_off()
    }

    pub(super) fn key(
        &self,
        (group, leaf): (RowGroupIdx, LeafIdx),
        start: u64,
        len_bytes: u64,
    ) -> PageKey {
        PageKey {
            file: self.number,
            group,
            leaf,
            start,
            len_bytes,
        }
    }

    pub(super) fn get(&self, key: &PageKey) -> Option<Page> {
        self.cache.get(key)
    }

    pub(super) fn offer(&self, key: PageKey, page: &Page) {
        if self.cache.offer(key, page) {
            self.has_pages.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        if *self.has_pages.get_mut() {
            self.cache.forget(self.number);
        }
    }
}
