//! Sets of rows of one window of a row group.

use std::ops::Range;

use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use growler_base::RowRanges;
use roaring::RoaringBitmap;

/// Rows between two chosen ones that are read along with them: skipping fewer costs more.
const GAP: usize = 32;

/// A set of rows; positions count from the start of the window.
#[derive(Debug, Clone)]
pub struct Mask {
    bits: BooleanBuffer,
    count: usize,
}

impl Mask {
    /// Makes a set of its bits.
    pub fn new(bits: BooleanBuffer) -> Self {
        let count = bits.count_set_bits();
        Self { bits, count }
    }

    /// Makes the set of all rows of a window.
    pub fn all(len: usize) -> Self {
        Self {
            bits: BooleanBuffer::new_set(len),
            count: len,
        }
    }

    /// Makes the set of no rows of a window.
    pub fn none(len: usize) -> Self {
        Self {
            bits: BooleanBuffer::new_unset(len),
            count: 0,
        }
    }

    /// Makes the set of the rows of a segment in `rows`, without some; the window starts with them.
    pub fn all_but(deleted: &RoaringBitmap, rows: Range<u32>) -> Self {
        let len = (rows.end.saturating_sub(rows.start)) as usize;
        if deleted.range_cardinality(rows.clone()) == 0 {
            return Self::all(len);
        }
        let mut bits = BooleanBufferBuilder::new(len);
        for row in deleted.range(rows.clone()) {
            let at = (row - rows.start) as usize;
            bits.append_n(at - bits.len(), true);
            bits.append(false);
        }
        bits.append_n(len - bits.len(), true);
        Self::new(bits.finish())
    }

    /// Makes the set of rows in `ranges` (local to the row group) for a window that starts at `start`.
    pub fn of_ranges(ranges: &RowRanges, window: &Range<usize>) -> Self {
        let mut bits = BooleanBufferBuilder::new(window.len());
        for range in ranges.iter() {
            let start = range.start.clamp(window.start, window.end) - window.start;
            let end = range.end.clamp(window.start, window.end) - window.start;
            bits.append_n(start.saturating_sub(bits.len()), false);
            bits.append_n(end.saturating_sub(bits.len()), true);
        }
        bits.append_n(window.len() - bits.len(), false);
        Self::new(bits.finish())
    }

    /// Returns a part of the window, with the rows of the set in it.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        match self.is_all() {
            true => Self::all(len),
            false => Self::new(self.bits.slice(start, len)),
        }
    }

    /// Returns the bits.
    pub fn bits(&self) -> &BooleanBuffer {
        &self.bits
    }

    /// Returns how many rows are in the set.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns how many rows the window has.
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Tells whether no row is in the set.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Tells whether every row of the window is in the set.
    pub fn is_all(&self) -> bool {
        self.count == self.bits.len()
    }

    /// Returns the rows in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        if self.is_all() || other.is_empty() {
            other.clone()
        } else if other.is_all() || self.is_empty() {
            self.clone()
        } else {
            Self::new(&self.bits & &other.bits)
        }
    }

    /// Returns the rows in either.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_all() {
            other.clone()
        } else if other.is_empty() || self.is_all() {
            self.clone()
        } else {
            Self::new(&self.bits | &other.bits)
        }
    }

    /// Returns the rows in this but not in the other.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        if other.is_empty() || self.is_empty() {
            self.clone()
        } else {
            Self::new(&self.bits & &!&other.bits)
        }
    }

    /// Returns the first `count` rows of the set.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        let Some(beyond) = self.bits.set_indices().nth(count) else {
            return self.clone();
        };
        let mut bits = BooleanBufferBuilder::new(self.len());
        bits.append_buffer(&self.bits.slice(0, beyond));
        bits.append_n(self.len() - beyond, false);
        Self::new(bits.finish())
    }

    /// Returns ranges that hold all rows of the set, local to the row group; rows in small gaps are in
    /// them too.
    pub fn ranges(&self, window: &Range<usize>) -> RowRanges {
        let mut ranges = RowRanges::default();
        let mut last: Option<Range<usize>> = None;
        for (start, end) in self.bits.set_slices() {
            match &mut last {
                Some(last) if start - last.end < GAP => last.end = end,
                _ => {
                    let done = last.replace(start..end);
                    ranges.push(moved(done, window.start));
                }
            }
        }
        ranges.push(moved(last, window.start));
        ranges
    }

    /// Returns the bits of just the rows in `ranges` (local to the row group), one after the other.
    pub fn gather(&self, ranges: &RowRanges, window: &Range<usize>) -> Self {
        if self.is_all() {
            return Self::all(ranges.row_count());
        }
        let mut bits = BooleanBufferBuilder::new(ranges.row_count());
        for range in ranges.iter() {
            let start = range.start.saturating_sub(window.start);
            bits.append_buffer(&self.bits.slice(start, range.len()));
        }
        Self::new(bits.finish())
    }
}

fn moved(range: Option<Range<usize>>, by: usize) -> Range<usize> {
    range.map_or(0..0, |range| range.start + by..range.end + by)
}

/// Collects bits of the rows that are read, in ascending order; rows in between are not set.
#[derive(Debug)]
pub struct Scatter {
    bits: BooleanBufferBuilder,
    window: Range<usize>,
}

impl Scatter {
    /// Starts an empty set.
    pub fn new(window: &Range<usize>) -> Self {
        Self {
            bits: BooleanBufferBuilder::new(window.len()),
            window: window.clone(),
        }
    }

    /// Appends the bits of the rows in `ranges`, which come after all rows so far.
    pub fn append(&mut self, ranges: &RowRanges, bits: &BooleanBuffer) {
        let mut position = 0;
        for range in ranges.iter() {
            let start = range.start.saturating_sub(self.window.start);
            self.bits
                .append_n(start.saturating_sub(self.bits.len()), false);
            self.bits.append_buffer(&bits.slice(position, range.len()));
            position += range.len();
        }
    }

    /// Returns the set.
    pub fn finish(mut self) -> Mask {
        self.bits
            .append_n(self.window.len().saturating_sub(self.bits.len()), false);
        Mask::new(self.bits.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranges_hold_the_set_and_gathering_scatters_back(
            rows in prop::collection::vec(prop::bool::weighted(0.1), 1..400),
            start in 0usize..100,
        ) {
            let window = start..start + rows.len();
            let mask = Mask::new(BooleanBuffer::from(rows.clone()));
            let ranges = mask.ranges(&window);
            prop_assert_eq!(mask.and(&Mask::of_ranges(&ranges, &window)).count(), mask.count());
            let gathered = mask.gather(&ranges, &window);
            prop_assert_eq!(gathered.count(), mask.count());
            let mut scatter = Scatter::new(&window);
            scatter.append(&ranges, gathered.bits());
            let scattered = scatter.finish();
            prop_assert_eq!(scattered.bits(), mask.bits());
        }

        #[test]
        fn deleted_rows_are_left_out(
            deleted in prop::collection::btree_set(0u32..300, 0..60),
            start in 0u32..200,
            len in 0u32..100,
        ) {
            let bitmap: RoaringBitmap = deleted.iter().copied().collect();
            let mask = Mask::all_but(&bitmap, start..start + len);
            let expected: Vec<bool> = (start..start + len).map(|row| !deleted.contains(&row)).collect();
            prop_assert_eq!(mask.bits(), &BooleanBuffer::from(expected));
        }

        #[test]
        fn set_algebra_is_that_of_the_rows(rows in prop::collection::vec(any::<(bool, bool)>(), 0..200)) {
            let (a, b): (Vec<bool>, Vec<bool>) = rows.iter().copied().unzip();
            let (left, right) = (Mask::new(a.into()), Mask::new(b.into()));
            let check = |mask: Mask, holds: fn(bool, bool) -> bool| {
                let expected: Vec<bool> = rows.iter().map(|(a, b)| holds(*a, *b)).collect();
                assert_eq!(mask.count(), expected.iter().filter(|bit| **bit).count());
                assert_eq!(mask.bits(), &BooleanBuffer::from(expected));
            };
            check(left.and(&right), |a, b| a && b);
            check(left.or(&right), |a, b| a || b);
            check(left.without(&right), |a, b| a && !b);
            let firsts = left.first(7);
            prop_assert_eq!(firsts.count(), left.count().min(7));
            prop_assert!(firsts.bits().set_indices().eq(left.bits().set_indices().take(7)));
        }
    }
}
