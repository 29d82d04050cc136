//! Page indexes, loaded for a leaf when it is first asked for.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use growler_base::{LeafIdx, RowGroupIdx, limits};
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader,
    RowGroupMetaData,
};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::page_index::offset_index::PageLocation;
use parquet::schema::types::{SchemaDescriptor, Type};

use super::guard::guarded;
use super::held::{Held, IndexBytes};
use super::pages::chunk_range;
use crate::bytes::Pieces;
use crate::segment::Inner;

/// Page indexes of one file, by row group and leaf; `None` where there is none that can be used.
#[derive(Debug, Default)]
pub(crate) struct PageIndexes {
    loaded: Mutex<HashMap<(RowGroupIdx, LeafIdx), Loaded>>,
}

/// None where a chunk has no page index, or a damaged one.
type Loaded = Option<Arc<PageIndex>>;

/// Where the pages of a column chunk are, and what is known of their values.
#[derive(Debug)]
pub(crate) struct PageIndex {
    /// Pages in row order; the first starts at row 0.
    pub(crate) locations: Vec<PageLocation>,
    /// One entry a page, if there is one.
    pub(crate) values: Option<ColumnIndexMetaData>,
}

impl PageIndexes {
    pub(crate) fn get(
        &self,
        segment: &Inner,
        group: RowGroupIdx,
        leaf: LeafIdx,
    ) -> Option<Arc<PageIndex>> {
        if let Some(known) = self.known(group, leaf) {
            return known;
        }
        // Bytes that are not to be had now may be to be had later.
        let index = load(segment, group, leaf, Pieces::default()).ok()?;
        self.keep(group, leaf, index)
    }

    /// Loads the indexes of several leaves of a remote file in one call.
    pub(crate) fn load_all(
        &self,
        segment: &Inner,
        group: RowGroupIdx,
        leaves: &[LeafIdx],
    ) -> io::Result<()> {
        let missing = leaves.iter().copied();
        let missing: Vec<_> = missing
            .filter(|leaf| self.known(group, *leaf).is_none())
            .collect();
        let chunks = missing
            .iter()
            .filter_map(|leaf| segment.chunk(group, *leaf));
        let ranges = chunks.filter_map(|chunk| index_range(segment, chunk));
        let pieces = segment.bytes.fetch(ranges.collect())?;
        for leaf in missing {
            let index = load(segment, group, leaf, pieces.clone())?;
            self.keep(group, leaf, index);
        }
        Ok(())
    }

    fn known(&self, group: RowGroupIdx, leaf: LeafIdx) -> Option<Loaded> {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.get(&(group, leaf)).cloned()
    }

    fn keep(&self, group: RowGroupIdx, leaf: LeafIdx, index: Option<PageIndex>) -> Loaded {
        let index = index.map(Arc::new);
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.len() >= limits::PAGE_INDEX_ENTRIES {
            loaded.clear();
        }
        loaded.insert((group, leaf), index.clone());
        index
    }
}

/// Where the indexes of a chunk lie, from the first to the end of the last.
fn index_range(segment: &Inner, chunk: &ColumnChunkMetaData) -> Option<Range<u64>> {
    let place = |offset: Option<i64>, len: Option<i32>| {
        let start = u64::try_from(offset?).ok()?;
        Some(start..start.checked_add(u64::try_from(len?).ok()?)?)
    };
    let offsets = place(chunk.offset_index_offset(), chunk.offset_index_length())?;
    let values = place(chunk.column_index_offset(), chunk.column_index_length());
    let values = values.unwrap_or_else(|| offsets.clone());
    let range = offsets.start.min(values.start)..offsets.end.max(values.end);
    let is_sane = range.end <= segment.bytes.len_bytes()
        && range.end.saturating_sub(range.start) <= limits::REMOTE_WINDOW_LEN_BYTES;
    is_sane.then_some(range)
}

impl PageIndex {
    /// Returns the rows of each page, given those of the row group.
    pub(crate) fn rows(&self, row_count: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
        let start = |page: &PageLocation| usize::try_from(page.first_row_index).unwrap_or(0);
        let ends = self.locations.iter().skip(1).map(start).chain([row_count]);
        self.locations
            .iter()
            .map(start)
            .zip(ends)
            .map(|(start, end)| start..end)
    }
}

/// Loads the indexes of a chunk; none when there are none that can be used.
///
/// # Errors
/// When their bytes are not to be had now.
fn load(
    segment: &Inner,
    group: RowGroupIdx,
    leaf: LeafIdx,
    pieces: Pieces,
) -> io::Result<Option<PageIndex>> {
    let progress = Arc::default();
    let bytes = IndexBytes(Held::new(&segment.bytes, pieces, None, &progress));
    let index = load_from(segment, group, leaf, &bytes);
    progress.failure().map_or(Ok(index), Err)
}

fn load_from(
    segment: &Inner,
    group: RowGroupIdx,
    leaf: LeafIdx,
    bytes: &IndexBytes,
) -> Option<PageIndex> {
    let chunk = segment.chunk(group, leaf)?;
    let rows = i64::try_from(segment.row_group(group).row_count).ok()?;
    // A damaged column index does not spoil a sound offset index.
    let (locations, values) = parse(segment, chunk, rows, PageIndexPolicy::Optional, bytes)
        .or_else(|_| parse(segment, chunk, rows, PageIndexPolicy::Skip, bytes))
        .ok()??;
    let range = chunk_range(chunk, segment.bytes.len_bytes())?;
    if !are_sound(&locations, &range, rows) {
        return None;
    }
    let count = locations.len() as u64;
    let values = values.filter(|values| values.num_pages() == count);
    Some(PageIndex { locations, values })
}

type Parsed = Option<(Vec<PageLocation>, Option<ColumnIndexMetaData>)>;

/// Has the crate parse the indexes of one chunk, by showing it metadata of nothing else.
fn parse(
    segment: &Inner,
    chunk: &ColumnChunkMetaData,
    rows: i64,
    column_policy: PageIndexPolicy,
    bytes: &IndexBytes,
) -> Result<Parsed, ParquetError> {
    let within = |offset: Option<i64>, len: Option<i32>| {
        let end = offset.zip(len).and_then(|(offset, len)| {
            let start = u64::try_from(offset).ok()?;
            start.checked_add(u64::try_from(len).ok()?)
        });
        end.is_some_and(|end| end <= segment.bytes.len_bytes())
    };
    if !within(chunk.offset_index_offset(), chunk.offset_index_length()) {
        return Ok(None);
    }
    let has_values = within(chunk.column_index_offset(), chunk.column_index_length());
    let column_policy = if has_values {
        column_policy
    } else {
        PageIndexPolicy::Skip
    };
    let metadata = lone_chunk(segment, chunk, rows)?;
    let mut reader = ParquetMetaDataReader::new_with_metadata(metadata)
        .with_offset_index_policy(PageIndexPolicy::Optional)
        .with_column_index_policy(column_policy);
    guarded(|| {
        reader.read_page_indexes_sized(bytes, segment.bytes.len_bytes())?;
        let metadata = reader.finish()?;
        let offsets = metadata
            .offset_index()
            .and_then(|groups| groups.first()?.first());
        let Some(offsets) = offsets else {
            return Ok(None);
        };
        let values = metadata
            .column_index()
            .and_then(|groups| groups.first()?.first());
        let values = values.filter(|values| !matches!(values, ColumnIndexMetaData::NONE));
        Ok(Some((offsets.page_locations().clone(), values.cloned())))
    })
}

fn lone_chunk(
    segment: &Inner,
    chunk: &ColumnChunkMetaData,
    rows: i64,
) -> Result<ParquetMetaData, ParquetError> {
    let leaf = chunk.column_descr().self_type_ptr();
    let root = Type::group_type_builder("root")
        .with_fields(vec![leaf])
        .build()?;
    let schema = Arc::new(SchemaDescriptor::new(Arc::new(root)));
    let group = RowGroupMetaData::builder(schema.clone())
        .set_num_rows(rows)
        .set_column_metadata(vec![chunk.clone()])
        .build()?;
    let version = segment.metadata.file_metadata().version();
    let file = FileMetaData::new(version, rows, None, None, schema, None);
    Ok(ParquetMetaData::new(file, vec![group]))
}

/// Tells whether pages lie in order, inside their chunk and inside their row group.
fn are_sound(locations: &[PageLocation], chunk: &std::ops::Range<u64>, rows: i64) -> bool {
    let mut free_from = chunk.start;
    let mut last_row = None;
    for page in locations {
        let (Ok(start), Ok(len)) = (
            u64::try_from(page.offset),
            u64::try_from(page.compressed_page_size),
        ) else {
            return false;
        };
        let in_chunk = start >= free_from && len > 0 && len <= chunk.end.saturating_sub(start);
        let row = page.first_row_index;
        let in_rows = match last_row {
            None => row == 0,
            Some(last) => row > last && row < rows,
        };
        if !in_chunk || !in_rows {
            return false;
        }
        free_from = start.saturating_add(len);
        last_row = Some(row);
    }
    !locations.is_empty()
}
