//! Bits of rows or values, appended in words.

use arrow_buffer::{BooleanBuffer, Buffer};

/// Bits of a word.
pub(super) const WORD: usize = 64;

/// A bit for each of some rows, in row order.
#[derive(Debug, Clone, Default)]
pub struct Bits {
    /// Bits past the end are zero.
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// Makes room for so many bits.
    pub fn with_capacity(len: usize) -> Self {
        Self {
            words: Vec::with_capacity(len.div_ceil(WORD)),
            len: 0,
        }
    }

    /// Returns how many bits there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends the same bit so many times.
    pub fn push_n(&mut self, count: usize, bit: bool) {
        let fill = if bit { u64::MAX } else { 0 };
        let lead = count.min(self.len.next_multiple_of(WORD).saturating_sub(self.len));
        self.push(fill, lead);
        let rest = count.saturating_sub(lead);
        let whole = rest / WORD;
        self.words
            .resize(self.words.len().saturating_add(whole), fill);
        self.len = self.len.saturating_add(whole.saturating_mul(WORD));
        self.push(fill, rest % WORD);
    }

    /// Appends the lowest `count` bits of a word.
    #[inline]
    pub(super) fn push(&mut self, word: u64, count: usize) {
        if count == 0 {
            return;
        }
        let word = word & lowest(count);
        let at = self.len % WORD;
        match self.words.last_mut() {
            Some(last) if at > 0 => {
                *last |= word << at;
                if at.saturating_add(count) > WORD {
                    self.words.push(word >> (WORD - at));
                }
            }
            _ => self.words.push(word),
        }
        self.len = self.len.saturating_add(count);
    }

    /// Appends all bits of others.
    pub(super) fn append(&mut self, others: &Self) {
        let mut left = others.len;
        for word in &others.words {
            self.push(*word, left.min(WORD));
            left = left.saturating_sub(WORD);
        }
    }

    /// Takes all bits out, but keeps the room.
    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.len = 0;
    }

    /// Returns the words; bits past the end are zero.
    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns how many bits are set.
    pub(super) fn count_ones(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }
}

impl From<Bits> for BooleanBuffer {
    fn from(bits: Bits) -> Self {
        Self::new(Buffer::from_vec(bits.words), 0, bits.len)
    }
}

/// Returns a word whose lowest bits are set; at most all.
pub(super) fn lowest(count: usize) -> u64 {
    let unset = u32::try_from(WORD.saturating_sub(count)).unwrap_or(0);
    u64::MAX.checked_shr(unset).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back_in_the_order_they_were_appended() {
        let mut random = 1_u64;
        for _ in 0..200 {
            let (mut bits, mut expected) = (Bits::default(), Vec::new());
            for _ in 0..20 {
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let count = usize::try_from(random >> 57).unwrap();
                if random & 64 == 0 {
                    bits.push_n(count, random & 1 == 0);
                    expected.extend(vec![random & 1 == 0; count]);
                } else {
                    let count = count.min(WORD);
                    bits.push(random, count);
                    expected.extend((0..count).map(|bit| random >> bit & 1 == 1));
                }
            }
            let mut twice = bits.clone();
            twice.append(&bits);
            assert_eq!(
                BooleanBuffer::from(bits),
                BooleanBuffer::from(expected.clone())
            );
            expected.extend(expected.clone());
            assert_eq!(BooleanBuffer::from(twice), BooleanBuffer::from(expected));
        }
    }
}
