//! Which index answers a test, and whether it costs less than the scan.

use std::ops::{Bound, Range};

use arrow_array::Array;
use growler_base::limits;
use growler_index::{Dictionary, Error as IndexError, Kind, ValueIndex};
use growler_schema::Value;

use super::{Place, place::Origin};
use crate::{
    error::Error,
    expr::{Span, Spans, Test},
    run::Context,
};

/// Look-ups below this cost are never declined: nobody notices, and plans of small files stay the same.
const WORTH_A_SCAN_NS: u64 = 50_000;
/// Cost of a search for a bound in a dictionary, in nanoseconds.
const SEARCH_NS: u64 = 150;
/// Cost of a test of one value of a dictionary.
const TEST_NS: u64 = 25;
/// Cost of one posting of a rank, its rows aside.
const POSTING_NS: u64 = 60;
/// Cost of one row of a posting.
const POSTING_ROW_NS: u64 = 1;
/// Cost of a row that is scanned in vain for a value, whatever the test.
const ROW_NS: u64 = 2;
/// Cost of a row in which an unshredded key is looked up.
const LOOKED_UP_ROW_NS: u64 = 40;
/// Most ranges of values that are asked of a range index one by one.
const SLICED_SPANS: usize = 8;
/// Searches between two looks at the query's limits.
const UNCHECKED_SEARCHES: usize = 1024;

/// What to look up: values of some ranks, or between some bounds.
#[derive(Debug)]
pub(super) enum Listed {
    /// Rows of these ranks, ascending and apart.
    Ranks(Vec<Range<u32>>),
    /// Rows between these bounds, by the range index.
    Slices(Vec<Span>),
}

/// Which of the values that are indexed pass.
#[derive(Debug)]
pub(super) enum Passing {
    /// None.
    Nothing,
    /// All.
    Everything,
    /// Those listed.
    Only(Listed),
    /// All but those listed.
    Except(Listed),
}

/// How a test is answered.
#[derive(Debug)]
pub(super) struct Choice {
    /// Which indexed values pass.
    pub(super) passing: Passing,
    /// How many rows with an indexed value pass, when it is known without them.
    pub(super) count: Option<u64>,
    /// Whether rows whose values are not in the dictionary are still to be tested.
    pub(super) has_others: bool,
    /// The index.
    pub(super) kind: Kind,
}

impl Choice {
    /// Returns about how many bytes it takes.
    pub(super) fn held_bytes(&self) -> usize {
        match &self.passing {
            Passing::Only(Listed::Ranks(ranks)) | Passing::Except(Listed::Ranks(ranks)) => {
                ranks.capacity() * size_of::<Range<u32>>()
            }
            Passing::Only(Listed::Slices(spans)) | Passing::Except(Listed::Slices(spans)) => {
                spans.capacity() * size_of::<Span>()
            }
            Passing::Nothing | Passing::Everything => 0,
        }
    }
}

/// What there is to choose from.
pub(super) struct Chooser<'c, 'i> {
    pub(super) place: &'c Place,
    pub(super) values: ValueIndex<'i>,
    pub(super) test: &'c Test,
    /// Cost of a leaf's value, in tenths of nanoseconds.
    pub(super) cost: u32,
    pub(super) context: &'c Context,
}

/// Why there is no choice.
#[derive(Debug)]
pub(super) enum Declined {
    /// The scan is as good, or an index is damaged.
    Scan,
    /// The query ends.
    Query(Error),
}

impl From<IndexError> for Declined {
    fn from(_: IndexError) -> Self {
        // It was logged where it was found.
        Self::Scan
    }
}

impl Chooser<'_, '_> {
    /// Chooses; an error is that of the query.
    pub(super) fn choose(&self) -> Result<Option<Choice>, Error> {
        match self.try_choose() {
            Ok(choice) => Ok(Some(choice)),
            Err(Declined::Scan) => Ok(None),
            Err(Declined::Query(error)) => Err(error),
        }
    }

    fn try_choose(&self) -> Result<Choice, Declined> {
        let spans = self.test.spans().ok_or(Declined::Scan)?;
        if self.has(Kind::Dictionary)
            && let Some(dictionary) = self.values.dictionary()?
        {
            return self.by_dictionary(&dictionary, spans);
        }
        if spans.ranges.is_empty() || self.is_excluded(spans)? {
            return Ok(self.settled(self.test.is_negated(), Kind::Bloom));
        }
        self.by_slices(&spans.ranges, spans.is_exact, None)
    }

    fn has(&self, kind: Kind) -> bool {
        self.place.allows(kind) && self.values.has(kind)
    }

    /// Tells whether the bloom filter proves that no value passes the condition.
    fn is_excluded(&self, spans: &Spans) -> Result<bool, Declined> {
        if !self.has(Kind::Bloom) {
            return Ok(false);
        }
        let absent = |(low, high): &Span| match (low, high) {
            // Both zeros are one value to a comparison, yet two to the filter.
            (Bound::Included(Value::Float(0.0) | Value::Double(0.0)), _) => false,
            (Bound::Included(low), Bound::Included(high)) => {
                low == high && !self.values.may_contain(low)
            }
            _ => false,
        };
        for some in spans.ranges.chunks(UNCHECKED_SEARCHES) {
            self.context.check().map_err(Declined::Query)?;
            if !some.iter().all(absent) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Makes the choice where the condition holds for no value.
    fn settled(&self, negated: bool, kind: Kind) -> Choice {
        let (passing, count) = match negated {
            false => (Passing::Nothing, Some(0)),
            true => (Passing::Everything, self.indexed_count()),
        };
        Choice {
            passing,
            count,
            has_others: self.values.other_count() > 0,
            kind,
        }
    }

    /// Returns how many rows have a value that is indexed.
    fn indexed_count(&self) -> Option<u64> {
        let without = self
            .values
            .null_count()?
            .checked_add(self.values.other_count())?;
        self.values.row_count().checked_sub(without).map(u64::from)
    }

    fn by_dictionary(
        &self,
        dictionary: &Dictionary<'_>,
        spans: &Spans,
    ) -> Result<Choice, Declined> {
        let searches = (spans.ranges.len() as u64).saturating_mul(2 * SEARCH_NS);
        if searches > self.scan_ns() {
            return Err(Declined::Scan);
        }
        let mut ranks = Vec::new();
        for some in spans.ranges.chunks(UNCHECKED_SEARCHES) {
            self.context.check().map_err(Declined::Query)?;
            for (low, high) in some {
                let found = dictionary.rank_range(low.as_ref(), high.as_ref())?;
                push(&mut ranks, found);
            }
        }
        if !spans.is_exact {
            if total(&ranks).saturating_mul(TEST_NS) > self.scan_ns() {
                return Err(Declined::Scan);
            }
            ranks = self.tested(dictionary, &ranks)?;
        }
        let negated = self.test.is_negated();
        let kind = [Kind::Inverted, Kind::Range]
            .into_iter()
            .find(|kind| self.has(*kind))
            .unwrap_or(Kind::Dictionary);
        if ranks.is_empty() {
            return Ok(self.settled(negated, kind));
        }
        if total(&ranks) == u64::from(dictionary.len()) {
            return Ok(self.settled(!negated, kind));
        }
        self.by_ranks(dictionary, spans, ranks)
    }

    /// Tests values of a dictionary; returns the ranks of those for which the condition holds.
    fn tested(
        &self,
        dictionary: &Dictionary<'_>,
        ranks: &[Range<u32>],
    ) -> Result<Vec<Range<u32>>, Declined> {
        let step = limits::INDEX_DICTIONARY_BATCH;
        let mut passing = Vec::new();
        for range in ranks {
            let mut start = range.start;
            while start < range.end {
                self.context.check().map_err(Declined::Query)?;
                let end = range.end.min(start.saturating_add(step));
                let values = dictionary.values(start..end)?;
                if values.len() != (end - start) as usize {
                    return Err(Declined::Scan);
                }
                let holds = self.test.holds(&values).map_err(Declined::Query)?;
                for (first, last) in holds.set_slices() {
                    let rank = |at: usize| start.saturating_add(u32::try_from(at).unwrap_or(0));
                    push(&mut passing, rank(first)..rank(last));
                }
                start = end;
            }
        }
        Ok(passing)
    }

    /// Chooses between postings and slices for ranks that are some but not all.
    fn by_ranks(
        &self,
        dictionary: &Dictionary<'_>,
        spans: &Spans,
        ranks: Vec<Range<u32>>,
    ) -> Result<Choice, Declined> {
        if !self.has(Kind::Inverted) {
            return match spans.is_exact {
                true => self.by_slices(&spans.ranges, true, None),
                false => self.by_slices(&self.bounds(dictionary, &ranks)?, true, None),
            };
        }
        let held = self.values.count(&ranks)?;
        let indexed = self.indexed_count().ok_or(Declined::Scan)?;
        let rest = indexed.checked_sub(held).ok_or(Declined::Scan)?;
        let count = if self.test.is_negated() { rest } else { held };
        // Beyond a few values the slices cost less than one posting a value.
        let few = total(&ranks).min(u64::from(dictionary.len()) - total(&ranks));
        if spans.is_exact && few > u64::from(u64::BITS) {
            let sliced = self.by_slices(&spans.ranges, true, Some(count));
            if sliced.is_ok() {
                return sliced;
            }
        }
        let (listed, rows, flips) = match held > rest {
            true => (inverse(&ranks, dictionary.len()), rest, true),
            false => (ranks, held, false),
        };
        self.by_postings(listed, rows, flips, count)
    }

    /// Looks up postings, unless they cost more than the scan. `flips` tells that they are those of
    /// the values for which the condition does not hold.
    fn by_postings(
        &self,
        listed: Vec<Range<u32>>,
        rows: u64,
        flips: bool,
        count: u64,
    ) -> Result<Choice, Declined> {
        let postings_ns = total(&listed).saturating_mul(POSTING_NS);
        if postings_ns.saturating_add(rows.saturating_mul(POSTING_ROW_NS)) > self.scan_ns() {
            return Err(Declined::Scan);
        }
        let listed = Listed::Ranks(listed);
        let passing = match self.test.is_negated() != flips {
            false => Passing::Only(listed),
            true => Passing::Except(listed),
        };
        Ok(Choice {
            passing,
            count: Some(count),
            has_others: self.values.other_count() > 0,
            kind: Kind::Inverted,
        })
    }

    /// Returns the values at both ends of each range of ranks, when they are few enough.
    fn bounds(
        &self,
        dictionary: &Dictionary<'_>,
        ranks: &[Range<u32>],
    ) -> Result<Vec<Span>, Declined> {
        if ranks.len() > SLICED_SPANS {
            return Err(Declined::Scan);
        }
        let bound = |ranks: &Range<u32>| -> Result<_, Declined> {
            let (first, last) = (ranks.start, ranks.end.saturating_sub(1));
            Ok((
                Bound::Included(dictionary.value(first)?),
                Bound::Included(dictionary.value(last)?),
            ))
        };
        ranks.iter().map(bound).collect()
    }

    fn by_slices(
        &self,
        spans: &[Span],
        are_exact: bool,
        count: Option<u64>,
    ) -> Result<Choice, Declined> {
        if !self.has(Kind::Range) || !are_exact || spans.len() > SLICED_SPANS {
            return Err(Declined::Scan);
        }
        let listed = Listed::Slices(spans.to_vec());
        let passing = match self.test.is_negated() {
            false => Passing::Only(listed),
            true => Passing::Except(listed),
        };
        Ok(Choice {
            passing,
            count,
            has_others: self.values.other_count() > 0,
            kind: Kind::Range,
        })
    }

    /// Returns what the scan of the segment would cost, roughly.
    fn scan_ns(&self) -> u64 {
        let row_ns = match self.place.origin() {
            Origin::Column | Origin::Typed => ROW_NS,
            Origin::Untyped { .. } => LOOKED_UP_ROW_NS,
        };
        let rows = u64::from(self.values.row_count());
        (rows * (row_ns * 10 + u64::from(self.cost)) / 10).max(WORTH_A_SCAN_NS)
    }
}

/// Appends a range of ranks, joined with the last one where they touch.
fn push(ranks: &mut Vec<Range<u32>>, more: Range<u32>) {
    if more.is_empty() {
        return;
    }
    match ranks.last_mut() {
        Some(last) if more.start <= last.end => last.end = last.end.max(more.end),
        _ => ranks.push(more),
    }
}

fn total(ranks: &[Range<u32>]) -> u64 {
    ranks
        .iter()
        .map(|ranks| u64::from(ranks.end - ranks.start))
        .sum()
}

fn inverse(ranks: &[Range<u32>], len: u32) -> Vec<Range<u32>> {
    let mut rest = Vec::with_capacity(ranks.len() + 1);
    let mut start = 0;
    for range in ranks {
        push(&mut rest, start..range.start);
        start = range.end;
    }
    push(&mut rest, start..len);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(bounds: &[[u32; 2]]) -> Vec<Range<u32>> {
        bounds.iter().map(|[start, end]| *start..*end).collect()
    }

    #[test]
    fn ranks_join_and_invert() {
        type Bounds = &'static [[u32; 2]];
        let cases: [(Bounds, Bounds); 4] = [
            (&[], &[[0, 9]]),
            (&[[0, 9]], &[]),
            (&[[0, 2], [2, 3], [5, 5], [7, 8]], &[[3, 7], [8, 9]]),
            (&[[4, 9]], &[[0, 4]]),
        ];
        for (given, expected) in cases {
            let mut ranks = Vec::new();
            ranges(given)
                .into_iter()
                .for_each(|range| push(&mut ranks, range));
            let rest = inverse(&ranks, 9);
            assert_eq!(rest, ranges(expected), "{given:?}");
            assert_eq!(total(&ranks) + total(&rest), 9);
            assert_eq!(inverse(&rest, 9), ranks);
        }
    }
}
