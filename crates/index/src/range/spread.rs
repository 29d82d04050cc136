//! From rows that have a value to all rows of a chunk.

use super::compare::Block;
use crate::{Error, row_set::CHUNK_WORDS};

/// Moves bit `i` of `decided` to the row at place `i` of a list of rows.
///
/// # Errors
/// Corrupt, when the positions are not ascending, or not below `rows`.
pub(super) fn by_list(
    positions: &[u8],
    rows: usize,
    decided: &[Block],
    out: &mut [u64; CHUNK_WORDS],
) -> Result<(), Error> {
    let wrong = || Error::damaged("range chunk lists rows out of order");
    let (positions, _) = positions.as_chunks::<2>();
    let words = decided.as_flattened();
    let mut next = 0;
    for (idx, position) in positions.iter().enumerate() {
        let row = usize::from(u16::from_le_bytes(*position));
        if row < next || row >= rows {
            return Err(wrong());
        }
        next = row + 1;
        let word = words.get(idx / 64).ok_or_else(wrong)?;
        *out.get_mut(row / 64).ok_or_else(wrong)? |= (word >> (idx % 64) & 1) << (row % 64);
    }
    Ok(())
}

/// Moves bit `i` of `decided` to the row of the `i`-th set bit of a bitmap.
///
/// # Errors
/// Corrupt, when the bitmap has not `present` bits set, or some beyond `rows`.
pub(super) fn by_bits(
    presence: &[u8],
    rows: usize,
    present: usize,
    decided: &[Block],
    out: &mut [u64; CHUNK_WORDS],
) -> Result<(), Error> {
    let (taken, is_beyond) = deposit_each(presence, rows, decided, out);
    if taken == present && !is_beyond {
        Ok(())
    } else {
        Err(Error::damaged(
            "range chunk has values elsewhere than it says",
        ))
    }
}

#[cfg(target_arch = "x86_64")]
fn deposit_each(
    presence: &[u8],
    rows: usize,
    decided: &[Block],
    out: &mut [u64; CHUNK_WORDS],
) -> (usize, bool) {
    #[target_feature(enable = "bmi2,popcnt")]
    fn by_instruction(
        presence: &[u8],
        rows: usize,
        decided: &[Block],
        out: &mut [u64; CHUNK_WORDS],
    ) -> (usize, bool) {
        let pdep = |bits, mask| std::arch::x86_64::_pdep_u64(bits, mask);
        deposit_with(presence, rows, decided, out, pdep)
    }
    if crate::wide::has_512_bits() {
        // SAFETY: the machine has what the function was compiled for.
        return unsafe { by_instruction(presence, rows, decided, out) };
    }
    deposit_with(presence, rows, decided, out, deposit)
}

#[cfg(not(target_arch = "x86_64"))]
fn deposit_each(
    presence: &[u8],
    rows: usize,
    decided: &[Block],
    out: &mut [u64; CHUNK_WORDS],
) -> (usize, bool) {
    deposit_with(presence, rows, decided, out, deposit)
}

/// Returns how many bits the bitmap has, and whether any is beyond the rows.
#[inline(always)]
fn deposit_with(
    presence: &[u8],
    rows: usize,
    decided: &[Block],
    out: &mut [u64; CHUNK_WORDS],
    deposit: impl Fn(u64, u64) -> u64,
) -> (usize, bool) {
    let (presence, _) = presence.as_chunks::<8>();
    let words = decided.as_flattened();
    let word_at = |idx: usize| words.get(idx).copied().unwrap_or_default();
    let (mut taken, mut beyond) = (0, 0);
    for ((mask, out), start) in presence.iter().zip(out.iter_mut()).zip((0..).step_by(64)) {
        let mask = u64::from_le_bytes(*mask);
        if rows < start + 64 {
            beyond |= mask & u64::MAX << rows.saturating_sub(start);
        }
        // The next 64 bits, from the middle of one word to the middle of the next.
        let (at, shift) = (taken / 64, taken % 64);
        let bits = word_at(at) >> shift | word_at(at + 1) << 1 << (63 - shift);
        *out = deposit(bits, mask);
        taken += mask.count_ones() as usize;
    }
    (taken, beyond != 0)
}

/// Puts the lowest bits at the places where the mask is set (what PDEP does), by moving bits in
/// steps of powers of two (Warren, Hacker's Delight 7-5), as not every machine has it.
fn deposit(bits: u64, mask: u64) -> u64 {
    if mask == u64::MAX {
        return bits;
    }
    let mut moves = [0; 6];
    let mut left = mask;
    // For each place, the parity of the zeros below it says whether its bit moves by this step.
    let mut zeros_below = !mask << 1;
    for (step, moved) in (0..6).zip(&mut moves) {
        let mut parity = zeros_below;
        for shift in 0..6 {
            parity ^= parity << (1 << shift);
        }
        *moved = parity & left;
        left = left ^ *moved | *moved >> (1u64 << step);
        zeros_below &= !parity;
    }
    let mut spread = bits;
    for (step, moved) in (0..6).zip(moves).rev() {
        let up = spread << (1u64 << step);
        spread = spread & !moved | up & moved;
    }
    spread & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deposits_as_bit_by_bit() {
        let mut state = 1_u64;
        let mut next = || {
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            state ^ state >> 31
        };
        for round in 0..2000 {
            let mask = match round % 4 {
                0 => next(),
                1 => next() & next() & next(),
                2 => next() | next() | next(),
                _ => [0, 1, u64::MAX, 1 << 63][round / 4 % 4],
            };
            let bits = next();
            let mut expected = 0;
            let set = (0..64).filter(|place| mask >> place & 1 == 1);
            for (from, place) in set.enumerate() {
                expected |= (bits >> from & 1) << place;
            }
            assert_eq!(deposit(bits, mask), expected, "bits={bits:x} mask={mask:x}");
            let (mut out, decided) = ([0; CHUNK_WORDS], [[bits; 8]; 1]);
            deposit_each(&mask.to_le_bytes(), 64, &decided, &mut out);
            assert_eq!(out[0], expected, "bits={bits:x} mask={mask:x}");
        }
    }
}
