//! What the leaves of one read are about to need of a remote file, fetched in one call.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;

use growler_base::{LeafIdx, RowGroupIdx, limits};

use super::page_index::PageIndex;
use super::pages::chunk_range;
use crate::bytes::{FileBytes, Pieces};
use crate::segment::Inner;

/// Rows of a row group, ascending; none for all of them.
pub(crate) type Rows<'a> = Option<&'a VecDeque<Range<usize>>>;

/// Fetches the first parts of some leaves; nothing for a mapped file.
pub(crate) fn fetch(
    segment: &Inner,
    group: RowGroupIdx,
    leaves: &[LeafIdx],
    rows: Rows<'_>,
) -> io::Result<Pieces> {
    if !matches!(segment.bytes, FileBytes::Remote(_)) || leaves.is_empty() {
        return Ok(Pieces::default());
    }
    if rows.is_some() {
        segment.page_indexes.load_all(segment, group, leaves)?;
    }
    let share = limits::REMOTE_AHEAD_LEN_BYTES / leaves.len().max(1) as u64;
    let share = share.min(limits::REMOTE_WINDOW_LEN_BYTES);
    let mut ranges = Vec::new();
    for leaf in leaves {
        let chunk = segment.chunk(group, *leaf);
        let Some(chunk) = chunk.and_then(|chunk| chunk_range(chunk, segment.bytes.len_bytes()))
        else {
            continue;
        };
        let pages = rows.and_then(|rows| {
            let index = segment.page_indexes.get(segment, group, *leaf)?;
            let row_count = segment.row_group(group).row_count;
            Some(located(&chunk, &index, rows, row_count))
        });
        bounded(pages.unwrap_or_else(|| vec![chunk]), share, &mut ranges);
    }
    segment.bytes.fetch(ranges)
}

/// The dictionary page, and the pages that hold asked rows.
fn located(
    chunk: &Range<u64>,
    index: &PageIndex,
    rows: &VecDeque<Range<usize>>,
    row_count: usize,
) -> Vec<Range<u64>> {
    let place = |page: &parquet::file::page_index::offset_index::PageLocation| {
        let start = u64::try_from(page.offset).unwrap_or(chunk.end);
        let len = u64::try_from(page.compressed_page_size).unwrap_or(0);
        start..start.saturating_add(len)
    };
    let first = index
        .locations
        .first()
        .map_or(chunk.end, |page| place(page).start);
    let dictionary = chunk.start..first;
    let mut ranges = Vec::from([dictionary]);
    let mut rows = rows.iter().peekable();
    for (page, page_rows) in index.locations.iter().zip(index.rows(row_count)) {
        while rows.next_if(|asked| asked.end <= page_rows.start).is_some() {}
        if rows.peek().is_some_and(|asked| asked.start < page_rows.end) {
            ranges.push(place(page));
        }
    }
    ranges
}

/// Takes ranges until there are `most` bytes.
fn bounded(ranges: Vec<Range<u64>>, most: u64, taken: &mut Vec<Range<u64>>) {
    let mut left = most;
    for range in ranges {
        if left == 0 {
            return;
        }
        let len = range.end.saturating_sub(range.start).min(left);
        left = left.saturating_sub(len);
        taken.push(range.start..range.start.saturating_add(len));
    }
}
