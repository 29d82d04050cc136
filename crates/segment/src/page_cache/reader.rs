//! A page reader that need not inflate what is kept.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use growler_base::{LeafIdx, RowGroupIdx};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::file::page_index::offset_index::PageLocation;
use parquet::file::serialized_reader::SerializedPageReader;

use super::File;
use super::cache::PageKey;
use crate::read::delta_check::{Levels, check_page};
use crate::read::pages::PageBytes;
use crate::thrift_check::PageKind;

type Result<T> = std::result::Result<T, ParquetError>;

/// Pages of a column chunk, checked, from the cache where it has them.
///
/// It follows where the reader behind it is, so that a page is known by its place before it is read;
/// the reader then skips what is kept. A chunk with anything unusual is read without the cache.
pub(crate) struct CachedPages {
    pages: SerializedPageReader<PageBytes>,
    levels: Levels,
    cached: Option<Cached>,
}

/// What is needed to know the next page.
pub(crate) struct Cached {
    file: Arc<File>,
    place: (RowGroupIdx, LeafIdx),
    bytes: Arc<PageBytes>,
    next: Next,
}

/// Where the next pages are.
enum Next {
    /// One after the other.
    InTurn(Range<u64>),
    /// At places that the page index tells.
    Located(VecDeque<Range<u64>>),
}

impl Cached {
    /// Makes what is needed for a chunk; none where nothing is kept.
    pub(crate) fn new(
        file: &Arc<File>,
        place: (RowGroupIdx, LeafIdx),
        bytes: &Arc<PageBytes>,
        chunk: Range<u64>,
        locations: Option<&[PageLocation]>,
    ) -> Option<Self> {
        let next = match locations {
            None => Next::InTurn(chunk),
            Some(locations) => Next::Located(located(chunk.start, locations)?),
        };
        (!file.is_off()).then(|| Self {
            file: Arc::clone(file),
            place,
            bytes: Arc::clone(bytes),
            next,
        })
    }

    /// Steps over the next page; none after the last, and where that page is not to be told.
    fn step(&mut self) -> Option<Range<u64>> {
        match &mut self.next {
            Next::Located(pages) => pages.pop_front(),
            Next::InTurn(left) => {
                let header = self.bytes.header(left.start)?;
                let end = left.start.checked_add(header.page_len_bytes()?)?;
                // The reader passes over pages of other kinds.
                let is_told = end <= left.end && header.kind() != PageKind::Other;
                let page = left.start..end;
                left.start = end;
                is_told.then_some(page)
            }
        }
    }

    fn key(&self, page: &Range<u64>) -> PageKey {
        let len_bytes = page.end.saturating_sub(page.start);
        self.file.key(self.place, page.start, len_bytes)
    }

    /// Offers a page to the cache if it was inflated out of all the bytes of its place.
    fn offer(&self, at: &Range<u64>, page: &Page) {
        let is_inflated = !matches!(
            page,
            Page::DataPageV2 {
                is_compressed: false,
                ..
            }
        );
        let header = self.bytes.header(at.start);
        let len_bytes = header.and_then(|header| header.page_len_bytes());
        let is_whole = len_bytes == at.end.checked_sub(at.start);
        if is_inflated && is_whole {
            self.file.offer(self.key(at), page);
        }
    }
}

/// Returns the places that a page reader takes pages from, in its order.
fn located(start: u64, locations: &[PageLocation]) -> Option<VecDeque<Range<u64>>> {
    let mut pages = VecDeque::with_capacity(locations.len().saturating_add(1));
    for location in locations {
        let offset = u64::try_from(location.offset).ok()?;
        if pages.is_empty() && offset != start {
            // What lies before the first page is the dictionary.
            pages.push_back(start..offset.max(start));
        }
        let len = u64::try_from(location.compressed_page_size).ok()?;
        pages.push_back(offset..offset.checked_add(len)?);
    }
    Some(pages)
}

impl CachedPages {
    /// Puts the cache before a reader.
    pub(crate) fn new(
        pages: SerializedPageReader<PageBytes>,
        levels: Levels,
        cached: Option<Cached>,
    ) -> Self {
        Self {
            pages,
            levels,
            cached,
        }
    }

    /// Steps over the next page with the reader; gives the cache up where they may part.
    fn step(&mut self) -> Option<Range<u64>> {
        let page = self.cached.as_mut()?.step();
        if page.is_none() {
            self.cached = None;
        }
        page
    }
}

impl Iterator for CachedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CachedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let at = self.step();
        if let (Some(at), Some(cached)) = (&at, &self.cached)
            && let Some(page) = cached.file.get(&cached.key(at))
        {
            self.pages.skip_next_page()?;
            return Ok(Some(page));
        }
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page {
            check_page(page, self.levels)
                .map_err(|cause| ParquetError::General(cause.to_owned()))?;
            if let (Some(at), Some(cached)) = (&at, &self.cached) {
                cached.offer(at, page);
            }
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.step();
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}
