//! The reader: batches of the asked rows, in ascending order.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use growler_base::{LeafIdx, RowGroupIdx, RowRanges, limits};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowSelection, RowSelector};
use parquet::errors::ParquetError;

use super::batch_rows::BatchRows;
use super::guard::guarded;
use super::pages::{Progress, RowGroupPages};
use super::plan::{Plan, Stop, reads_as_dictionary};
use super::pruned_schema::field_levels;
use crate::segment::Inner;
use crate::{Error, Source};

/// How to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadOptions {
    /// Most rows in a batch.
    pub batch_rows: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            batch_rows: limits::BATCH_ROWS,
        }
    }
}

/// Arrays of all asked sources for the same rows.
#[derive(Debug, Clone)]
pub struct Batch {
    /// One array a source, in the order asked; of the source's column type, except that text may be
    /// `Dictionary(Int32, Utf8)`.
    pub columns: Vec<ArrayRef>,
    /// Rows in every array.
    pub row_count: usize,
    /// The rows, local to the row group.
    pub rows: RowRanges,
}

/// Yields the asked rows of one row group in ascending order; ends after an error.
pub struct BatchReader {
    segment: Arc<Inner>,
    group: RowGroupIdx,
    plan: Plan,
    /// Rows not yet returned.
    left: Left,
    /// Rows that were asked for; none after an error, and when they were taken note of.
    asked: RowRanges,
    batch_rows: usize,
    reader: Option<ParquetRecordBatchReader>,
    progress: Arc<Progress>,
}

impl BatchReader {
    pub(crate) fn try_new(
        segment: &Arc<Inner>,
        group: RowGroupIdx,
        sources: &[Source],
        rows: &RowRanges,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let row_count = segment.row_group(group).row_count;
        let asked = rows.intersect(&RowRanges::all(row_count));
        let left = Left::new(&asked);
        let mut reader = Self {
            segment: segment.clone(),
            group,
            plan: Plan::new(segment, group, sources, left.row_count == row_count),
            left,
            asked,
            batch_rows: options.batch_rows.max(1),
            reader: None,
            progress: Arc::default(),
        };
        reader.start()?;
        Ok(reader)
    }

    /// Returns the leaves that are read, ascending.
    pub fn leaves(&self) -> &[LeafIdx] {
        &self.plan.leaves
    }

    /// Returns how many pages were read so far, dictionaries included.
    pub fn pages_read(&self) -> u64 {
        self.progress.pages()
    }

    /// Starts reading the rows that are left, with the leaves that the plan now has.
    fn start(&mut self) -> Result<(), Error> {
        if self.plan.leaves.is_empty() || self.left.row_count == 0 {
            self.reader = None;
            return Ok(());
        }
        let reader = guarded(|| self.reader());
        self.reader = Some(reader.map_err(|error| self.damaged(&error))?);
        Ok(())
    }

    fn reader(&self) -> Result<ParquetRecordBatchReader, ParquetError> {
        let segment = &self.segment;
        let as_dictionary = |leaf| reads_as_dictionary(segment, self.group, leaf);
        let levels = field_levels(
            segment.schema(),
            &self.plan.columns,
            &self.plan.leaves,
            &as_dictionary,
        )?;
        let selection = self.selection();
        let rows = selection.is_some().then_some(&self.left.ranges);
        let leaves = &self.plan.leaves;
        let pages = RowGroupPages::new(segment, self.group, leaves, rows, &self.progress)?;
        let batch_rows = self.batch_rows.min(self.left.row_count);
        ParquetRecordBatchReader::try_new_with_row_groups(&levels, &pages, batch_rows, selection)
    }

    /// Returns the rows that are left as a selection; none when they are the whole row group.
    fn selection(&self) -> Option<RowSelection> {
        let row_count = self.segment.row_group(self.group).row_count;
        if self.left.row_count == row_count {
            return None;
        }
        let mut selectors = Vec::new();
        let mut next = 0;
        for range in &self.left.ranges {
            if range.start > next {
                selectors.push(RowSelector::skip(range.start.saturating_sub(next)));
            }
            selectors.push(RowSelector::select(range.len()));
            next = range.end;
        }
        if row_count > next {
            selectors.push(RowSelector::skip(row_count.saturating_sub(next)));
        }
        Some(RowSelection::from(selectors))
    }

    fn read(&mut self) -> Result<Option<Batch>, Error> {
        while self.left.row_count > 0 {
            let record = self.record()?;
            let row_count = match &record {
                Some(record) => record.num_rows(),
                None => self.batch_rows.min(self.left.row_count),
            };
            let rows = self.left.take(row_count);
            let asked = BatchRows {
                segment: &self.segment,
                group: self.group,
                ranges: &rows,
            };
            match self.plan.arrays(record.as_ref(), &asked) {
                Ok(columns) => {
                    return Ok(Some(Batch {
                        columns,
                        row_count,
                        rows,
                    }));
                }
                Err(Stop::Again) => {
                    self.left.put_back(&rows);
                    self.start()?;
                }
                Err(Stop::Failed(error)) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Reads the next rows of the leaves; none when no leaf is read.
    fn record(&mut self) -> Result<Option<RecordBatch>, Error> {
        let Some(reader) = &mut self.reader else {
            return Ok(None);
        };
        let record = guarded(|| reader.next().transpose().map_err(ParquetError::from));
        let record = record.map_err(|error| self.damaged(&error))?;
        let rows = record.as_ref().map_or(0, RecordBatch::num_rows);
        if rows == 0 || rows > self.left.row_count {
            let cause = format!(
                "pages hold other rows than the footer says: expected={} found={rows}",
                self.left.row_count
            );
            return Err(self.damaged(&ParquetError::General(cause)));
        }
        Ok(record)
    }

    /// Takes note of what reading all of the rows has shown, for the next reader.
    fn learn(&mut self) {
        let rows = std::mem::take(&mut self.asked);
        if rows.is_empty() {
            return;
        }
        for value in self.plan.untyped_empty() {
            let facts = &self.segment.facts;
            facts.see_untyped_empty((self.group, value), &rows);
        }
    }

    fn damaged(&self, error: &ParquetError) -> Error {
        damaged(&self.segment, self.group, &self.progress, error)
    }
}

/// Returns the error of a row group that does not decode, with the leaf that was read last.
pub(crate) fn damaged(
    segment: &Inner,
    group: RowGroupIdx,
    progress: &Progress,
    error: &ParquetError,
) -> Error {
    if let Some(source) = progress.failure() {
        let path = Arc::clone(&segment.path);
        return Error::Unreadable { path, source };
    }
    let leaf = progress.leaf();
    let column = segment.schema().columns().get(leaf.index());
    let column = column.map(|column| Arc::from(column.path().string()));
    let place = Box::new(segment.place(Some(group), column));
    match error {
        ParquetError::NYI(cause) => Error::Unsupported {
            place,
            cause: cause.as_str().into(),
        },
        other => Error::Corrupt {
            place,
            cause: other.to_string().into(),
        },
    }
}

impl Iterator for BatchReader {
    type Item = Result<Batch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.read();
        if batch.is_err() {
            self.left = Left::default();
            self.asked = RowRanges::default();
            self.reader = None;
        }
        if self.left.row_count == 0 {
            self.learn();
        }
        batch.transpose()
    }
}

/// Rows that are left to read.
#[derive(Debug, Default)]
struct Left {
    ranges: VecDeque<Range<usize>>,
    row_count: usize,
}

impl Left {
    fn new(rows: &RowRanges) -> Self {
        Self {
            ranges: rows.iter().collect(),
            row_count: rows.row_count(),
        }
    }

    /// Takes the next rows.
    fn take(&mut self, row_count: usize) -> RowRanges {
        let mut taken = RowRanges::default();
        let mut wanted = row_count.min(self.row_count);
        self.row_count = self.row_count.saturating_sub(wanted);
        while wanted > 0 {
            let Some(range) = self.ranges.pop_front() else {
                break;
            };
            let cut = range.start.saturating_add(wanted.min(range.len()));
            wanted = wanted.saturating_sub(range.len());
            if cut < range.end {
                self.ranges.push_front(cut..range.end);
            }
            taken.push(range.start..cut);
        }
        taken
    }

    /// Puts rows that were taken last back.
    fn put_back(&mut self, rows: &RowRanges) {
        self.row_count = self.row_count.saturating_add(rows.row_count());
        let back: Vec<_> = rows.iter().collect();
        back.into_iter()
            .rev()
            .for_each(|range| self.ranges.push_front(range));
    }
}
