//! One morsel: filter, then hand the rows that pass to a collector.

use std::ops::Range;

use arrow_array::{ArrayRef, BooleanArray};
use arrow_select::filter::FilterBuilder;
use growler_base::RowRanges;

use super::{
    Context,
    morsel::{Morsel, WholeSegment},
};
use crate::{
    error::Error,
    expr::InputBatch,
    filter::{Filter, FilterScan, Mask, Want},
    lookup::Shortcut,
    plan::BoundSegment,
};

/// Rows of one batch that pass the filter.
#[derive(Debug)]
pub struct Matched {
    /// Slots of these rows; what was not asked for is empty.
    pub batch: InputBatch,
    /// Rows that were read, local to the row group.
    rows: RowRanges,
    /// Which of them pass; none when all do.
    passed: Option<Mask>,
}

impl Matched {
    /// Returns the positions of the rows in the row group.
    pub fn positions(&self) -> Vec<u32> {
        let read = self.rows.iter().flatten();
        let position = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
        match &self.passed {
            None => read.map(position).collect(),
            Some(passed) => {
                let read = read
                    .enumerate()
                    .filter(|(idx, _)| passed.bits().value(*idx));
                read.map(|(_, row)| position(row)).collect()
            }
        }
    }
}

/// Takes rows that pass the filter, in row order.
pub trait Collector {
    /// Takes rows; returns how many of them it wanted.
    ///
    /// # Errors
    /// [`Error::Execution`] when a value cannot be processed, [`Error::Memory`] when there is no room.
    fn collect(&mut self, matched: &Matched) -> Result<usize, Error>;

    /// Returns which further rows are wanted.
    fn wanted(&self) -> Wanted;

    /// Takes the first rows of a window without their values; returns how far. The others are read.
    ///
    /// # Errors
    /// As [`Self::collect`].
    fn collect_encoded(&mut self, rows: &WindowRows<'_>) -> Result<Front, Error> {
        let _ = rows;
        Ok(Front::default())
    }

    /// Takes a whole segment without its rows, as the shortcut says; returns what that stands for, and
    /// none when it cannot be done after all.
    ///
    /// # Errors
    /// As [`Self::collect`].
    fn collect_whole(&mut self, whole: &Whole<'_>) -> Result<Option<Taken>, Error> {
        let _ = whole;
        Ok(None)
    }
}

/// Rows of a window that pass the filter.
#[derive(Debug)]
pub struct WindowRows<'q> {
    /// Where they are.
    pub morsel: &'q Morsel,
    /// The window, local to the row group.
    pub window: Range<usize>,
    /// Which rows of the window pass.
    pub passed: &'q Mask,
    /// The limits of the query.
    pub context: &'q Context,
}

/// The rows of a window that were taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Front {
    /// How many of the window's rows are done, the first ones.
    pub rows: usize,
    /// How many of these passed.
    pub passed: u64,
}

/// A segment that was taken whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// Rows that stands for.
    pub row_count: u64,
    /// Groups or values that were looked at instead.
    pub looked_at: u64,
}

/// A segment to be taken whole.
#[derive(Debug)]
pub struct Whole<'q> {
    /// The segment.
    pub segment: &'q BoundSegment,
    /// The filter of the query.
    pub filter: &'q Filter,
    /// How.
    pub shortcut: Shortcut,
    /// The limits of the query.
    pub context: &'q Context,
}

/// Which further rows a collector wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// All of them.
    All,
    /// The next ones, until it has enough.
    More,
    /// At most so many of the next ones.
    Rows(usize),
    /// None.
    Nothing,
}

/// What one morsel read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counters {
    /// Rows that passed and were collected.
    pub docs_scanned: u64,
    /// Values read by the filter.
    pub entries_in_filter: u64,
    /// Values read of rows that passed.
    pub entries_post_filter: u64,
    /// Rows that were collected, or values of an index in their place.
    pub looked_at: u64,
}

impl Counters {
    fn add(&mut self, more: Self) {
        self.docs_scanned += more.docs_scanned;
        self.entries_in_filter += more.entries_in_filter;
        self.entries_post_filter += more.entries_post_filter;
        self.looked_at += more.looked_at;
    }
}

/// Rows looked at first when only some are wanted.
const FIRST_WINDOW: usize = 16 * 1024;

/// Runs one morsel.
///
/// # Errors
/// [`Error::Execution`] when a value cannot be read or processed, and the query's limits.
pub fn scan(
    morsel: &Morsel,
    filter: &Filter,
    slots: &[usize],
    context: &Context,
    collector: &mut impl Collector,
) -> Result<Counters, Error> {
    if let Some(whole) = &morsel.whole {
        return scan_whole(morsel, filter, slots, context, collector, whole);
    }
    let mut counters = Counters::default();
    let mut start = morsel.rows.start;
    let mut len = match collector.wanted() {
        Wanted::All => morsel.rows.len(),
        Wanted::More | Wanted::Rows(_) | Wanted::Nothing => FIRST_WINDOW,
    };
    while start < morsel.rows.end && collector.wanted() != Wanted::Nothing && !context.is_enough() {
        context.check()?;
        let window = start..start.saturating_add(len).min(morsel.rows.end);
        start = window.end;
        // Few rows pass: look at more at a time.
        len = len.saturating_mul(4);
        let mut passed = passed(morsel, filter, &window, context, &mut counters)?;
        if let Wanted::Rows(count) = collector.wanted() {
            passed = passed.first(count);
        }
        let docs = take(morsel, &passed, slots, &window, context, collector)?;
        counters.docs_scanned += docs;
        counters.looked_at += docs;
        counters.entries_post_filter += docs * slots.len() as u64;
        context.progress.add_done(window.len() as u64);
    }
    Ok(counters)
}

/// Takes a segment whole, or else reads what of it may matter.
fn scan_whole(
    morsel: &Morsel,
    filter: &Filter,
    slots: &[usize],
    context: &Context,
    collector: &mut impl Collector,
    segment: &WholeSegment,
) -> Result<Counters, Error> {
    let whole = Whole {
        segment: &morsel.segment,
        filter,
        shortcut: segment.shortcut,
        context,
    };
    if let Some(taken) = collector.collect_whole(&whole)? {
        context.progress.add_done(morsel.rows.len() as u64);
        return Ok(Counters {
            docs_scanned: taken.row_count,
            looked_at: taken.looked_at,
            ..Counters::default()
        });
    }
    let mut all = Counters::default();
    for part in &segment.parts {
        all.add(scan(part, filter, slots, context, collector)?);
    }
    Ok(all)
}

fn passed(
    morsel: &Morsel,
    filter: &Filter,
    window: &Range<usize>,
    context: &Context,
    counters: &mut Counters,
) -> Result<Mask, Error> {
    let asked = morsel.segment.live_rows(morsel.row_group, window);
    if morsel.passes_all {
        return Ok(asked);
    }
    let (segment, row_group, window) = (&*morsel.segment, morsel.row_group, window.clone());
    let mut scan = FilterScan {
        segment,
        row_group,
        window,
        context,
        entries_scanned: 0,
    };
    let passed = scan.evaluate(filter, &asked, Want::Trues)?.trues;
    counters.entries_in_filter += scan.entries_scanned;
    Ok(passed)
}

/// Hands the rows that pass to the collector, as ids as far as it takes them so; returns how many were
/// wanted.
fn take(
    morsel: &Morsel,
    passed: &Mask,
    slots: &[usize],
    window: &Range<usize>,
    context: &Context,
    collector: &mut impl Collector,
) -> Result<u64, Error> {
    let front = collector.collect_encoded(&WindowRows {
        morsel,
        window: window.clone(),
        passed,
        context,
    })?;
    let rest = window.start.saturating_add(front.rows)..window.end;
    if front.rows == 0 {
        return project(morsel, passed, slots, window, context, collector);
    }
    if rest.is_empty() || collector.wanted() == Wanted::Nothing || context.is_enough() {
        return Ok(front.passed);
    }
    let passed = passed.slice(front.rows, rest.len());
    let docs = project(morsel, &passed, slots, &rest, context, collector)?;
    Ok(front.passed.saturating_add(docs))
}

/// Reads the slots of the rows that pass; returns how many rows were wanted.
fn project(
    morsel: &Morsel,
    passed: &Mask,
    slots: &[usize],
    window: &Range<usize>,
    context: &Context,
    collector: &mut impl Collector,
) -> Result<u64, Error> {
    if slots.is_empty() {
        return count(morsel, passed, window, context, collector);
    }
    let ranges = passed.ranges(window);
    let gathered = passed.gather(&ranges, window);
    let (mut docs, mut position) = (0, 0);
    for read in morsel
        .segment
        .read(morsel.row_group, slots, &ranges, context.batch_rows)?
    {
        context.check()?;
        let read = read?;
        let bits = Mask::new(gathered.bits().slice(position, read.batch.row_count));
        position += read.batch.row_count;
        if bits.is_empty() {
            continue;
        }
        let matched = if bits.is_all() {
            Matched {
                batch: read.batch,
                rows: read.rows,
                passed: None,
            }
        } else {
            let batch = kept(read.batch, slots, &bits)?;
            Matched {
                batch,
                rows: read.rows,
                passed: Some(bits),
            }
        };
        docs += collector.collect(&matched)? as u64;
        if collector.wanted() == Wanted::Nothing || context.is_enough() {
            break;
        }
    }
    Ok(docs)
}

/// Hands on rows of which nothing is read; returns how many were wanted.
fn count(
    morsel: &Morsel,
    passed: &Mask,
    window: &Range<usize>,
    context: &Context,
    collector: &mut impl Collector,
) -> Result<u64, Error> {
    let mut docs = 0;
    for start in (0..passed.len()).step_by(context.batch_rows.max(1)) {
        let rows = start
            ..passed
                .len()
                .min(start.saturating_add(context.batch_rows.max(1)));
        let bits = Mask::new(passed.bits().slice(start, rows.len()));
        if bits.is_empty() {
            continue;
        }
        context.check()?;
        let read = window.start + rows.start..window.start + rows.end;
        docs += collector.collect(&Matched {
            batch: morsel.segment.rows_unread(bits.count()),
            rows: std::iter::once(read).collect(),
            passed: (!bits.is_all()).then_some(bits),
        })? as u64;
        if collector.wanted() == Wanted::Nothing || context.is_enough() {
            break;
        }
    }
    Ok(docs)
}

fn kept(batch: InputBatch, slots: &[usize], passed: &Mask) -> Result<InputBatch, Error> {
    let predicate = BooleanArray::new(passed.bits().clone(), None);
    let mut filter = FilterBuilder::new(&predicate);
    if slots.len() > 1 {
        filter = filter.optimize();
    }
    let filter = filter.build();
    let mut columns = batch.columns;
    for &slot in slots {
        if let Some(column) = columns.get_mut(slot) {
            let kept: ArrayRef = filter
                .filter(column)
                .map_err(|error| Error::Internal(error.to_string()))?;
            *column = kept;
        }
    }
    Ok(InputBatch {
        columns,
        row_count: passed.count(),
    })
}
