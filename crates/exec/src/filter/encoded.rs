//! Predicates of one column over its dictionary: what holds of an entry holds of each of its rows.
//!
//! ```text
//! entries -> Leaf::evaluate, as of rows -> set of ids -> pages, without a value of a row
//! ```

use std::{ops::Range, sync::Arc};

use arrow_array::{Array, new_null_array};
use arrow_buffer::BooleanBuffer;
use growler_base::RowRanges;
use growler_segment::{Bits, EncodedReader, EncodedStop, IdSet};

use super::{FilterScan, Leaf, Mask, Truth, Want};
use crate::error::Error;

/// Rows between two asked ones that are passed over rather than tested: a page may be.
const WORTH_SKIPPING: usize = 4096;
/// Rows tested before the query's limits are looked at again.
const STEP: usize = 1 << 16;

/// What a predicate is for the rows of one row group.
struct Verdicts {
    /// Entries for which it is true.
    trues: IdSet,
    /// What it is for rows without a value.
    of_null: Option<bool>,
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
    /// [`Error::Execution`] when a page cannot be read, and the query's limits.
    pub(super) fn by_ids(
        &self,
        leaf: &Leaf,
        ranges: &RowRanges,
        want: Want,
    ) -> Result<Option<Told>, Error> {
        let Some((mut reader, verdicts)) = self.verdicts(leaf, ranges, want)? else {
            return Ok(None);
        };
        let mut rows = Rows {
            next: 0,
            window: self.window.clone(),
            passed: Bits::with_capacity(self.window.len()),
            valid: Bits::with_capacity(self.window.len()),
        };
        let mut end = self.window.end;
        for range in coarse(ranges) {
            match self.test(&mut reader, &verdicts.trues, range, &mut rows) {
                Ok(()) => {}
                Err(Stop::Failed(error)) => return Err(error),
                Err(Stop::Untold) => {
                    end = rows.next;
                    break;
                }
            }
        }
        let truth = rows.truth(verdicts.of_null, want);
        Ok(Some(Told { truth, end }))
    }

    /// Evaluates a predicate for all entries of the dictionary, none where there is none.
    fn verdicts(
        &self,
        leaf: &Leaf,
        ranges: &RowRanges,
        want: Want,
    ) -> Result<Option<(EncodedReader, Verdicts)>, Error> {
        let [slot] = leaf.slots.as_slice() else {
            return Ok(None);
        };
        let (Some(source), segment) = (self.segment.source(*slot), self.segment.segment()) else {
            return Ok(None);
        };
        let Some(reader) = segment.read_encoded_rows(self.row_group, source, ranges)? else {
            return Ok(None);
        };
        let entries = reader.dictionary();
        let null = new_null_array(entries.data_type(), 1);
        // What fails for an entry is an error only where a row has it.
        let of_entries = leaf.evaluate(&self.segment.rows_of(*slot, Arc::clone(entries)));
        let of_null = leaf.evaluate(&self.segment.rows_of(*slot, null));
        let (Ok(of_entries), Ok(of_null)) = (of_entries, of_null) else {
            return Ok(None);
        };
        if want == Want::Both && !of_entries.nulls.is_empty() {
            return Ok(None);
        }
        let verdicts = Verdicts {
            trues: IdSet::new(of_entries.trues.bits()),
            of_null: match (of_null.trues.is_empty(), of_null.nulls.is_empty()) {
                (false, _) => Some(true),
                (true, true) => Some(false),
                (true, false) => None,
            },
        };
        Ok(Some((reader, verdicts)))
    }

    /// Tests the rows of a range, which come after all rows so far.
    fn test(
        &self,
        reader: &mut EncodedReader,
        set: &IdSet,
        range: Range<usize>,
        rows: &mut Rows,
    ) -> Result<(), Stop> {
        reader.skip(range.start.saturating_sub(rows.next))?;
        rows.pass_over(range.start);
        while rows.next < range.end {
            self.context.check().map_err(Stop::Failed)?;
            let most = STEP.min(range.end - rows.next);
            let count = reader.test(set, most, &mut rows.passed, &mut rows.valid)?;
            if count == 0 {
                return Err(Stop::Untold);
            }
            self.context.progress.add_by_ids(count as u64);
            rows.next += count;
        }
        Ok(())
    }
}

/// Why rows were not tested.
enum Stop {
    /// They are to be read as values.
    Untold,
    Failed(Error),
}

impl From<EncodedStop> for Stop {
    fn from(stop: EncodedStop) -> Self {
        match stop {
            EncodedStop::Untold => Self::Untold,
            EncodedStop::Failed(error) => Self::Failed(error.into()),
        }
    }
}

/// Rows of a window that were tested, or passed over.
struct Rows {
    /// The next row of the row group.
    next: usize,
    window: Range<usize>,
    passed: Bits,
    /// Not set where it is known that there is no value.
    valid: Bits,
}

impl Rows {
    /// Passes over rows before one.
    fn pass_over(&mut self, row: usize) {
        self.next = self.next.max(row);
        let count = row.saturating_sub(self.window.start);
        let count = count.saturating_sub(self.passed.len());
        self.passed.push_n(count, false);
        self.valid.push_n(count, true);
    }

    /// Returns what holds of the window's rows, given what a predicate is for rows without a value.
    fn truth(mut self, of_null: Option<bool>, want: Want) -> Truth {
        self.pass_over(self.window.end);
        let trues = Mask::new(self.passed.into());
        let is_asked = of_null == Some(true) || of_null.is_none() && want == Want::Both;
        if !is_asked {
            return Truth::of(trues);
        }
        let missing = Mask::new(!&BooleanBuffer::from(self.valid));
        match of_null {
            Some(_) => Truth::of(trues.or(&missing)),
            None => Truth {
                trues,
                nulls: missing,
            },
        }
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
