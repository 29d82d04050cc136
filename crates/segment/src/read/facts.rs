//! What footer and dictionary pages tell of the leaves of a row group before they are read.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use growler_base::{Cursor, LeafIdx, RowGroupIdx, RowRanges, limits};
use growler_variant::Metadata;
use growler_variant::shred::LeafFacts;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};
use parquet::file::metadata::ColumnChunkMetaData;

use super::guard::guarded;
use super::pages::{chunk_range, page_reader};
use crate::segment::Inner;

/// Distinct metadata of a variant in a row group; none where they are not known up front.
type Names = Option<Arc<[Bytes]>>;

/// Facts worked out so far, by row group.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    all_null: Mutex<HashMap<RowGroupIdx, Arc<[bool]>>>,
    names: Mutex<HashMap<(RowGroupIdx, LeafIdx), Names>>,
    /// Rows in which a residual was seen to hold nothing where the typed part is null.
    untyped_empty: Mutex<HashMap<(RowGroupIdx, LeafIdx), RowRanges>>,
}

impl Facts {
    /// Returns which leaves of a row group hold no value.
    pub(crate) fn leaves(&self, segment: &Inner, group: RowGroupIdx) -> LeafFacts {
        let mut known = self.all_null.lock().unwrap_or_else(PoisonError::into_inner);
        let flags = known.entry(group).or_insert_with(|| {
            let rows = segment.row_group(group).row_count;
            let group = segment.metadata.row_groups().get(group.index());
            let chunks = group.map(|group| group.columns()).unwrap_or_default();
            chunks
                .iter()
                .map(|chunk| is_all_null(chunk, rows))
                .collect()
        });
        LeafFacts::new(flags.clone())
    }

    /// Tells whether any variant metadata of a row group may hold one of the names; true whenever
    /// that cannot be told from the dictionary page alone.
    pub(crate) fn mentions(
        &self,
        segment: &Inner,
        group: RowGroupIdx,
        metadata: LeafIdx,
        names: &[&str],
    ) -> bool {
        let known = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.get(&(group, metadata)).cloned();
        drop(known);
        let entries = match found {
            Some(entries) => entries,
            None => {
                // Outside of the lock, as a remote file may be slow.
                let Ok(entries) = dictionary(segment, group, metadata) else {
                    return true;
                };
                let entries: Names = entries.map(Arc::from);
                let mut known = self.names.lock().unwrap_or_else(PoisonError::into_inner);
                known.insert((group, metadata), entries.clone());
                entries
            }
        };
        let Some(entries) = entries else { return true };
        let mentions = |entry: &Bytes| match Metadata::try_new(entry) {
            Ok(metadata) => names
                .iter()
                .any(|name| metadata.ids_of(name).next().is_some()),
            Err(_) => true,
        };
        entries.iter().any(mentions)
    }
}

/// Most ranges of rows kept of one residual.
const SEEN_RANGES: usize = 256;

impl Facts {
    /// Notes that in some rows a residual holds nothing where the typed part beside it is null.
    pub(crate) fn see_untyped_empty(&self, place: (RowGroupIdx, LeafIdx), rows: &RowRanges) {
        let seen = self.untyped_empty.lock();
        let mut seen = seen.unwrap_or_else(PoisonError::into_inner);
        let known = seen.entry(place).or_default();
        let joined = known.union(rows);
        if joined.iter().count() <= SEEN_RANGES {
            *known = joined;
        }
    }

    /// Tells whether a residual was seen to hold nothing in any row where the typed part beside it is
    /// null.
    pub(crate) fn is_untyped_empty(
        &self,
        segment: &Inner,
        group: RowGroupIdx,
        value: LeafIdx,
    ) -> bool {
        let seen = self.untyped_empty.lock();
        let seen = seen.unwrap_or_else(PoisonError::into_inner);
        let rows = seen.get(&(group, value)).map_or(0, RowRanges::row_count);
        rows > 0 && rows == segment.row_group(group).row_count
    }
}

/// Tells whether a column chunk provably has no value: every slot is null, and every row has one.
pub(crate) fn is_all_null(chunk: &ColumnChunkMetaData, row_count: usize) -> bool {
    let nulls = chunk
        .statistics()
        .and_then(|statistics| statistics.null_count_opt());
    let values = u64::try_from(chunk.num_values()).ok();
    nulls == values && values.is_some_and(|values| values >= row_count as u64)
}

/// Tells whether some row has a variant group whose typed object is null, given the group's residual
/// and leaves of that object; none where that is not known.
pub(crate) fn has_untyped_rows(
    segment: &Inner,
    group: RowGroupIdx,
    value: LeafIdx,
    below: &[LeafIdx],
) -> Option<bool> {
    let counted = below.first().and_then(|leaf| {
        let chunk = segment.chunk(group, *leaf)?;
        let histogram = chunk.definition_level_histogram()?.values();
        histogram.get(level_above(segment, value, *leaf)?).copied()
    });
    if let Some(rows) = counted {
        return Some(rows > 0);
    }
    // A leaf without nulls has nothing null above it.
    let is_full = |leaf: &LeafIdx| {
        let nulls = segment
            .chunk(group, *leaf)
            .and_then(ColumnChunkMetaData::statistics);
        nulls.and_then(|statistics| statistics.null_count_opt()) == Some(0)
    };
    below.iter().any(is_full).then_some(false)
}

/// Returns the definition level of a leaf in rows whose group is there, but not the typed object
/// that the leaf is below.
pub(crate) fn level_above(segment: &Inner, value: LeafIdx, below: LeafIdx) -> Option<usize> {
    let columns = segment.schema().columns();
    // The residual lies beside the object, so its path is as long as that of the object.
    let depth = columns.get(value.index())?.path().parts().len();
    let path = columns.get(below.index())?.path().parts();
    let (mut node, mut level) = (segment.schema().root_schema(), 0_usize);
    for name in path.iter().take(depth) {
        node = node
            .get_fields()
            .iter()
            .find(|child| child.name() == name)?;
        level = level.saturating_add(usize::from(node.is_optional()));
    }
    level.checked_sub(1).filter(|_| node.is_optional())
}

/// Tells whether every data page of a chunk is dictionary-encoded, as far as the footer tells.
pub(crate) fn is_all_dictionary(chunk: &ColumnChunkMetaData) -> bool {
    let is_dictionary = |encoding| {
        matches!(
            encoding,
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY
        )
    };
    if let Some(pages) = chunk.page_encoding_stats_mask() {
        let mut encodings = pages.encodings().peekable();
        return encodings.peek().is_some() && encodings.all(is_dictionary);
    }
    // Without statistics of pages, PLAIN may be the dictionary page's encoding or that of data.
    let is_levels = |encoding| {
        #[expect(deprecated, reason = "old writers list it for their levels")]
        let levels = matches!(encoding, Encoding::RLE | Encoding::BIT_PACKED);
        levels
    };
    chunk.encodings().any(is_dictionary)
        && chunk
            .encodings()
            .all(|encoding| is_dictionary(encoding) || is_levels(encoding))
}

/// Returns the entries of a chunk's dictionary if they are all its values, and not too many.
///
/// # Errors
/// When its bytes are not to be had now.
fn dictionary(
    segment: &Inner,
    group: RowGroupIdx,
    leaf: LeafIdx,
) -> std::io::Result<Option<Vec<Bytes>>> {
    let Some(chunk) = segment
        .chunk(group, leaf)
        .filter(|chunk| is_all_dictionary(chunk))
    else {
        return Ok(None);
    };
    let progress = Arc::default();
    let pieces = segment.bytes.fetch(dictionary_range(segment, chunk))?;
    let first_page =
        || page_reader(segment, (group, leaf), None, pieces, &progress)?.get_next_page();
    let page = guarded(first_page);
    if let Some(failure) = progress.failure() {
        return Err(failure);
    }
    Ok(match page {
        Ok(Some(Page::DictionaryPage {
            buf, num_values, ..
        })) => entries(&buf, num_values),
        Ok(_) | Err(_) => None,
    })
}

/// Where the dictionary page of a chunk lies, as far as the footer tells.
fn dictionary_range(segment: &Inner, chunk: &ColumnChunkMetaData) -> Vec<std::ops::Range<u64>> {
    let range = chunk_range(chunk, segment.bytes.len_bytes());
    let end = u64::try_from(chunk.data_page_offset()).ok();
    let found = range.zip(end).map(|(range, end)| {
        let most = range.start.saturating_add(limits::REMOTE_WINDOW_LEN_BYTES);
        range.start..end.min(range.end).min(most)
    });
    found.into_iter().collect()
}

/// Takes apart PLAIN byte arrays: a length in four bytes, then the bytes.
fn entries(page: &Bytes, count: u32) -> Option<Vec<Bytes>> {
    let count = usize::try_from(count)
        .ok()
        .filter(|n| *n <= limits::METADATA_ENTRIES)?;
    let mut cursor = Cursor::new(page);
    let mut entries = Vec::with_capacity(count);
    for _ in 0..count {
        let len = cursor.uint(4).ok()?;
        let entry = cursor.take(u64::from(len)).ok()?;
        entries.push(page.slice_ref(entry));
    }
    Some(entries)
}
