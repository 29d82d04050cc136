//! What two ascending arrays share.
//!
//! Blocks of eight are compared with each other at once, by the instruction that searches in strings where
//! there is one (as in Schlegel et al., "Fast Sorted-Set Intersection using SIMD Instructions"); what is
//! left is merged one by one.

/// How many times longer one array must be for a search in it to beat a comparison of all.
const SKEW: usize = 32;
/// Positions of a block.
const BLOCK: usize = 8;

/// Returns the positions that are in both arrays, which ascend.
pub(super) fn and_arrays(a: &[u16], b: &[u16]) -> Vec<u16> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() / SKEW > short.len() {
        let is_shared = |position: &u16| long.binary_search(position).is_ok();
        return short.iter().copied().filter(is_shared).collect();
    }
    let mut both = Vec::with_capacity(short.len());
    let (short, long) = and_blocks(short, long, &mut both);
    and_one_by_one(short, long, &mut both);
    both
}

/// Appends what arrays share as far as both have whole blocks; returns what is left of each.
fn and_blocks<'a>(a: &'a [u16], b: &'a [u16], both: &mut Vec<u16>) -> (&'a [u16], &'a [u16]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("sse4.2") && is_x86_feature_detected!("popcnt") {
        let (a, b) = and_zero(a, b, both);
        // SAFETY: the machine has the instructions.
        return unsafe { by_strings::and(a, b, both) };
    }
    (a, b)
}

/// Takes position 0 out, which ends a string.
#[cfg(target_arch = "x86_64")]
fn and_zero<'a>(mut a: &'a [u16], mut b: &'a [u16], both: &mut Vec<u16>) -> (&'a [u16], &'a [u16]) {
    if let ([0, ..], [0, ..]) = (a, b) {
        both.push(0);
    }
    if let [0, rest @ ..] = a {
        a = rest;
    }
    if let [0, rest @ ..] = b {
        b = rest;
    }
    (a, b)
}

#[cfg(target_arch = "x86_64")]
mod by_strings {
    use std::arch::x86_64::{
        __m128i, _SIDD_BIT_MASK, _SIDD_CMP_EQUAL_ANY, _SIDD_UWORD_OPS, _mm_cmpistrm,
        _mm_cvtsi128_si64, _mm_loadu_si128,
    };

    use super::BLOCK;

    /// As [`super::and_blocks`], for arrays without 0.
    #[target_feature(enable = "sse4.2,popcnt")]
    pub(super) fn and<'a>(
        a: &'a [u16],
        b: &'a [u16],
        both: &mut Vec<u16>,
    ) -> (&'a [u16], &'a [u16]) {
        const MODE: i32 = _SIDD_UWORD_OPS | _SIDD_CMP_EQUAL_ANY | _SIDD_BIT_MASK;
        let (a_blocks, b_blocks) = (a.as_chunks::<BLOCK>().0, b.as_chunks::<BLOCK>().0);
        let (mut i, mut j) = (0, 0);
        while let (Some(x), Some(y)) = (a_blocks.get(i), b_blocks.get(j)) {
            let found = _mm_cmpistrm::<MODE>(load(x), load(y));
            // A bit for each position of `y` that is in `x`.
            let mut found = _mm_cvtsi128_si64(found);
            while found != 0 {
                both.extend(y.get(found.trailing_zeros() as usize));
                found &= found - 1;
            }
            // A step waits for the one before, so it is taken without a branch.
            let ([.., x_last], [.., y_last]) = (x, y);
            i += usize::from(x_last <= y_last);
            j += usize::from(y_last <= x_last);
        }
        let rest = |array: &'a [u16], at: usize| array.get(at * BLOCK..).unwrap_or_default();
        (rest(a, i), rest(b, j))
    }

    #[inline]
    #[target_feature(enable = "sse4.2")]
    fn load(block: &[u16; BLOCK]) -> __m128i {
        // SAFETY: a block has sixteen bytes, at any address.
        unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
    }
}

fn and_one_by_one(a: &[u16], b: &[u16], both: &mut Vec<u16>) {
    let from = both.len();
    both.resize(from + a.len().min(b.len()), 0);
    let mut len = from;
    let (mut i, mut j) = (0, 0);
    // Every step moves one or both sides and writes unconditionally: no branch to mispredict.
    while let (Some(&x), Some(&y), Some(slot)) = (a.get(i), b.get(j), both.get_mut(len)) {
        *slot = x;
        len += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    both.truncate(len);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks and single steps share the same positions.
    #[test]
    fn blocks_find_what_single_steps_find() {
        let steps = |from: u16, step: usize, len: usize| -> Vec<u16> {
            (from..=u16::MAX).step_by(step).take(len).collect()
        };
        let mut arrays = vec![vec![], vec![0], vec![u16::MAX], vec![0, u16::MAX]];
        for from in [0, 1, 3] {
            for step in [1, 2, 3, 97, 1000] {
                for len in [1, 7, 8, 9, 16, 31, 800, 4096] {
                    arrays.push(steps(from, step, len));
                }
            }
        }
        let mut state = 1_u64;
        let random = |share: u64| {
            let kept = |_: &u16| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                state >> 32 < share
            };
            let drawn: Vec<u16> = (0..=u16::MAX).filter(kept).take(4096).collect();
            drawn
        };
        arrays.extend([1 << 22, 1 << 26, 1 << 28, 1 << 31].map(random));
        for a in &arrays {
            for b in &arrays {
                let mut expected = Vec::new();
                and_one_by_one(a, b, &mut expected);
                assert_eq!(and_arrays(a, b), expected, "{} {}", a.len(), b.len());
            }
        }
    }
}
