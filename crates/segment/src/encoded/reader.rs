//! Batches of rows as ids.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use growler_base::{LeafIdx, RowGroupIdx, RowRanges};
use parquet::arrow::arrow_reader::RowGroups;
use parquet::column::page::{Page, PageReader};
use parquet::errors::ParquetError;

use super::bits::Bits;
use super::block::Block;
use super::dictionary;
use super::id_set::IdSet;
use super::page::{EncodedPage, Meaning, Refused, Scratch};
use crate::read::batch::damaged;
use crate::read::facts::is_all_dictionary;
use crate::read::guard::guarded;
use crate::read::pages::{Progress, RowGroupPages};
use crate::read::plan::Plan;
use crate::segment::Inner;
use crate::{Error, Source};

/// Rows of one row group as ids into a dictionary, in order.
///
/// The dictionary holds values of exactly the source's Arrow type. It may hold a value twice, values
/// that no row has, and nulls, where an entry does not convert.
pub struct EncodedReader {
    segment: Arc<Inner>,
    group: RowGroupIdx,
    leaf: LeafIdx,
    dictionary: ArrayRef,
    meaning: Meaning,
    pages: Box<dyn PageReader>,
    page: Option<EncodedPage>,
    ids: Vec<u32>,
    scratch: Scratch,
    rows_left: usize,
    progress: Arc<Progress>,
}

/// Entries that are not too many for however few rows.
const FEW_ENTRIES: usize = 64;

/// Why a reader ended before the last row.
#[derive(Debug)]
pub enum EncodedStop {
    /// The rows from here on are to be read as arrays: a page is encoded otherwise, or the leaf does
    /// not tell all of some row.
    Untold,
    /// For good.
    Failed(Error),
}

impl EncodedReader {
    /// Prepares to read all rows, or to skip all but some; none when the source is not encoded so in
    /// the row group, takes more than one leaf, or there are more entries than rows.
    pub(crate) fn try_new(
        segment: &Arc<Inner>,
        group: RowGroupIdx,
        source: &Source,
        asked: Option<&RowRanges>,
    ) -> Result<Option<Self>, Error> {
        let mut plan = Plan::new(segment, group, std::slice::from_ref(source), true);
        match plan.told_by_leaves(segment, group) {
            Some(telling) if telling.residual.is_none() => {
                let leaf = (telling.leaf, telling.untold.as_slice());
                Self::of_leaf(segment, group, &mut plan, leaf, asked)
            }
            _ => Ok(None),
        }
    }

    /// Prepares to read the leaves that together have all values of a source, or to skip all but some
    /// rows of them; none when not all are encoded so, or have more entries than rows are asked for.
    pub(crate) fn parts(
        segment: &Arc<Inner>,
        group: RowGroupIdx,
        source: &Source,
        asked: Option<&RowRanges>,
    ) -> Result<Vec<Self>, Error> {
        let mut plan = Plan::new(segment, group, std::slice::from_ref(source), true);
        let Some(telling) = plan.told_by_leaves(segment, group) else {
            return Ok(Vec::new());
        };
        let residual = telling.residual.map(|leaf| (leaf, [].as_slice()));
        let leaves = [(telling.leaf, telling.untold.as_slice())];
        let leaves = leaves.into_iter().chain(residual);
        // One that is not encoded so is found before the other is read.
        let is_ids = |leaf| segment.chunk(group, leaf).is_some_and(is_all_dictionary);
        if !leaves.clone().all(|(leaf, _)| is_ids(leaf)) {
            return Ok(Vec::new());
        }
        let parts = leaves.map(|leaf| Self::of_leaf(segment, group, &mut plan, leaf, asked));
        let parts = parts.collect::<Result<Option<Vec<_>>, _>>()?;
        Ok(parts.unwrap_or_default())
    }

    /// Prepares to read one leaf of a plan, given its levels of rows that it does not tell all of.
    fn of_leaf(
        segment: &Arc<Inner>,
        group: RowGroupIdx,
        plan: &mut Plan,
        (leaf, untold): (LeafIdx, &[u32]),
        asked: Option<&RowRanges>,
    ) -> Result<Option<Self>, Error> {
        let column = segment.schema().column(leaf.index());
        let chunk = segment.chunk(group, leaf);
        if column.max_rep_level() > 0 || !chunk.is_some_and(is_all_dictionary) {
            return Ok(None);
        }
        let most = u32::try_from(column.max_def_level()).unwrap_or(0);
        let progress = Arc::default();
        let begun = guarded(|| begin(segment, group, leaf, asked, &progress));
        let begun = begun.map_err(|error| damaged(segment, group, &progress, &error))?;
        let Some((
            pages,
            Page::DictionaryPage {
                buf, num_values, ..
            },
        )) = begun
        else {
            return Ok(None);
        };
        // Every entry is converted, and looked at by whoever has a predicate.
        let row_count = segment.row_group(group).row_count;
        let asked = asked.map_or(row_count, RowRanges::row_count);
        if num_values as usize > asked.max(FEW_ENTRIES) {
            return Ok(None);
        }
        let values = dictionary::values(segment, group, plan, leaf, (&buf, num_values));
        Ok(values.map(|dictionary| Self {
            segment: segment.clone(),
            group,
            leaf,
            dictionary,
            meaning: Meaning::new(most, untold),
            pages,
            page: None,
            ids: Vec::new(),
            scratch: Scratch::default(),
            rows_left: row_count,
            progress,
        }))
    }

    /// Returns the values that ids stand for.
    pub fn dictionary(&self) -> &ArrayRef {
        &self.dictionary
    }

    /// Returns the leaf that is read.
    pub fn leaf(&self) -> LeafIdx {
        self.leaf
    }

    /// Returns how many rows are left.
    pub fn rows_left(&self) -> usize {
        self.rows_left
    }

    /// Returns how many pages were read so far, the dictionary included.
    pub fn pages_read(&self) -> u64 {
        self.progress.pages()
    }

    /// Returns the next rows, at most so many and all of one page; none after the last.
    ///
    /// # Errors
    /// That the rows that are left are to be read otherwise, or that they cannot be.
    pub fn next_block(&mut self, most_rows: usize) -> Result<Option<Block<'_>>, EncodedStop> {
        let Some(row_count) = self.prepare(most_rows)? else {
            return Ok(None);
        };
        let taken = match &mut self.page {
            Some(page) => page.take(
                row_count,
                self.dictionary.len(),
                &self.meaning,
                &mut self.ids,
            ),
            None => Err(Refused::Untold),
        };
        let validity = taken.map_err(|refused| self.stop(refused))?;
        self.rows_left = self.rows_left.saturating_sub(row_count);
        Ok(Some(Block {
            row_count,
            validity,
            ids: &self.ids,
        }))
    }

    /// Appends bits of the next rows, at most so many and all of one page: whether each has a value
    /// whose id is in the set, and whether it has one. Returns how many rows those are; none after the
    /// last.
    ///
    /// # Errors
    /// As [`Self::next_block`]. Where the rows are to be read otherwise, no bit was appended.
    pub fn test(
        &mut self,
        set: &IdSet,
        most_rows: usize,
        passed: &mut Bits,
        valid: &mut Bits,
    ) -> Result<usize, EncodedStop> {
        let Some(row_count) = self.prepare(most_rows)? else {
            return Ok(0);
        };
        let tested = match &mut self.page {
            Some(page) => {
                let bits = (passed, valid);
                page.test(row_count, set, &self.meaning, &mut self.scratch, bits)
            }
            None => Err(Refused::Untold),
        };
        tested.map_err(|refused| self.stop(refused))?;
        self.rows_left = self.rows_left.saturating_sub(row_count);
        Ok(row_count)
    }

    /// Passes over the next rows. Pages that hold no other row are not decompressed.
    ///
    /// # Errors
    /// As [`Self::next_block`].
    pub fn skip(&mut self, row_count: usize) -> Result<(), EncodedStop> {
        let mut left = row_count.min(self.rows_left);
        while left > 0 {
            let is_between = self.page.as_ref().is_none_or(|page| page.rows_left == 0);
            let skipped = match is_between {
                true => self.skip_page(left)?,
                false => 0,
            };
            let skipped = match skipped {
                0 => self.skip_rows(left)?,
                skipped => skipped,
            };
            left = left.saturating_sub(skipped.max(1));
        }
        Ok(())
    }

    /// Passes over the next rows, at most so many and all of one page.
    fn skip_rows(&mut self, most_rows: usize) -> Result<usize, EncodedStop> {
        let Some(row_count) = self.prepare(most_rows)? else {
            return Ok(0);
        };
        let skipped = match &mut self.page {
            Some(page) => page.skip(row_count, &self.meaning, &mut self.scratch),
            None => Err(Refused::Untold),
        };
        skipped.map_err(|refused| self.stop(refused))?;
        self.rows_left = self.rows_left.saturating_sub(row_count);
        Ok(row_count)
    }

    /// Passes over the next page if it has at most so many rows; returns how many those were.
    fn skip_page(&mut self, most_rows: usize) -> Result<usize, EncodedStop> {
        let peeked = guarded(|| self.pages.peek_next_page());
        let peeked = peeked.map_err(|error| self.failed(&error))?;
        let rows = peeked.and_then(|page| page.num_rows.or(page.num_levels));
        let Some(rows) = rows.filter(|rows| *rows <= most_rows) else {
            return Ok(0);
        };
        let skipped = guarded(|| self.pages.skip_next_page());
        skipped.map_err(|error| self.failed(&error))?;
        self.rows_left = self.rows_left.saturating_sub(rows);
        Ok(rows)
    }

    /// Makes sure that a page with rows is at hand; returns how many of the next rows it may give,
    /// none after the last row.
    fn prepare(&mut self, most_rows: usize) -> Result<Option<usize>, EncodedStop> {
        if self.rows_left == 0 {
            return Ok(None);
        }
        let page_rows = loop {
            match &self.page {
                Some(page) if page.rows_left > 0 => break page.rows_left,
                _ => {
                    let read = guarded(|| self.pages.get_next_page());
                    let read = read.map_err(|error| self.failed(&error))?;
                    let read = read.ok_or(Refused::Damaged(
                        "pages hold fewer rows than the footer says",
                    ));
                    let page = read.and_then(|page| EncodedPage::try_new(&page, &self.meaning));
                    self.page = Some(page.map_err(|refused| self.stop(refused))?);
                }
            }
        };
        let rows = most_rows.max(1).min(page_rows);
        if rows > self.rows_left {
            let cause = "pages hold more rows than the footer says";
            return Err(self.stop(Refused::Damaged(cause)));
        }
        Ok(Some(rows))
    }

    fn stop(&self, refused: Refused) -> EncodedStop {
        match refused {
            Refused::Untold => EncodedStop::Untold,
            Refused::Damaged(cause) => self.failed(&ParquetError::General(cause.to_owned())),
        }
    }

    fn failed(&self, error: &ParquetError) -> EncodedStop {
        EncodedStop::Failed(damaged(&self.segment, self.group, &self.progress, error))
    }
}

type Begun = (Box<dyn PageReader>, Page);

/// Opens the chunk and reads its first page.
fn begin(
    segment: &Inner,
    group: RowGroupIdx,
    leaf: LeafIdx,
    asked: Option<&RowRanges>,
    progress: &Arc<Progress>,
) -> Result<Option<Begun>, ParquetError> {
    let asked = asked.map(|rows| rows.iter().collect());
    let leaves = [leaf];
    let chunks = RowGroupPages::new(segment, group, &leaves, asked.as_ref(), progress)?;
    let Some(pages) = chunks.column_chunks(0)?.next() else {
        return Ok(None);
    };
    let mut pages = pages?;
    Ok(pages.get_next_page()?.map(|first| (pages, first)))
}
