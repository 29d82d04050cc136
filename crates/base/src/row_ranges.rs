//! Sorted row ranges local to one row group; they choose pages.

use std::ops::Range;

/// Half-open, ascending, non-adjacent ranges of row positions **inside one row group**.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowRanges {
    ranges: Vec<Range<usize>>,
}

impl RowRanges {
    /// Makes the single range of all rows of a row group.
    pub fn all(row_count: usize) -> Self {
        let mut all = Self::default();
        all.push(0..row_count);
        all
    }

    /// Appends a range; it must not start before the end of the last one. Empty ranges are dropped.
    pub fn push(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        match self.ranges.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => self.ranges.push(range),
        }
    }

    /// Returns the ranges in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.ranges.iter().cloned()
    }

    /// Counts the rows in all ranges.
    pub fn row_count(&self) -> usize {
        self.ranges.iter().map(ExactSizeIterator::len).sum()
    }

    /// Tells whether no row is chosen.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns the rows that are in either.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut ranges: Vec<_> = self.iter().chain(other.iter()).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.into_iter().collect()
    }

    /// Returns the rows that are in both.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        let mut both = Self::default();
        let (mut left, mut right) = (
            self.ranges.iter().peekable(),
            other.ranges.iter().peekable(),
        );
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            both.push(a.start.max(b.start)..a.end.min(b.end));
            if a.end <= b.end {
                left.next();
            } else {
                right.next();
            }
        }
        both
    }
}

impl FromIterator<Range<usize>> for RowRanges {
    fn from_iter<I: IntoIterator<Item = Range<usize>>>(ranges: I) -> Self {
        let mut collected = Self::default();
        for range in ranges {
            collected.push(range);
        }
        collected
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of_bits(bits: &[bool]) -> RowRanges {
        bits.iter()
            .enumerate()
            .filter(|(_, bit)| **bit)
            .map(|(row, _)| row..row + 1)
            .collect()
    }

    proptest! {
        #[test]
        fn intersection_is_that_of_the_rows(rows in prop::collection::vec(any::<(bool, bool)>(), 0..64)) {
            let (a, b): (Vec<bool>, Vec<bool>) = rows.iter().copied().unzip();
            let both: Vec<bool> = rows.iter().map(|(a, b)| *a && *b).collect();
            let either: Vec<bool> = rows.iter().map(|(a, b)| *a || *b).collect();
            prop_assert_eq!(of_bits(&a).union(&of_bits(&b)), of_bits(&either));
            let expected = of_bits(&both);
            prop_assert_eq!(expected.row_count(), both.iter().filter(|bit| **bit).count());
            prop_assert_eq!(of_bits(&a).intersect(&of_bits(&b)), expected);
        }
    }
}
