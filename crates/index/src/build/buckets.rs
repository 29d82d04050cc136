//! Rows with ranks sorted by rank: first into buckets of ranks, then each bucket by counting.
//!
//! Placing rows straight at their ranks would touch memory all over for every row; a bucket and
//! its counts fit into the cache. What does not fit into memory takes another pass over the rows.

use std::io::Write;
use std::ops::Range;

use super::ranked::Ranked;
use crate::inverted::InvertedWriter;
use crate::{Error, RowSetBuilder};

/// Rows that a bucket should have.
const BUCKET_ROWS: u64 = 1 << 15;
/// Most buckets.
const BUCKETS: u64 = 1 << 12;
/// Bytes of a row with its rank, and of its place in a posting.
const ROW_BYTES: usize = 12;

/// Buckets of a range of ranks, of as many ranks each.
pub(super) struct Buckets {
    ranks: Range<u32>,
    /// Ranks of a bucket, as a power of two.
    shift: u32,
    counts: Vec<u32>,
    memory_bytes: usize,
}

/// What is kept from bucket to bucket.
#[derive(Default)]
struct Scratch {
    next: Vec<u32>,
    rows: Vec<u32>,
}

impl Buckets {
    /// Counts the rows of each bucket of a range of ranks that have about `row_count` rows.
    pub fn count(
        ranked: &mut Ranked,
        ranks: Range<u32>,
        row_count: u64,
        memory_bytes: usize,
    ) -> Result<Self, Error> {
        let wanted = (row_count / BUCKET_ROWS).clamp(2, BUCKETS);
        let last = u64::from(ranks.end.saturating_sub(ranks.start).saturating_sub(1));
        let shift = (0..31).find(|shift| last >> shift < wanted).unwrap_or(31);
        let len = usize::try_from(last >> shift).map_err(|_| Error::internal("buckets"))? + 1;
        let mut buckets = Self {
            ranks,
            shift,
            counts: vec![0; len],
            memory_bytes,
        };
        let mut counts = std::mem::take(&mut buckets.counts);
        ranked.each(|record, map| {
            record.each_rank(map, |_, rank| {
                if let Some(count) = counts.get_mut(buckets.bucket_of(rank)) {
                    *count += 1;
                }
            });
        })?;
        buckets.counts = counts;
        Ok(buckets)
    }

    /// Writes the postings of all ranks.
    pub fn write(
        &self,
        ranked: &mut Ranked,
        writer: &mut InvertedWriter,
        out: &mut impl Write,
    ) -> Result<(), Error> {
        let window_rows = self.memory_bytes / 8 * 3 / ROW_BYTES;
        let mut scratch = Scratch::default();
        let mut from = 0;
        while from < self.counts.len() {
            let mut rows = 0;
            let fitting = self.counts.iter().skip(from).take_while(|count| {
                rows += **count as usize;
                rows <= window_rows
            });
            let to = from + fitting.count();
            if from < to {
                self.write_window(from..to, ranked, &mut scratch, writer, out)?;
                from = to;
                continue;
            }
            let ranks = self.ranks_of(from);
            if ranks.len() == 1 {
                write_one(ranks.start, ranked, writer, out)?;
            } else {
                let rows = self.counts.get(from).map_or(0, |count| u64::from(*count));
                Self::count(ranked, ranks, rows, self.memory_bytes)?.write(ranked, writer, out)?;
            }
            from += 1;
        }
        Ok(())
    }

    /// Returns the bucket of a rank; none of them for a rank out of the range.
    #[inline]
    fn bucket_of(&self, rank: u32) -> usize {
        (rank.wrapping_sub(self.ranks.start) >> self.shift) as usize
    }

    fn ranks_of(&self, bucket: usize) -> Range<u32> {
        let rank = |bucket: usize| {
            let rank = u64::from(self.ranks.start) + ((bucket as u64) << self.shift);
            u32::try_from(rank).unwrap_or(u32::MAX).min(self.ranks.end)
        };
        rank(bucket)..rank(bucket + 1)
    }

    /// Sorts the rows of a window of buckets into them, and writes each.
    fn write_window(
        &self,
        window: Range<usize>,
        ranked: &mut Ranked,
        scratch: &mut Scratch,
        writer: &mut InvertedWriter,
        out: &mut impl Write,
    ) -> Result<(), Error> {
        let counts = self.counts.get(window.clone()).unwrap_or_default();
        let mut next = Vec::with_capacity(counts.len());
        let sum = starts(counts, &mut next);
        let mut pairs = vec![0_u64; sum as usize];
        ranked.each(|record, map| {
            let base = record.row(0);
            record.each_rank(map, |position, rank| {
                let bucket = self.bucket_of(rank).wrapping_sub(window.start);
                if let Some(next) = next.get_mut(bucket)
                    && let Some(slot) = pairs.get_mut(*next as usize)
                {
                    *slot = u64::from(rank) << 32 | u64::from(base | u32::from(position));
                    *next += 1;
                }
            });
        })?;
        let mut rest = pairs.as_slice();
        for (bucket, count) in window.zip(counts) {
            let (pairs, behind) = rest.split_at_checked(*count as usize).unwrap_or_default();
            write_bucket(self.ranks_of(bucket), pairs, scratch, writer, out)?;
            rest = behind;
        }
        Ok(())
    }
}

/// Places the rows of a bucket at their ranks, and writes the postings.
fn write_bucket(
    ranks: Range<u32>,
    pairs: &[u64],
    scratch: &mut Scratch,
    writer: &mut InvertedWriter,
    out: &mut impl Write,
) -> Result<(), Error> {
    let Scratch { next, rows } = scratch;
    let at = |pair: u64| usize::try_from((pair >> 32) - u64::from(ranks.start)).unwrap_or(0);
    let mut counts = vec![0; ranks.len()];
    for pair in pairs {
        if let Some(count) = counts.get_mut(at(*pair)) {
            *count += 1;
        }
    }
    starts(&counts, next);
    rows.clear();
    rows.resize(pairs.len(), 0);
    for pair in pairs {
        if let Some(next) = next.get_mut(at(*pair))
            && let Some(slot) = rows.get_mut(*next as usize)
        {
            *slot = u32::try_from(pair & u64::from(u32::MAX)).unwrap_or(0);
            *next += 1;
        }
    }
    let mut rest = rows.as_slice();
    for count in counts {
        let (posting, behind) = rest.split_at_checked(count as usize).unwrap_or_default();
        writer.push_rows(posting, out)?;
        rest = behind;
    }
    Ok(())
}

/// Writes the posting of one rank that has more rows than memory: compressed, it fits.
fn write_one(
    rank: u32,
    ranked: &mut Ranked,
    writer: &mut InvertedWriter,
    out: &mut impl Write,
) -> Result<(), Error> {
    let mut set = RowSetBuilder::new();
    ranked.each(|record, map| {
        record.each_rank(map, |position, other| {
            if other == rank {
                set.push(record.row(position));
            }
        });
    })?;
    writer.push_set(&set.finish(), out)
}

/// Turns counts into where each begins, and returns their sum.
fn starts(counts: &[u32], starts: &mut Vec<u32>) -> u32 {
    starts.clear();
    let mut sum = 0;
    for count in counts {
        starts.push(sum);
        sum += count;
    }
    sum
}
