//! The first rows of an order, without the others.

use crate::{
    error::Error,
    run::{Charge, MemoryBudget},
};

/// A row that may be among the first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// Comparable sort keys.
    pub key: Box<[u8]>,
    /// Position of its morsel; of equal keys the earlier row comes first.
    pub morsel: usize,
    /// Position in its row group.
    pub row: u32,
}

/// Which rows are the first ones where some are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// The earliest ones, so many as there is room for.
    Cut,
    /// All that are equal to the last: other keys are to choose among them.
    Keep,
}

/// The first `limit` of all rows seen.
#[derive(Debug)]
pub struct Top {
    limit: usize,
    ties: Ties,
    candidates: Vec<Candidate>,
    /// How many rows are too many.
    cut_at: usize,
    key_bytes: usize,
    charge: Charge,
}

impl Top {
    /// Starts without rows.
    pub fn new(limit: usize, ties: Ties, budget: &MemoryBudget) -> Self {
        let (candidates, charge) = (Vec::new(), budget.charge("rows to sort"));
        Self {
            limit,
            ties,
            candidates,
            cut_at: cut_at(limit, 0),
            key_bytes: 0,
            charge,
        }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`Error::Memory`] when there is no room for it.
    pub fn push(&mut self, candidate: Candidate) -> Result<(), Error> {
        self.key_bytes += candidate.key.len();
        self.candidates.push(candidate);
        if self.candidates.len() >= self.cut_at {
            self.cut();
        }
        self.charge
            .set(self.candidates.capacity() * size_of::<Candidate>() + self.key_bytes)
    }

    /// Returns how many rows there are, some of which may be dropped.
    pub fn held(&self) -> usize {
        self.candidates.len()
    }

    /// Returns the last of the first `limit` rows; none when there are fewer.
    pub fn last(&mut self) -> Option<&Candidate> {
        self.cut();
        self.candidates.get(self.limit.checked_sub(1)?)
    }

    /// Returns the first rows in order.
    pub fn finish(mut self) -> Vec<Candidate> {
        self.cut();
        self.candidates.sort_unstable();
        self.candidates
    }

    /// Drops what is not among the first.
    fn cut(&mut self) {
        let Some(last) = self.limit.checked_sub(1) else {
            return self.candidates.clear();
        };
        if last < self.candidates.len() {
            let (_, last, rest) = self.candidates.select_nth_unstable(last);
            let is_tied = |other: &&Candidate| self.ties == Ties::Keep && other.key == last.key;
            let tied: Vec<_> = rest.iter().filter(is_tied).cloned().collect();
            self.candidates.truncate(self.limit);
            self.candidates.extend(tied);
            self.key_bytes = self
                .candidates
                .iter()
                .map(|candidate| candidate.key.len())
                .sum();
            self.cut_at = cut_at(self.limit, self.candidates.len());
        }
    }
}

/// Returns how many rows are too many where so many had to stay.
fn cut_at(limit: usize, kept: usize) -> usize {
    limit
        .max(kept)
        .saturating_mul(2)
        .max(limit.saturating_add(1024))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_the_first_of_a_stable_sort(
            keys in prop::collection::vec(0u8..20, 0..3000),
            limit in 0usize..60,
        ) {
            let budget = MemoryBudget::new(usize::MAX);
            let mut top = Top::new(limit, Ties::Cut, &budget);
            for (row, &key) in keys.iter().enumerate() {
                let row = u32::try_from(row).unwrap();
                top.push(Candidate { key: Box::new([key]), morsel: 0, row }).unwrap();
            }
            let mut expected: Vec<_> = keys.iter().zip(0u32..).map(|(&key, row)| (key, row)).collect();
            expected.sort();
            expected.truncate(limit);
            let found: Vec<_> = top.finish().iter().map(|kept| (kept.key[0], kept.row)).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn keeps_what_is_equal_to_the_last(
            keys in prop::collection::vec(0u8..20, 0..3000),
            limit in 1usize..60,
        ) {
            let budget = MemoryBudget::new(usize::MAX);
            let mut top = Top::new(limit, Ties::Keep, &budget);
            for (row, &key) in (0..).zip(&keys) {
                top.push(Candidate { key: Box::new([key]), morsel: 0, row }).unwrap();
            }
            let mut sorted = keys.clone();
            sorted.sort_unstable();
            let last = sorted.get(limit - 1).or(sorted.last()).copied();
            sorted.retain(|key| Some(*key) <= last);
            let found: Vec<_> = top.finish().iter().map(|kept| kept.key[0]).collect();
            prop_assert_eq!(found, sorted);
        }
    }
}
