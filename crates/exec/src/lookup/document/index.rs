//! The paths of one column's documents in one segment.

use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_buffer::BooleanBuffer;
use growler_base::limits;
use growler_index::json::UNREADABLE;
use growler_index::{Dictionary, Reading, RowSet, SegmentIndexes, ValueIndex};
use growler_schema::{
    Value,
    index_plan::json_path::{self, JsonStep},
};

use super::rows::Declined;
use crate::{error::Error, run::Context};

/// Cost of asking a predicate about one value of a dictionary, by the rows that a scan asks it about.
const ROWS_A_VALUE: u64 = 2;

/// The index of a column's documents.
pub(super) struct DocumentIndex<'a> {
    pub(super) indexes: &'a SegmentIndexes,
    pub(super) column: &'a str,
    pub(super) context: &'a Context,
    /// Whether there are paths at all.
    pub(super) has_paths: bool,
    /// Rows that the paths do not know everything of.
    pub(super) unreadable: RowSet,
    /// Whether every path is there, so that one which is not has no row.
    pub(super) is_complete: bool,
}

/// Values of a path's dictionary for which a predicate is true, and for which it is null, by rank.
#[derive(Debug, Default)]
pub(super) struct Passing {
    pub(super) trues: Vec<Range<u32>>,
    pub(super) nulls: Vec<Range<u32>>,
}

/// What a predicate says of some values.
pub(super) struct Verdicts {
    pub(super) trues: BooleanBuffer,
    pub(super) nulls: Option<BooleanBuffer>,
}

impl<'a> DocumentIndex<'a> {
    /// Looks for the index.
    pub(super) fn open(
        indexes: &'a SegmentIndexes,
        column: &'a str,
        context: &'a Context,
    ) -> Result<Self, Declined> {
        let marker = indexes.subject(column, Some(UNREADABLE), Reading::Json);
        let unreadable = match &marker {
            Some(marker) => marker.others()?,
            None => None,
        };
        let remainder = indexes.remainder(column);
        Ok(Self {
            indexes,
            column,
            context,
            has_paths: marker.is_some(),
            unreadable: unreadable.unwrap_or_default(),
            is_complete: remainder.is_some_and(|remainder| remainder.complete),
        })
    }

    /// Returns what is indexed at a path.
    pub(super) fn at(&self, steps: &[JsonStep]) -> Option<ValueIndex<'a>> {
        self.at_path(&json_path::spell(steps))
    }

    /// As [`Self::at`], for a path as it is spelled.
    pub(super) fn at_path(&self, path: &str) -> Option<ValueIndex<'a>> {
        self.indexes.subject(self.column, Some(path), Reading::Json)
    }

    /// Returns the rows of some ranks of a path, which needs no index where there are none.
    pub(super) fn rows(
        &self,
        values: &ValueIndex<'_>,
        ranks: &[Range<u32>],
    ) -> Result<RowSet, Declined> {
        match ranks {
            [] => Ok(RowSet::new()),
            ranks => Ok(values.rows(ranks)?),
        }
    }

    /// Returns the paths that are indexed.
    pub(super) fn paths(&self) -> impl Iterator<Item = &'a str> {
        let column = self.column;
        let entries = self.indexes.entries().iter();
        let own = entries.filter(move |entry| {
            let subject = &entry.subject;
            &*subject.column == column
                && subject.reading == Reading::Json
                && entry.kind == growler_index::Kind::Nulls
        });
        let paths = own.filter_map(|entry| entry.subject.path.as_deref());
        paths.filter(|path| *path != UNREADABLE)
    }

    /// Asks a predicate about the values at a path: about the candidates only, where others cannot
    /// pass.
    pub(super) fn passing(
        &self,
        values: &ValueIndex<'_>,
        candidates: Option<&[String]>,
        ask: &mut dyn FnMut(ArrayRef) -> Result<Verdicts, Error>,
    ) -> Result<Passing, Declined> {
        let mut passing = Passing::default();
        let Some(dictionary) = values.dictionary()? else {
            // One that was written and is not there any more is damaged.
            return match values.distinct_count() {
                None => Ok(passing),
                Some(_) => Err(Declined::Scan),
            };
        };
        match candidates {
            Some(candidates) => {
                let mut ranks = Vec::with_capacity(candidates.len());
                for candidate in candidates {
                    ranks.extend(dictionary.rank(&Value::String(candidate.clone()))?);
                }
                ranks.sort_unstable();
                ranks.dedup();
                for rank in ranks {
                    self.ask(&dictionary, rank..rank + 1, ask, &mut passing)?;
                }
            }
            None => {
                let most = u64::from(values.row_count()).saturating_mul(ROWS_A_VALUE);
                if u64::from(dictionary.len()) > most {
                    return Err(Declined::Scan);
                }
                self.ask(&dictionary, 0..dictionary.len(), ask, &mut passing)?;
            }
        }
        Ok(passing)
    }

    fn ask(
        &self,
        dictionary: &Dictionary<'_>,
        ranks: Range<u32>,
        ask: &mut dyn FnMut(ArrayRef) -> Result<Verdicts, Error>,
        passing: &mut Passing,
    ) -> Result<(), Declined> {
        let mut start = ranks.start;
        while start < ranks.end {
            self.context.check().map_err(Declined::Query)?;
            let end = ranks
                .end
                .min(start.saturating_add(limits::INDEX_DICTIONARY_BATCH));
            let values = dictionary.values(start..end)?;
            // A value that fails a query may be one that a scan does not come to.
            let verdicts = ask(values).map_err(|_| Declined::Scan)?;
            add(&mut passing.trues, start, &verdicts.trues);
            if let Some(nulls) = &verdicts.nulls {
                add(&mut passing.nulls, start, nulls);
            }
            start = end;
        }
        Ok(())
    }
}

/// Appends the ranks whose bits are set, the first bit being `first`'s.
fn add(ranks: &mut Vec<Range<u32>>, first: u32, bits: &BooleanBuffer) {
    for (from, to) in bits.set_slices() {
        let rank = |at: usize| first.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
        match ranks.last_mut() {
            Some(last) if last.end == rank(from) => last.end = rank(to),
            _ => ranks.push(rank(from)..rank(to)),
        }
    }
}
