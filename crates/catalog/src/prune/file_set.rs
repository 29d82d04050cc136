//! Sets of files of a plan, while they get fewer.

use roaring::RoaringBitmap;

/// Files of one word.
pub(crate) const WORD_FILES: usize = 64;

/// A set of positions below a count, a bit each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileSet {
    words: Box<[u64]>,
}

impl FileSet {
    /// Makes the set of all positions below a count.
    pub(crate) fn all(count: usize) -> Self {
        let mut words = vec![u64::MAX; count.div_ceil(WORD_FILES)];
        let rest = u32::try_from(count.checked_rem(WORD_FILES).unwrap_or(0)).unwrap_or(0);
        if let Some(last) = words.last_mut().filter(|_| rest > 0) {
            *last = low_bits(rest);
        }
        Self {
            words: words.into(),
        }
    }

    /// Makes an empty set of positions below a count.
    pub(crate) fn none(count: usize) -> Self {
        Self {
            words: vec![0; count.div_ceil(WORD_FILES)].into(),
        }
    }

    pub(crate) fn insert(&mut self, position: u32) {
        let (word, bit) = place(position);
        if let Some(word) = self.words.get_mut(word) {
            *word |= bit;
        }
    }

    #[cfg(test)]
    pub(crate) fn contains(&self, position: u32) -> bool {
        let (word, bit) = place(position);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Keeps what is in another set too.
    pub(crate) fn and(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// Adds another set.
    pub(crate) fn or(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// Asks about each word that has some files, by its number; keeps of them what the answer has.
    pub(crate) fn narrow_words(&mut self, mut ask: impl FnMut(usize, u64) -> u64) {
        for (number, word) in self.words.iter_mut().enumerate() {
            if *word != 0 {
                *word &= ask(number, *word);
            }
        }
    }

    /// Keeps the files of which something is true.
    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(usize) -> bool) {
        self.narrow_words(|number, word| {
            let first = number.saturating_mul(WORD_FILES);
            retained(word, |bit| is_kept(first.saturating_add(bit)))
        });
    }

    pub(crate) fn to_bitmap(&self) -> RoaringBitmap {
        let mut bitmap = RoaringBitmap::new();
        for (first, word) in (0_u32..).step_by(WORD_FILES).zip(&self.words) {
            match *word {
                u64::MAX => {
                    bitmap.insert_range(first..=first.saturating_add(63));
                }
                word => each_bit(word, |bit| {
                    // Ascending, so it is pushed to the end.
                    let _ = bitmap.try_push(first.saturating_add(bit));
                }),
            }
        }
        bitmap
    }
}

/// Keeps the bits of a word of which something is true.
pub(crate) fn retained(word: u64, mut is_kept: impl FnMut(usize) -> bool) -> u64 {
    let mut kept = 0;
    each_bit(word, |bit| {
        if usize::try_from(bit).is_ok_and(&mut is_kept) {
            kept |= 1_u64.wrapping_shl(bit);
        }
    });
    kept
}

fn each_bit(mut word: u64, mut take: impl FnMut(u32)) {
    while word != 0 {
        take(word.trailing_zeros());
        word &= word.wrapping_sub(1);
    }
}

fn low_bits(count: u32) -> u64 {
    1_u64.wrapping_shl(count).wrapping_sub(1)
}

fn place(position: u32) -> (usize, u64) {
    let word = usize::try_from(position.wrapping_shr(6)).unwrap_or(usize::MAX);
    (word, 1_u64.wrapping_shl(position))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_what_a_bitmap_says() {
        for count in [0_u32, 1, 63, 64, 65, 200] {
            let size = usize::try_from(count).unwrap();
            let all = FileSet::all(size);
            assert_eq!(all.to_bitmap(), (0..count).collect::<RoaringBitmap>());
            let mut thirds = FileSet::none(size);
            assert!(thirds.to_bitmap().is_empty());
            (0..count)
                .step_by(3)
                .for_each(|position| thirds.insert(position));
            let mut even = all.clone();
            even.retain(|position| position % 2 == 0);
            let (mut both, mut either) = (thirds.clone(), thirds.clone());
            both.and(&even);
            either.or(&even);
            for position in 0..count + 2 {
                let is_there = position < count;
                let (third, is_even) = (position % 3 == 0, position % 2 == 0);
                assert_eq!(both.contains(position), is_there && third && is_even);
                assert_eq!(either.contains(position), is_there && (third || is_even));
            }
        }
    }
}
