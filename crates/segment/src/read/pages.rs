//! Column chunks of one row group as page readers.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::buf::Reader;
use bytes::{Buf, Bytes};
use growler_base::{LeafIdx, RowGroupIdx};
use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use super::ahead::{self, Rows};
use super::delta_check::Levels;
use super::held::Held;
use crate::bytes::Pieces;
use crate::page_cache::{Cached, CachedPages};
use crate::segment::Inner;
use crate::thrift_check::{self, PageHead};

type Result<T> = std::result::Result<T, ParquetError>;

/// The wanted leaves of a row group; leaf `i` of the pruned schema is `leaves[i]` of the file.
pub(crate) struct RowGroupPages<'a> {
    pub(crate) segment: &'a Inner,
    pub(crate) group: RowGroupIdx,
    pub(crate) leaves: &'a [LeafIdx],
    /// Whether rows are left out, so that pages may be.
    pub(crate) selective: bool,
    pub(crate) progress: &'a Arc<Progress>,
    /// What was fetched ahead of a remote file.
    pieces: Pieces,
}

impl<'a> RowGroupPages<'a> {
    /// Prepares to read leaves in some rows, or in all of a row group; fetches what they are about to
    /// need where the file is remote.
    pub(crate) fn new(
        segment: &'a Inner,
        group: RowGroupIdx,
        leaves: &'a [LeafIdx],
        rows: Rows<'_>,
        progress: &'a Arc<Progress>,
    ) -> Result<Self> {
        let pieces = ahead::fetch(segment, group, leaves, rows).map_err(|error| {
            let cause = error.to_string();
            progress.fail(error);
            general(&cause)
        })?;
        Ok(Self {
            segment,
            group,
            leaves,
            selective: rows.is_some(),
            progress,
            pieces,
        })
    }
}

/// What a reader has done so far.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    leaf: AtomicU32,
    pages: AtomicU64,
    /// Why bytes of a remote file were not to be had.
    failure: Mutex<Option<io::Error>>,
}

impl Progress {
    /// Notes that bytes were not to be had, as the decoder keeps the text of an error only.
    pub(crate) fn fail(&self, error: io::Error) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
    }

    /// Takes why bytes were not to be had.
    pub(crate) fn failure(&self) -> Option<io::Error> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }

    /// Returns the leaf whose page was read last.
    pub(crate) fn leaf(&self) -> LeafIdx {
        LeafIdx(self.leaf.load(Ordering::Relaxed))
    }

    /// Counts the pages read, dictionaries included.
    pub(crate) fn pages(&self) -> u64 {
        self.pages.load(Ordering::Relaxed)
    }
}

impl RowGroups for RowGroupPages<'_> {
    fn num_rows(&self) -> usize {
        self.segment.row_group(self.group).row_count
    }

    fn column_chunks(&self, i: usize) -> Result<Box<dyn PageIterator>> {
        let leaf = self.leaves.get(i).ok_or_else(|| general("no such leaf"))?;
        let locations = match self.selective {
            true => self
                .segment
                .page_indexes
                .get(self.segment, self.group, *leaf),
            false => None,
        };
        let locations = locations.map(|index| index.locations.clone());
        self.progress.leaf.store(leaf.0, Ordering::Relaxed);
        let pieces = self.pieces.clone();
        let place = (self.group, *leaf);
        let pages = page_reader(self.segment, place, locations, pieces, self.progress)?;
        let progress = self.progress.clone();
        Ok(Box::new(OneChunk(Some(Box::new(LeafPages {
            pages,
            leaf: *leaf,
            progress,
        })))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(
            self.segment
                .metadata
                .row_groups()
                .get(self.group.index())
                .into_iter(),
        )
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.segment.metadata
    }
}

fn levels(segment: &Inner, leaf: LeafIdx) -> Levels {
    let column = segment.schema().column(leaf.index());
    Levels {
        definition: column.max_def_level(),
        repetition: column.max_rep_level(),
    }
}

/// Opens a column chunk, which must lie inside the file.
pub(crate) fn page_reader(
    segment: &Inner,
    (group, leaf): (RowGroupIdx, LeafIdx),
    locations: Option<Vec<parquet::file::page_index::offset_index::PageLocation>>,
    pieces: Pieces,
    progress: &Arc<Progress>,
) -> Result<CachedPages> {
    let chunk = segment
        .chunk(group, leaf)
        .ok_or_else(|| general("no such column chunk"))?;
    if chunk.file_path().is_some_and(|path| !path.is_empty()) {
        return Err(ParquetError::NYI("column chunk in another file".to_owned()));
    }
    let range = chunk_range(chunk, segment.bytes.len_bytes())
        .ok_or_else(|| general("column chunk lies outside of the file"))?;
    let rows = segment.row_group(group).row_count;
    let end = locations.is_none().then_some(range.end);
    let bytes = Arc::new(PageBytes {
        bytes: Held::new(&segment.bytes, pieces, end, progress),
        located: locations.is_some(),
    });
    let cached = match chunk.compression() {
        // Such pages are no more than places in the file.
        Compression::UNCOMPRESSED => None,
        _ => {
            let (file, locations) = (&segment.pages, locations.as_deref());
            Cached::new(file, (group, leaf), &bytes, range, locations)
        }
    };
    let pages = SerializedPageReader::new(bytes, chunk, rows, locations)?;
    Ok(CachedPages::new(pages, levels(segment, leaf), cached))
}

/// Bytes of a file whose page headers are checked before they are parsed.
pub(crate) struct PageBytes {
    bytes: Held,
    /// Whether pages are fetched whole, by location; else a header is read first, then the rest.
    located: bool,
}

impl PageBytes {
    /// Returns what the page header at a place says; none when there is no sound one.
    pub(crate) fn header(&self, start: u64) -> Option<PageHead> {
        let is_enough = |bytes: &[u8]| check_header(bytes).is_ok();
        let bytes = self.bytes.from(start, &is_enough).ok()?;
        check_header(&bytes).ok()
    }
}

/// Reads one page header, checked before its first byte is handed on. (A reader of a header that was
/// peeked at before is made as well, and never read.)
pub(crate) struct HeaderRead {
    bytes: Reader<Bytes>,
    checked: bool,
}

impl Read for HeaderRead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.checked {
            check_header(self.bytes.get_ref()).map_err(io::Error::other)?;
            self.checked = true;
        }
        self.bytes.read(buffer)
    }
}

fn check_header(bytes: &[u8]) -> Result<PageHead> {
    thrift_check::check_page_header(bytes)
        .map_err(|cause| general(&format!("page header does not parse: {cause}")))
}

impl Length for PageBytes {
    fn len(&self) -> u64 {
        self.bytes.len_bytes()
    }
}

impl ChunkReader for PageBytes {
    type T = HeaderRead;

    fn get_read(&self, start: u64) -> Result<HeaderRead> {
        let bytes = self
            .bytes
            .from(start, &|bytes| check_header(bytes).is_ok())?;
        Ok(HeaderRead {
            bytes: bytes.reader(),
            checked: false,
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let bytes = self.bytes.get(start, length)?;
        if self.located {
            check_header(&bytes)?;
        }
        Ok(bytes)
    }
}

/// Returns where a column chunk lies; none when that is not inside the file.
pub(crate) fn chunk_range(
    chunk: &ColumnChunkMetaData,
    file_len: u64,
) -> Option<std::ops::Range<u64>> {
    let start = chunk
        .dictionary_page_offset()
        .unwrap_or(chunk.data_page_offset());
    let start = u64::try_from(start).ok()?;
    let end = start.checked_add(u64::try_from(chunk.compressed_size()).ok()?)?;
    (end <= file_len).then_some(start..end)
}

fn general(cause: &str) -> ParquetError {
    ParquetError::General(cause.to_owned())
}

/// Iterator over the single chunk that a leaf has in a row group.
struct OneChunk(Option<Box<LeafPages>>);

impl Iterator for OneChunk {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(|pages| Ok(pages as Box<dyn PageReader>))
    }
}

impl PageIterator for OneChunk {}

/// Page reader that notes what it reads, so that errors can name the leaf.
struct LeafPages {
    pages: CachedPages,
    leaf: LeafIdx,
    progress: Arc<Progress>,
}

impl Iterator for LeafPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for LeafPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.progress.leaf.store(self.leaf.0, Ordering::Relaxed);
        let page = self.pages.get_next_page()?;
        self.progress
            .pages
            .fetch_add(u64::from(page.is_some()), Ordering::Relaxed);
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.progress.leaf.store(self.leaf.0, Ordering::Relaxed);
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}
