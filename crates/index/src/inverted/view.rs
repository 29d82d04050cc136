//! An inverted index, read in place.

use std::ops::Range;

use super::counts::Counts;
use super::{FOOTER, LONG};
use crate::posting::Posting;
use crate::row_set::{RowSetBuilder, Union};
use crate::sequence::Packed;
use crate::{Error, RowSet};

/// An inverted index, read in place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inverted<'a> {
    portable: &'a [u8],
    short: Packed<'a>,
    counts: Counts<'a>,
    long: &'a [[u8; LONG]],
    ranks: u32,
    row_count: u32,
    /// Most rows of all ranks together.
    most_rows: u32,
}

/// Where a long posting is.
#[derive(Debug, Clone, Copy)]
struct Long {
    rank: u32,
    rows_before: u32,
    offset: u64,
}

impl<'a> Inverted<'a> {
    /// Checks that the parts lie in the bytes and agree about the number of ranks; all ranks together
    /// have no more than `most_rows`.
    ///
    /// # Errors
    /// Corrupt.
    pub fn try_new(bytes: &'a [u8], row_count: u32, most_rows: u32) -> Result<Self, Error> {
        Self::parse(bytes, row_count, most_rows)
            .ok_or_else(|| Error::damaged("inverted index has parts that do not fit together"))
    }

    fn parse(bytes: &'a [u8], row_count: u32, most_rows: u32) -> Option<Self> {
        let (rest, footer) = bytes.split_last_chunk::<FOOTER>()?;
        let (numbers, _) = footer.as_chunks::<8>();
        let [portable, short, counts, long, short_rows, shape] = numbers else {
            return None;
        };
        let number = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
        let take = |rest: &mut &'a [u8], len: &[u8; 8]| {
            let (part, behind) = rest.split_at_checked(usize::try_from(number(len)).ok()?)?;
            *rest = behind;
            Some(part)
        };
        let mut left = rest;
        let portable = take(&mut left, portable)?;
        let short = take(&mut left, short)?;
        let counts = take(&mut left, counts)?;
        let (long, odd) = take(&mut left, long)?.as_chunks();
        let ranks = u32::try_from(number(shape) & u64::from(u32::MAX)).ok()?;
        let row_bits = u32::try_from(number(shape) >> 32 & 0xFFFF).ok()?;
        let counts = Counts::try_new(counts, number(shape) >> 48, ranks)?;
        let fits = odd.is_empty() && left.is_empty();
        let inverted = Self {
            portable,
            short: Packed::try_new(short, number(short_rows), row_bits)?,
            counts,
            long,
            ranks,
            row_count,
            most_rows,
        };
        (fits && ranks <= inverted.rows_before(ranks).ok()?).then_some(inverted)
    }

    /// Returns how many ranks there are.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Returns how many rows the ranks before one have.
    fn rows_before(&self, rank: u32) -> Result<u32, Error> {
        let rows = self.counts.before(rank);
        let rows = rows.and_then(|rows| u32::try_from(rows).ok());
        let rows = rows.filter(|rows| *rows <= self.most_rows);
        rows.ok_or_else(|| Error::damaged("inverted index has a count out of place"))
    }

    /// Returns how many rows the ranks of a range have.
    ///
    /// # Errors
    /// Corrupt.
    pub fn count(&self, ranks: &Range<u32>) -> Result<u32, Error> {
        let (from, to) = (self.rows_before(ranks.start)?, self.rows_before(ranks.end)?);
        to.checked_sub(from)
            .ok_or_else(|| Error::damaged("inverted index has counts that fall"))
    }

    /// Returns how many rows each rank of a range has.
    ///
    /// # Errors
    /// Corrupt.
    pub fn counts(&self, ranks: Range<u32>) -> Result<Vec<u32>, Error> {
        let falls = || Error::damaged("inverted index has counts that fall");
        let mut before = self.rows_before(ranks.start)?;
        let mut each = Vec::with_capacity(ranks.len());
        let mut ascends = true;
        let (from, to) = (ranks.start.checked_add(1), ranks.end.checked_add(1));
        let (from, to) = from.zip(to).ok_or_else(falls)?;
        self.counts
            .each(from, to, |rows| {
                let rows = u32::try_from(rows).unwrap_or(0);
                ascends &= rows >= before;
                each.push(rows.wrapping_sub(before));
                before = rows;
            })
            .filter(|()| ascends)
            .ok_or_else(falls)?;
        Ok(each)
    }

    /// Returns the rows of one rank.
    ///
    /// # Errors
    /// Corrupt.
    pub fn rank_rows(&self, rank: u32) -> Result<RowSet, Error> {
        let at = self.long_from(rank);
        let count = self.count(&(rank..rank.saturating_add(1)))?;
        let long = self.long_at(at).filter(|long| long.rank == rank);
        let rows = match long {
            Some(_) => self.posting(at)?.to_row_set()?,
            None => self.short_rows(self.short_place(rank, at)?, count)?,
        };
        let sound =
            rows.len() == u64::from(count) && rows.last().is_none_or(|last| last < self.row_count);
        sound
            .then_some(rows)
            .ok_or_else(|| Error::damaged(format!("posting has other rows: rank={rank}")))
    }

    /// Adds the rows of a range of ranks to a union.
    ///
    /// # Errors
    /// Corrupt.
    pub fn add_to(&self, ranks: &Range<u32>, union: &mut Union) -> Result<(), Error> {
        let (from, to) = (self.long_from(ranks.start), self.long_from(ranks.end));
        let begin = self.short_place(ranks.start, from)?;
        let end = self.short_place(ranks.end, to)?;
        for at in begin..end {
            let row = u32::try_from(self.short.get(at)).unwrap_or(u32::MAX);
            if row >= self.row_count {
                return Err(Error::damaged("posting has a row past the last one"));
            }
            union.add_row(row);
        }
        for at in from..to {
            self.posting(at)?.add_to(union)?;
        }
        Ok(())
    }

    /// Returns where the short rows of a rank begin; `at` is the first long posting from it on.
    fn short_place(&self, rank: u32, at: usize) -> Result<u64, Error> {
        let rows = u64::from(self.rows_before(rank)?);
        // What long postings before the rank have is not among the short rows.
        let long_rows = match self.long_at(at) {
            Some(long) => u64::from(long.rows_before),
            None => u64::from(self.rows_before(self.ranks)?)
                .checked_sub(self.short.count())
                .ok_or_else(|| Error::damaged("inverted index has more short rows than rows"))?,
        };
        rows.checked_sub(long_rows)
            .filter(|place| *place <= self.short.count())
            .ok_or_else(|| Error::damaged("inverted index has rows out of place"))
    }

    fn short_rows(&self, from: u64, count: u32) -> Result<RowSet, Error> {
        let mut rows = RowSetBuilder::new();
        let mut next = 0;
        for at in from..from + u64::from(count) {
            let row = self.short.get(at);
            if row < next || at >= self.short.count() || row >= u64::from(self.row_count) {
                return Err(Error::damaged("posting has rows out of order"));
            }
            rows.push(u32::try_from(row).unwrap_or(u32::MAX));
            next = row + 1;
        }
        Ok(rows.finish())
    }

    /// Returns the position of the first long posting whose rank is not below.
    fn long_from(&self, rank: u32) -> usize {
        self.long.partition_point(|entry| long(entry).rank < rank)
    }

    fn long_at(&self, at: usize) -> Option<Long> {
        self.long.get(at).map(long)
    }

    fn posting(&self, at: usize) -> Result<Posting<'a>, Error> {
        let place = |at: usize| self.long_at(at).map(|long| long.offset);
        let from = place(at).and_then(|from| usize::try_from(from).ok());
        let to = match place(at + 1) {
            Some(to) => usize::try_from(to).ok(),
            None => Some(self.portable.len()),
        };
        let bytes = from
            .zip(to)
            .and_then(|(from, to)| self.portable.get(from..to));
        let posting =
            Posting::try_new(bytes.ok_or_else(|| Error::damaged("posting lies outside"))?)?;
        // Before a bitmap is made for each of its chunks.
        posting.check_chunks(self.row_count)?;
        Ok(posting)
    }
}

fn long(entry: &[u8; LONG]) -> Long {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *entry;
    Long {
        rank: u32::from_le_bytes([a, b, c, d]),
        rows_before: u32::from_le_bytes([e, f, g, h]),
        offset: u64::from_le_bytes([i, j, k, l, m, n, o, p]),
    }
}
