//! Predicates of one column over its dictionary: what holds of an entry holds of each of its rows.
//!
//! ```text
//! entries -> Leaf::evaluate, as of rows -> set of ids -> pages, without a value of a row
//! ```

use std::{ops::Range, sync::Arc};

use arrow_array::{Array, new_null_array};
use growler_base::RowRanges;
use growler_segment::{Bits, EncodedReader, EncodedStop, IdSet};

use super::{FilterScan, Leaf, Mask, Truth, Want};
use crate::error::Error;

/// Rows between two asked ones that are passed over rather than tested: a page may be.
const WORTH_SKIPPING: usize = 4096;
/// Rows tested before the query's limits are looked at again.
const STEP: usize = 1 << 16;

/// A dictionary with its ids, and for which entries a predicate is true.
struct Part {
    reader: EncodedReader,
    trues: IdSet,
}

/// What was told of the rows of a window.
pub(super) struct Told {
    pub truth: Truth,
    /// The row of the row group from which on nothing was told.
    pub end: usize,
}

impl FilterScan<'_> {
    /// Evaluates a predicate for the rows in `ranges`, and maybe others between them, as far as they
    /// are ids of a dictionary; none where they are not.
    ///
    /// # Errors
    /// The query's limits.
    pub(super) fn by_ids(
        &self,
        leaf: &Leaf,
        ranges: &RowRanges,
        want: Want,
    ) -> Result<Option<Told>, Error> {
        let [slot] = leaf.slots.as_slice() else {
            return Ok(None);
        };
        let parts = self.parts(leaf, *slot, ranges, want);
        let Some(first) = parts.first() else {
            return Ok(None);
        };
        let null = new_null_array(first.reader.dictionary().data_type(), 1);
        let Ok(null) = leaf.evaluate(&self.segment.rows_of(*slot, null)) else {
            return Ok(None);
        };
        let len = self.window.len();
        let (mut trues, mut valid, mut end) = (Mask::none(len), Mask::none(len), self.window.end);
        for part in parts {
            let rows = self.rows(part, ranges)?;
            end = end.min(rows.next);
            let (passed, has_value) = rows.masks();
            // Where a row has two values, reading it says so.
            if !valid.and(&has_value).is_empty() {
                return Ok(None);
            }
            (trues, valid) = (trues.or(&passed), valid.or(&has_value));
        }
        let mut truth = Truth::of(trues);
        if !null.trues.is_empty() {
            truth.trues = truth.trues.or(&Mask::all(len).without(&valid));
        } else if !null.nulls.is_empty() && want == Want::Both {
            truth.nulls = Mask::all(len).without(&valid);
        }
        if end < self.window.end {
            let told = std::iter::once(self.window.start..end).collect();
            truth = truth.within(&Mask::of_ranges(&told, &self.window));
        }
        Ok(Some(Told { truth, end }))
    }

    /// Evaluates a predicate for the entries of all dictionaries of a slot; empty where the slot is not
    /// encoded so, or entries do not do.
    fn parts(&self, leaf: &Leaf, slot: usize, ranges: &RowRanges, want: Want) -> Vec<Part> {
        let Some(source) = self.segment.source(slot) else {
            return Vec::new();
        };
        let segment = self.segment.segment();
        let mut parts = Vec::new();
        // What cannot be read so is read as arrays, if it matters.
        let readers = segment.read_encoded_parts(self.row_group, source, ranges);
        for reader in readers.unwrap_or_default() {
            let entries = self.segment.rows_of(slot, Arc::clone(reader.dictionary()));
            // What fails for an entry is an error only where a row has it.
            match leaf.evaluate(&entries) {
                Ok(truth) if want == Want::Trues || truth.nulls.is_empty() => {
                    let trues = IdSet::new(truth.trues.bits());
                    parts.push(Part { reader, trues });
                }
                Ok(_) | Err(_) => return Vec::new(),
            }
        }
        parts
    }

    /// Tests the rows in ranges, up to one that is to be read otherwise.
    fn rows(&self, mut part: Part, ranges: &RowRanges) -> Result<Rows, Error> {
        let mut rows = Rows {
            next: 0,
            window: self.window.clone(),
            passed: Bits::with_capacity(self.window.len()),
            valid: Bits::with_capacity(self.window.len()),
        };
        for range in coarse(ranges) {
            match self.test(&mut part, range, &mut rows) {
                Ok(()) => {}
                Err(Stop::Limit(error)) => return Err(error),
                // What does not decode may be no row that is asked for: reading these tells.
                Err(Stop::Encoded) => return Ok(rows),
            }
        }
        rows.pass_over(self.window.end);
        Ok(rows)
    }

    /// Tests the rows of a range, which come after all rows so far.
    fn test(&self, part: &mut Part, range: Range<usize>, rows: &mut Rows) -> Result<(), Stop> {
        part.reader.skip(range.start.saturating_sub(rows.next))?;
        rows.pass_over(range.start);
        while rows.next < range.end {
            self.context.check().map_err(Stop::Limit)?;
            let most = STEP.min(range.end - rows.next);
            let reader = &mut part.reader;
            let count = reader.test(&part.trues, most, &mut rows.passed, &mut rows.valid)?;
            if count == 0 {
                return Err(Stop::Encoded);
            }
            self.context.progress.add_tested_by_ids(count as u64);
            rows.next += count;
        }
        Ok(())
    }
}

/// Why rows were not tested.
enum Stop {
    /// They are to be read as values.
    Encoded,
    /// The query has to end.
    Limit(Error),
}

impl From<EncodedStop> for Stop {
    fn from(_: EncodedStop) -> Self {
        Self::Encoded
    }
}

/// Rows of a window that were tested, or passed over.
struct Rows {
    /// The next row of the row group.
    next: usize,
    window: Range<usize>,
    passed: Bits,
    /// Set where a tested row has a value.
    valid: Bits,
}

impl Rows {
    /// Passes over rows before one.
    fn pass_over(&mut self, row: usize) {
        self.next = self.next.max(row);
        self.fill(row);
    }

    fn fill(&mut self, row: usize) {
        let count = row.saturating_sub(self.window.start);
        let count = count.saturating_sub(self.passed.len());
        self.passed.push_n(count, false);
        self.valid.push_n(count, false);
    }

    /// Returns the rows of the window that passed, and those that have a value.
    fn masks(mut self) -> (Mask, Mask) {
        self.fill(self.window.end);
        (Mask::new(self.passed.into()), Mask::new(self.valid.into()))
    }
}

/// Returns ranges that hold all rows of others; rows in gaps that are not worth skipping too.
fn coarse(ranges: &RowRanges) -> Vec<Range<usize>> {
    let mut coarse: Vec<Range<usize>> = Vec::new();
    for range in ranges.iter() {
        match coarse.last_mut() {
            Some(last) if range.start - last.end < WORTH_SKIPPING => last.end = range.end,
            _ => coarse.push(range),
        }
    }
    coarse
}
