//! The indexes of one subject.

use std::ops::{Bound, Range};

use growler_schema::index_plan::BloomOptions;
use growler_schema::{DataType, Value};

use super::Guard;
use super::segment_indexes::Inner;
use super::slot::{Slot, State};
use crate::bloom::BloomView;
use crate::dictionary::DictionaryView;
use crate::format::{Counts, UNKNOWN};
use crate::inverted::Inverted;
use crate::posting::Posting;
use crate::range::{RangeView, Span};
use crate::row_set::Union;
use crate::{Dictionary, Error, Kind, Reading, RowSet, Subject, order};

/// The indexes of one column or key.
///
/// An error of any method means that an index is damaged: it is absent from then on
/// ([`Self::has`]), was logged once with the reason, and the caller scans.
#[derive(Debug, Clone, Copy)]
pub struct ValueIndex<'a> {
    file: &'a Inner,
    indexes: &'a SubjectIndexes,
}

/// What a file has of one subject.
#[derive(Debug)]
pub(super) struct SubjectIndexes {
    pub subject: Subject,
    pub data_type: DataType,
    pub counts: Counts,
    pub slots: Vec<Slot>,
}

impl<'a> ValueIndex<'a> {
    pub(super) fn new(file: &'a Inner, indexes: &'a SubjectIndexes) -> Self {
        Self { file, indexes }
    }

    /// Returns what the indexes are of.
    pub fn subject(&self) -> &'a Subject {
        &self.indexes.subject
    }

    /// Returns the type of the values that were indexed.
    ///
    /// A slot of another type must not be answered from here.
    pub fn data_type(&self) -> DataType {
        self.indexes.data_type
    }

    /// Tells whether there is an index of a kind, not found damaged so far.
    pub fn has(&self, kind: Kind) -> bool {
        self.slot(kind)
            .is_some_and(|slot| slot.state() != State::Damaged)
    }

    /// Returns how many rows have no value, from the directory.
    pub fn null_count(&self) -> Option<u32> {
        Some(self.indexes.counts.nulls).filter(|count| *count != UNKNOWN)
    }

    /// Returns how many distinct values the dictionary has, from the directory.
    pub fn distinct_count(&self) -> Option<u32> {
        Some(self.indexes.counts.distinct).filter(|count| *count != UNKNOWN)
    }

    /// Returns how many rows have a value that the dictionary does not hold, from the directory.
    pub fn other_count(&self) -> u32 {
        self.indexes.counts.others
    }

    /// Returns how many rows the segment has.
    pub fn row_count(&self) -> u32 {
        self.file.row_count()
    }

    /// Returns the rows without a value.
    ///
    /// # Errors
    /// Corrupt; not found without the index.
    pub fn nulls(&self) -> Result<RowSet, Error> {
        self.set(Kind::Nulls, self.indexes.counts.nulls)
    }

    /// Returns the rows that have a value which the dictionary does not hold; a scan tells them.
    /// None when there are none.
    ///
    /// # Errors
    /// Corrupt; not found when they were found damaged before.
    pub fn others(&self) -> Result<Option<RowSet>, Error> {
        if self.other_count() == 0 && self.slot(Kind::Others).is_none() {
            return Ok(None);
        }
        self.set(Kind::Others, self.other_count()).map(Some)
    }

    /// Returns the dictionary; none without one.
    ///
    /// # Errors
    /// Corrupt.
    pub fn dictionary(&self) -> Result<Option<Dictionary<'a>>, Error> {
        if !self.has(Kind::Dictionary) {
            return Ok(None);
        }
        let (guard, bytes) = self.open(Kind::Dictionary)?;
        let view = DictionaryView::try_new(bytes, self.data_type()).and_then(|view| {
            let counted = view.len() == self.indexes.counts.distinct;
            let fits = counted && view.len() <= self.most_rows();
            fits.then_some(view)
                .ok_or_else(|| Error::damaged("dictionary has another number of values"))
        });
        Ok(Some(Dictionary::new(guard.checked(view)?, guard)))
    }

    /// Returns how many rows have a value of one of the ranks (ascending, apart), from cumulative
    /// counts: no posting is touched, and a range costs two loads.
    ///
    /// # Errors
    /// Corrupt; not found without an inverted index.
    pub fn count(&self, ranks: &[Range<u32>]) -> Result<u64, Error> {
        let (guard, inverted) = self.inverted()?;
        let mut count = 0;
        for ranks in ranks {
            check_ranks(ranks, inverted.ranks())?;
            count += u64::from(guard.checked(inverted.count(ranks))?);
        }
        Ok(count)
    }

    /// Returns how many rows each rank of a range has.
    ///
    /// # Errors
    /// Corrupt; not found without an inverted index.
    pub fn counts(&self, ranks: Range<u32>) -> Result<Vec<u32>, Error> {
        let (guard, inverted) = self.inverted()?;
        check_ranks(&ranks, inverted.ranks())?;
        guard.checked(inverted.counts(ranks))
    }

    /// Returns the rows that have a value of one of the ranks (ascending, apart).
    ///
    /// # Errors
    /// Corrupt; not found without an inverted index.
    pub fn rows(&self, ranks: &[Range<u32>]) -> Result<RowSet, Error> {
        let (guard, inverted) = self.inverted()?;
        for ranks in ranks {
            check_ranks(ranks, inverted.ranks())?;
        }
        if let [ranks] = ranks
            && ranks.len() == 1
        {
            return guard.checked(inverted.rank_rows(ranks.start));
        }
        // The rows of most ranks are all that have a value but those of the few others.
        let all = guard.checked(inverted.count(&(0..inverted.ranks())))?;
        if !self.has_many_values()
            && self.count(ranks)? > u64::from(all / 2)
            && let Some(valued) = self.valued()?
        {
            let rest = gaps(ranks, inverted.ranks());
            let rest = guard.checked(union(&inverted, &rest, self.row_count()))?;
            return Ok(valued.without(&rest));
        }
        guard.checked(union(&inverted, ranks, self.row_count()))
    }

    /// Returns the rows whose value lies within two bounds, from the range index; none without one.
    ///
    /// For text, bytes and BIG_DECIMAL the rows of [`Self::others`] are not among them: a scan
    /// tells them.
    ///
    /// # Errors
    /// Corrupt. A bound of another type is an internal error.
    pub fn range_rows(
        &self,
        lower: Bound<&Value>,
        upper: Bound<&Value>,
    ) -> Result<Option<RowSet>, Error> {
        if !self.has(Kind::Range) {
            return Ok(None);
        }
        let span = if order::is_ordered(self.data_type()) {
            Span::between(lower, upper, self.data_type()).ok_or_else(|| {
                let name = self.data_type().name();
                Error::internal(format!("bound of another type: index={name}"))
            })?
        } else {
            let Some(dictionary) = self.dictionary()? else {
                return Ok(None);
            };
            Span::of_ranks(dictionary.rank_range(lower, upper)?)
        };
        let (guard, view) = self.range()?;
        guard.checked(view.rows(span)).map(Some)
    }

    /// Tells whether a value may be in the subject: false is a proof by the bloom filter.
    pub fn may_contain(&self, value: &Value) -> bool {
        !self.has(Kind::Bloom) || self.bloom().map_or(true, |bloom| bloom.may_contain(value))
    }

    /// Returns how the bloom filter is laid out; none without one, or when it is damaged.
    pub fn bloom_options(&self) -> Option<BloomOptions> {
        Some(self.bloom().ok()?.options())
    }

    /// Returns what is damaged.
    pub(super) fn verify(&self) -> Vec<Error> {
        let slots = self.indexes.slots.iter();
        let opened = slots.map(|slot| match slot.kind {
            Kind::Nulls => self.nulls().map(drop),
            Kind::Others => self.others().map(drop),
            Kind::Dictionary => self.dictionary().map(drop),
            Kind::Inverted => self.inverted().map(drop),
            Kind::Range => self.range().map(drop),
            Kind::Bloom => self.bloom().map(drop),
        });
        opened.filter_map(Result::err).collect()
    }

    /// Returns the checked bytes of an index.
    pub(crate) fn blob(&self, kind: Kind) -> Result<&'a [u8], Error> {
        self.open(kind).map(|(_, bytes)| bytes)
    }

    pub(crate) fn subject_counts(&self) -> Counts {
        self.indexes.counts
    }

    fn slot(&self, kind: Kind) -> Option<&'a Slot> {
        self.indexes.slots.iter().find(|slot| slot.kind == kind)
    }

    fn open(&self, kind: Kind) -> Result<(Guard<'a>, &'a [u8]), Error> {
        let slot = self.slot(kind).ok_or(Error::Absent { kind })?;
        let guard = Guard {
            path: self.file.path(),
            subject: &self.indexes.subject,
            slot,
        };
        Ok((guard, guard.bytes(self.file.bytes())?))
    }

    fn set(&self, kind: Kind, count: u32) -> Result<RowSet, Error> {
        let (guard, bytes) = self.open(kind)?;
        let set = Posting::try_new(bytes).and_then(|posting| {
            posting.check_chunks(self.row_count())?;
            let set = self.within(posting.to_row_set()?)?;
            (set.len() == u64::from(count))
                .then_some(set)
                .ok_or_else(|| Error::damaged("set has another number of rows"))
        });
        guard.checked(set)
    }

    fn range(&self) -> Result<(Guard<'a>, RangeView<'a>), Error> {
        let (guard, bytes) = self.open(Kind::Range)?;
        let view = RangeView::try_new(bytes, self.row_count());
        Ok((guard, guard.checked(view)?))
    }

    fn bloom(&self) -> Result<BloomView<'a>, Error> {
        let (guard, bytes) = self.open(Kind::Bloom)?;
        guard.checked(BloomView::try_new(bytes, self.data_type()))
    }

    fn inverted(&self) -> Result<(Guard<'a>, Inverted<'a>), Error> {
        let (guard, bytes) = self.open(Kind::Inverted)?;
        let inverted =
            Inverted::try_new(bytes, self.row_count(), self.most_rows()).and_then(|inverted| {
                (inverted.ranks() == self.indexes.counts.distinct)
                    .then_some(inverted)
                    .ok_or_else(|| Error::damaged("inverted index has another number of ranks"))
            });
        Ok((guard, guard.checked(inverted)?))
    }

    /// Tells whether a row may have several values.
    fn has_many_values(&self) -> bool {
        self.subject().reading == Reading::Json
    }

    /// Returns the most rows that all values together can have.
    fn most_rows(&self) -> u32 {
        match self.has_many_values() {
            true => u32::MAX,
            false => self.row_count(),
        }
    }

    /// Returns the rows whose value is in the dictionary; none when that cannot be told.
    fn valued(&self) -> Result<Option<RowSet>, Error> {
        if !self.has(Kind::Nulls) {
            return Ok(None);
        }
        let valued = self.nulls()?.complement(self.row_count());
        Ok(Some(match self.others()? {
            Some(others) => valued.without(&others),
            None => valued,
        }))
    }

    fn within(&self, rows: RowSet) -> Result<RowSet, Error> {
        if rows.last().is_some_and(|last| last >= self.row_count()) {
            return Err(Error::damaged("set has a row past the last one"));
        }
        Ok(rows)
    }
}

fn check_ranks(ranks: &Range<u32>, len: u32) -> Result<(), Error> {
    if ranks.start > ranks.end || ranks.end > len {
        return Err(Error::internal(format!("no such ranks: ranks={ranks:?}")));
    }
    Ok(())
}

/// Returns the ranks that are not in ascending ranges.
fn gaps(ranks: &[Range<u32>], len: u32) -> Vec<Range<u32>> {
    let mut gaps = Vec::with_capacity(ranks.len() + 1);
    let mut next = 0;
    for range in ranks {
        gaps.push(next..range.start.max(next));
        next = range.end.max(next);
    }
    gaps.push(next..len);
    gaps.retain(|gap| !gap.is_empty());
    gaps
}

fn union(inverted: &Inverted<'_>, ranks: &[Range<u32>], row_count: u32) -> Result<RowSet, Error> {
    let mut union = Union::default();
    for ranks in ranks {
        inverted.add_to(ranks, &mut union)?;
    }
    let rows = union.finish();
    if rows.last().is_some_and(|last| last >= row_count) {
        return Err(Error::damaged("posting has a row past the last one"));
    }
    Ok(rows)
}
