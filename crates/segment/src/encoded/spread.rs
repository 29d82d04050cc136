//! From bits of values to bits of rows.

use super::bits::{Bits, WORD, lowest};

/// Appends a bit for each row: the next of `values` where it has a value, else zero.
pub(super) fn spread(valid: &Bits, values: &Bits, rows: &mut Bits) {
    #[cfg(target_arch = "x86_64")]
    if super::vector::spread(valid, values, rows) {
        return;
    }
    spread_portably(valid, values, rows);
}

/// As [`spread`], with what every machine has.
pub(super) fn spread_portably(valid: &Bits, values: &Bits, rows: &mut Bits) {
    spread_by(valid, values, rows, deposit);
}

/// As [`spread`], given how bits are put where those of a mask are.
#[inline(always)]
pub(super) fn spread_by(
    valid: &Bits,
    values: &Bits,
    rows: &mut Bits,
    deposit: impl Fn(u64, u64) -> u64,
) {
    let (mut at, mut left) = (0_usize, valid.len());
    let values = values.words();
    let word = |idx: usize| values.get(idx).copied().unwrap_or(0);
    for mask in valid.words() {
        let (idx, bit) = (at / WORD, at % WORD);
        let mut next = word(idx) >> bit;
        if bit > 0 {
            next |= word(idx.saturating_add(1)) << (WORD - bit);
        }
        rows.push(deposit(next, *mask), left.min(WORD));
        at = at.saturating_add(mask.count_ones() as usize);
        left = left.saturating_sub(WORD);
    }
}

/// Puts the lowest bits of a word where those of a mask are.
#[inline]
fn deposit(word: u64, mask: u64) -> u64 {
    let count = mask.count_ones();
    if count < u64::BITS / 2 {
        let (mut placed, mut word, mut left) = (0, word, mask);
        while left != 0 {
            let lowest = left & left.wrapping_neg();
            placed |= lowest & (word & 1).wrapping_neg();
            word >>= 1;
            left ^= lowest;
        }
        return placed;
    }
    // Most rows have a value: those that have none are put in between.
    let (mut placed, mut left) = (word & lowest(count as usize), !mask);
    while left != 0 {
        let gap = left & left.wrapping_neg();
        let below = placed & gap.wrapping_sub(1);
        placed = below | (placed ^ below) << 1;
        left ^= gap;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_where_their_rows_are() {
        let mut random = 7_u64;
        for round in 0..300 {
            let (mut valid, mut values) = (Bits::default(), Bits::default());
            for _ in 0..round % 7 {
                let mut word = || {
                    random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                    random ^ random >> 29
                };
                let mask = match round % 3 {
                    0 => word(),
                    1 => word() | word() | word(),
                    _ => word() & word() & word(),
                };
                valid.push(mask, 64 - usize::from(round % 5 == 4) * 11);
                values.push(word(), 64);
            }
            let bit = |bits: &Bits, at: usize| bits.words()[at / 64] >> (at % 64) & 1;
            let (mut next, mut expected) = (0, Bits::default());
            for row in 0..valid.len() {
                let has = bit(&valid, row);
                expected.push(if has == 1 { bit(&values, next) } else { 0 }, 1);
                next += usize::try_from(has).unwrap();
            }
            for spread in [spread, spread_portably] {
                let mut rows = Bits::default();
                spread(&valid, &values, &mut rows);
                assert_eq!(rows.words(), expected.words());
                assert_eq!(rows.len(), expected.len());
            }
        }
    }
}
