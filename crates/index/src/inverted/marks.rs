//! Where ranks begin, as bits: small where ranks have few rows.
//! ```text
//! marks : bits, ranks, rows u64
//! bits  : a bit for each row of each rank, in the order of ranks; set for the first row of a rank.
//!         Zeros up to a multiple of 64 bytes
//! ranks : a sequence: for every 512 bits the ranks that begin before them
//! ```

use crate::sequence::Sequence;

/// Bits, and words of them, for which it is written down how many ranks begin before.
pub(super) const BLOCK: u64 = 512;
pub(super) const BLOCK_WORDS: usize = 8;

/// Where ranks begin, read in place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks<'a> {
    words: &'a [[u8; 8]],
    /// Ranks that begin before each block.
    blocks: Sequence<'a>,
    ranks: u32,
    rows: u64,
}

impl<'a> Marks<'a> {
    /// Takes the marks of so many ranks; nothing when the bytes do not hold them.
    pub fn try_new(bytes: &'a [u8], ranks: u32) -> Option<Self> {
        let (rest, rows) = bytes.split_last_chunk::<8>()?;
        let rows = u64::from_le_bytes(*rows);
        let blocks = rows.div_ceil(BLOCK);
        let len = blocks.checked_mul(BLOCK / 8)?;
        let (bits, rest) = rest.split_at_checked(usize::try_from(len).ok()?)?;
        let marks = Self {
            words: bits.as_chunks().0,
            blocks: Sequence::try_new(rest)?,
            ranks,
            rows,
        };
        (marks.blocks.len() == blocks).then_some(marks)
    }

    /// Returns how many rows the ranks before one have.
    pub fn before(&self, rank: u32) -> Option<u64> {
        match rank.cmp(&self.ranks) {
            std::cmp::Ordering::Less => self.place(rank),
            std::cmp::Ordering::Equal => Some(self.rows),
            std::cmp::Ordering::Greater => None,
        }
    }

    /// Calls `each` with that number for `from..to`.
    pub fn each(&self, from: u32, to: u32, mut each: impl FnMut(u64)) -> Option<()> {
        if from >= to {
            return Some(());
        }
        let mut left = to.min(self.ranks).saturating_sub(from);
        if left > 0 {
            let place = self.place(from)?;
            let mut at = usize::try_from(place / 64).ok()?;
            let mut word = self.word(at)? & u64::MAX << (place % 64);
            while left > 0 {
                while word == 0 {
                    at += 1;
                    word = self.word(at)?;
                }
                each(at as u64 * 64 + u64::from(word.trailing_zeros()));
                word &= word - 1;
                left -= 1;
            }
        }
        if to > self.ranks {
            (to - self.ranks == 1).then_some(())?;
            each(self.rows);
        }
        Some(())
    }

    /// Returns the place of the mark of a rank.
    fn place(&self, rank: u32) -> Option<u64> {
        let rank = u64::from(rank);
        let block = self.blocks.partition_point(|before| before <= rank)?;
        let block = block.checked_sub(1)?;
        let mut left = rank.checked_sub(self.blocks.get(block)?)?;
        let first = usize::try_from(block).ok()? * BLOCK_WORDS;
        for at in first..first + BLOCK_WORDS {
            let mut word = self.word(at)?;
            let ones = u64::from(word.count_ones());
            if left < ones {
                (0..left).for_each(|_| word &= word - 1);
                return Some(at as u64 * 64 + u64::from(word.trailing_zeros()));
            }
            left -= ones;
        }
        None
    }

    fn word(&self, at: usize) -> Option<u64> {
        self.words.get(at).map(|word| u64::from_le_bytes(*word))
    }
}
