//! One file of a table that says more of it than the file does.

use std::sync::Arc;

use growler_segment::Segment;
use roaring::RoaringBitmap;

/// One file of a table.
///
/// What a column has that the file lacks, the segment knows itself
/// ([`growler_segment::Segment::in_table`]).
#[derive(Debug, Clone)]
pub struct Member {
    /// The file.
    pub segment: Segment,
    /// Rows that are gone; none when all are there.
    pub deleted_rows: Option<Arc<RoaringBitmap>>,
}

impl Member {
    /// Makes a member of a file with all of its rows.
    pub fn new(segment: Segment) -> Self {
        Self {
            segment,
            deleted_rows: None,
        }
    }

    /// Leaves rows out.
    #[must_use]
    pub fn without_rows(mut self, rows: Arc<RoaringBitmap>) -> Self {
        self.deleted_rows = (!rows.is_empty()).then_some(rows);
        self
    }

    /// Returns how many rows are there.
    pub(super) fn live_row_count(&self) -> u64 {
        let row_count = self.segment.row_count() as u64;
        let deleted = self.deleted_rows.as_ref();
        let end = u32::try_from(row_count).unwrap_or(u32::MAX);
        // Rows behind the end are nobody's.
        let deleted = deleted.map_or(0, |rows| rows.range_cardinality(..end));
        row_count.saturating_sub(deleted)
    }
}
