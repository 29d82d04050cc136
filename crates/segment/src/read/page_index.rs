//! Page indexes, loaded for a leaf when it is first asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
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
use super::pages::chunk_range;
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
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = loaded.get(&(group, leaf)) {
            return known.clone();
        }
        let index = load(segment, group, leaf).map(Arc::new);
        if loaded.len() >= limits::PAGE_INDEX_ENTRIES {
            loaded.clear();
        }
        loaded.insert((group, leaf), index.clone());
        index
    }
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

fn load(segment: &Inner, group: RowGroupIdx, leaf: LeafIdx) -> Option<PageIndex> {
    let chunk = segment.chunk(group, leaf)?;
    let rows = i64::try_from(segment.row_group(group).row_count).ok()?;
    // A damaged column index does not spoil a sound offset index.
    let (locations, values) = parse(segment, chunk, rows, PageIndexPolicy::Optional)
        .or_else(|_| parse(segment, chunk, rows, PageIndexPolicy::Skip))
        .ok()??;
    let range = chunk_range(chunk, segment.bytes.len() as u64)?;
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
) -> Result<Parsed, ParquetError> {
    let within = |offset: Option<i64>, len: Option<i32>| {
        let end = offset.zip(len).and_then(|(offset, len)| {
            let start = u64::try_from(offset).ok()?;
            start.checked_add(u64::try_from(len).ok()?)
        });
        end.is_some_and(|end| end <= segment.bytes.len() as u64)
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
    let bytes: &Bytes = &segment.bytes;
    guarded(|| {
        reader.read_page_indexes_sized(bytes, bytes.len() as u64)?;
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
