//! The slots of a query in one segment.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray};
use growler_base::{RowGroupIdx, RowRanges};
use growler_index::SegmentIndexes;
use growler_segment::{NonObjectRoot, ReadOptions, Segment, Source, Statistics};
use roaring::RoaringBitmap;

use super::{
    slots::{Slot, What},
    substitute::constant_text,
};
use crate::{
    error::Error,
    expr::InputBatch,
    filter::Mask,
    lookup::{Asking, Lookups},
    run::Charge,
};

/// A segment with every slot of a query bound to its columns.
#[derive(Debug)]
pub struct BoundSegment {
    segment: Segment,
    slots: Vec<BoundSlot>,
    lookups: Lookups,
    deleted: Option<Arc<RoaringBitmap>>,
    /// Stands where a slot is not read.
    unread: ArrayRef,
    /// What the open file takes, where it would be closed otherwise.
    open: Option<Charge>,
}

#[derive(Debug)]
enum BoundSlot {
    Source(Source),
    /// The same text in every row.
    Text(String),
}

/// Slots for the same rows, and which rows these are.
#[derive(Debug)]
pub struct ReadBatch {
    /// Arrays by slot; a slot that was not asked for has an empty array.
    pub batch: InputBatch,
    /// The rows, local to the row group.
    pub rows: RowRanges,
}

impl BoundSegment {
    /// Binds all slots.
    ///
    /// # Errors
    /// [`Error::Execution`] when the file does not have a column in a form that can be read.
    pub fn try_new(
        segment: &Segment,
        slots: &[Slot],
        root: NonObjectRoot,
        host_name: &str,
    ) -> Result<Self, Error> {
        let bind = |slot: &Slot| -> Result<BoundSlot, Error> {
            Ok(match &slot.what {
                What::Column(field) => BoundSlot::Source(segment.bind_column(field)?),
                What::Key(field, path, output) => {
                    BoundSlot::Source(segment.bind_key(field, path, *output, root)?)
                }
                What::Document(field) => BoundSlot::Source(segment.bind_document(field, root)?),
                What::RowId => BoundSlot::Source(Source::row_id()),
                What::SegmentName => BoundSlot::Text(segment.id().as_str().to_owned()),
                What::HostName => BoundSlot::Text(host_name.to_owned()),
            })
        };
        let slots = slots.iter().map(bind).collect::<Result<_, _>>()?;
        Ok(Self {
            segment: segment.clone(),
            slots,
            lookups: Lookups::default(),
            deleted: None,
            unread: Arc::new(NullArray::new(0)),
            open: None,
        })
    }

    /// Counts what the file takes for being open, for as long as it is.
    #[must_use]
    pub fn with_open(mut self, open: Option<Charge>) -> Self {
        self.open = open;
        self
    }

    /// Asks the segment's indexes about the query whose slots are bound.
    ///
    /// # Errors
    /// The query's limits.
    pub fn with_lookups(
        mut self,
        asking: &Asking<'_>,
        indexes: Option<&SegmentIndexes>,
    ) -> Result<Self, Error> {
        if let Some(indexes) = indexes
            && indexes.row_count() as usize == self.segment.row_count()
        {
            self.lookups = Lookups::ask(asking, indexes, |slot| self.source(slot))?;
        }
        Ok(self)
    }

    /// Leaves rows out: no answer may depend on them.
    #[must_use]
    pub fn without_rows(mut self, deleted: Option<Arc<RoaringBitmap>>) -> Self {
        self.deleted = deleted;
        self
    }

    /// Returns the rows that are gone; none when all are there.
    pub fn deleted_rows(&self) -> Option<&RoaringBitmap> {
        self.deleted.as_deref()
    }

    /// Returns how many rows are there.
    pub fn live_row_count(&self) -> u64 {
        let row_count = self.segment.row_count() as u64;
        let end = u32::try_from(row_count).unwrap_or(u32::MAX);
        let deleted = self.deleted.as_ref();
        row_count.saturating_sub(deleted.map_or(0, |rows| rows.range_cardinality(..end)))
    }

    /// Returns the rows of a window of a row group that are there.
    ///
    /// Every evaluation of a filter starts with these.
    pub fn live_rows(&self, row_group: RowGroupIdx, window: &Range<usize>) -> Mask {
        let Some(deleted) = &self.deleted else {
            return Mask::all(window.len());
        };
        let first = self.segment.row_group(row_group).first_row.index();
        let row = |at: usize| u32::try_from(first.saturating_add(at)).unwrap_or(u32::MAX);
        Mask::all_but(deleted, row(window.start)..row(window.end))
    }

    /// Returns what the segment's indexes say about the query.
    pub fn lookups(&self) -> &Lookups {
        &self.lookups
    }

    /// Returns the segment.
    pub fn segment(&self) -> &Segment {
        &self.segment
    }

    /// Returns the source of a slot; none when it is the same text in every row.
    pub fn source(&self, slot: usize) -> Option<&Source> {
        match self.slots.get(slot) {
            Some(BoundSlot::Source(source)) => Some(source),
            Some(BoundSlot::Text(_)) | None => None,
        }
    }

    /// Returns what the footer proves about a slot in one row group; none when it has no source.
    pub fn statistics(&self, row_group: RowGroupIdx, slot: usize) -> Option<Statistics> {
        self.source(slot)
            .map(|source| self.segment.statistics(row_group, source))
    }

    /// Tells whether every row of some slots reads in a row group, damaged pages aside.
    pub fn reads_as_it_is(&self, row_group: RowGroupIdx, slots: &[usize]) -> bool {
        let reads = |source| self.segment.reads_as_it_is(row_group, source);
        slots
            .iter()
            .all(|slot| self.source(*slot).is_none_or(reads))
    }

    /// Reads some slots of some rows of one row group.
    ///
    /// # Errors
    /// Those of the batches, as far as they show before the first row is read.
    pub fn read<'s>(
        &'s self,
        row_group: RowGroupIdx,
        slots: &'s [usize],
        rows: &RowRanges,
        batch_rows: usize,
    ) -> Result<impl Iterator<Item = Result<ReadBatch, Error>> + 's, Error> {
        let sources: Vec<Source> = slots
            .iter()
            .filter_map(|&slot| self.source(slot))
            .cloned()
            .collect();
        let reader = self
            .segment
            .read(row_group, &sources, rows, &ReadOptions { batch_rows })?;
        Ok(reader.map(move |read| {
            let read = read?;
            let batch = self.place(slots, read.columns, read.row_count);
            Ok(ReadBatch {
                batch,
                rows: read.rows,
            })
        }))
    }

    /// Returns rows of which one slot is known, and which need not be of the segment.
    pub fn rows_of(&self, slot: usize, array: ArrayRef) -> InputBatch {
        let row_count = array.len();
        self.place(&[slot], vec![array], row_count)
    }

    /// Returns rows of which no slot is read.
    pub fn rows_unread(&self, row_count: usize) -> InputBatch {
        self.place(&[], Vec::new(), row_count)
    }

    /// Puts the arrays that were read where their slots are.
    fn place(&self, slots: &[usize], arrays: Vec<ArrayRef>, row_count: usize) -> InputBatch {
        let mut columns = vec![Arc::clone(&self.unread); self.slots.len()];
        let mut arrays = arrays.into_iter();
        for &slot in slots {
            let array = match self.slots.get(slot) {
                Some(BoundSlot::Source(_)) => arrays.next(),
                Some(BoundSlot::Text(text)) => Some(constant_text(text, row_count)),
                None => None,
            };
            if let (Some(column), Some(array)) = (columns.get_mut(slot), array) {
                *column = array;
            }
        }
        InputBatch { columns, row_count }
    }
}
