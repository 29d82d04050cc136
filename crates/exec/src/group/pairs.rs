//! Tuples of numbers, numbered: pairs of pairs.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// Numbers distinct pairs of numbers.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    ids: HashMap<u64, u32, RandomState>,
    pairs: Vec<(u32, u32)>,
}

impl Pairs {
    /// Replaces each left number by the number of the pair.
    pub(super) fn combine(&mut self, left: &mut [u32], right: &[u32]) {
        let mut last = None;
        for (left, &right) in left.iter_mut().zip(right) {
            let pair = (*left, right);
            let id = match last {
                Some((same, id)) if same == pair => id,
                _ => self.id(pair),
            };
            last = Some((pair, id));
            *left = id;
        }
    }

    fn id(&mut self, pair: (u32, u32)) -> u32 {
        let next = u32::try_from(self.pairs.len()).unwrap_or(u32::MAX);
        let id = *self
            .ids
            .entry(u64::from(pair.0) << 32 | u64::from(pair.1))
            .or_insert(next);
        if id == next {
            self.pairs.push(pair);
        }
        id
    }

    /// Returns the pairs in the order of their numbers.
    pub(super) fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    pub(super) fn size_bytes(&self) -> usize {
        self.ids.capacity() * 17 + self.pairs.capacity() * 8
    }
}
