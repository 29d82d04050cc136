//! Comparing a block of differences, slice by slice from the highest down.

use super::{BLOCK_BYTES, BLOCK_WORDS, GROUP};
use crate::wide::on_wide_registers;

/// One bit a row of a block.
pub(super) type Block = [u64; BLOCK_WORDS];

/// What the differences of a chunk are compared with: in the order of its stored slices, so bit `i`
/// belongs to the `i`-th lowest one that is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// Rows up to it are out.
    pub above: Option<u64>,
    /// Rows up to it are in.
    pub up_to: Option<u64>,
}

impl Limits {
    /// Every row is in.
    pub const NONE: Self = Self {
        above: None,
        up_to: None,
    };
}

/// Brings a limit into the order of the stored slices: a number is at most `limit` exactly when
/// what the stored slices hold of it is at most the result.
pub(super) fn packed(limit: u64, stored: u64) -> u64 {
    // A number that agrees down to a slice that is not stored and set in the limit is below it.
    let missing = limit & !stored;
    let limit = match missing.checked_ilog2() {
        Some(highest) => limit | ((1 << highest) - 1),
        None => limit,
    };
    let slices = (0..u64::BITS).filter(|bit| stored >> bit & 1 == 1);
    slices.zip(0..).fold(0, |packed, (bit, place)| {
        packed | (limit >> bit & 1) << place
    })
}

on_wide_registers! {
    /// Compares the blocks of a chunk; sets in `decided` the rows of each that are in.
    ///
    /// Bits of padding come out arbitrary.
    pub(crate) fn compare(blocks: &[u8], slices: usize, limits: Limits, decided: &mut [Block])
        = compare_each
}

#[inline(always)]
fn compare_each(blocks: &[u8], slices: usize, limits: Limits, decided: &mut [Block]) {
    let (above, up_to) = (limits.above, limits.up_to);
    let bounds = [above.unwrap_or_default(), up_to.unwrap_or_default()];
    match (above, up_to) {
        (None, None) => decided.fill([u64::MAX; BLOCK_WORDS]),
        (Some(_), None) => each::<true, false>(blocks, slices, bounds, decided),
        (None, Some(_)) => each::<false, true>(blocks, slices, bounds, decided),
        (Some(_), Some(_)) => each::<true, true>(blocks, slices, bounds, decided),
    }
}

#[inline(always)]
fn each<const LOW: bool, const HIGH: bool>(
    blocks: &[u8],
    slices: usize,
    bounds: [u64; 2],
    decided: &mut [Block],
) {
    let (mut lines, _) = blocks.as_chunks::<BLOCK_BYTES>();
    if slices == 0 {
        // No slice: every difference is zero, so at most any limit.
        return decided.fill([if LOW { 0 } else { u64::MAX }; BLOCK_WORDS]);
    }
    let mut groups: [&[[u8; BLOCK_BYTES]]; 64 / GROUP] = [&[]; 64 / GROUP];
    for (group, width) in groups.iter_mut().zip(widths(slices)) {
        let all = (width * decided.len()).min(lines.len());
        (*group, lines) = lines.split_at(all);
    }
    for (idx, decided) in decided.iter_mut().enumerate() {
        let parts = groups.iter().zip(widths(slices)).map(|(group, width)| {
            group
                .get(width * idx..width * idx + width)
                .unwrap_or_default()
        });
        *decided = block::<LOW, HIGH>(parts, slices, bounds);
    }
}

/// Returns how many slices each group has.
#[inline(always)]
fn widths(slices: usize) -> impl Iterator<Item = usize> {
    (0..slices)
        .step_by(GROUP)
        .map(move |first| GROUP.min(slices - first))
}

/// Folds groups of slices until all rows are decided, so that what lies behind is not even touched.
#[inline(always)]
fn block<'a, const LOW: bool, const HIGH: bool>(
    groups: impl Iterator<Item = &'a [[u8; BLOCK_BYTES]]>,
    slices: usize,
    [above, up_to]: [u64; 2],
) -> Block {
    let (mut low, mut high) = (Side::NEW, Side::NEW);
    let mut place = slices;
    for group in groups {
        for slice in group {
            place = place.saturating_sub(1);
            let slice = words(slice);
            if LOW {
                low.fold(&slice, above >> place & 1 == 1);
            }
            if HIGH {
                high.fold(&slice, up_to >> place & 1 == 1);
            }
        }
        if !(LOW && low.is_open() || HIGH && high.is_open()) {
            break;
        }
    }
    let mut decided = [u64::MAX; BLOCK_WORDS];
    if LOW {
        low.each_at_most(&mut decided, |decided, at_most| decided & !at_most);
    }
    if HIGH {
        high.each_at_most(&mut decided, |decided, at_most| decided & at_most);
    }
    decided
}

#[inline(always)]
fn words(slice: &[u8; BLOCK_BYTES]) -> Block {
    let (words, _) = slice.as_chunks::<8>();
    let mut block = [0; BLOCK_WORDS];
    for (word, bytes) in block.iter_mut().zip(words) {
        *word = u64::from_le_bytes(*bytes);
    }
    block
}

/// How the rows of a block compare with one limit, as far as the slices seen tell.
struct Side {
    less: Block,
    equal: Block,
}

impl Side {
    const NEW: Self = Self {
        less: [0; BLOCK_WORDS],
        equal: [u64::MAX; BLOCK_WORDS],
    };

    #[inline(always)]
    fn fold(&mut self, slice: &Block, limit: bool) {
        let rows = self.less.iter_mut().zip(&mut self.equal).zip(slice);
        if limit {
            for ((less, equal), bits) in rows {
                *less |= *equal & !bits;
                *equal &= bits;
            }
        } else {
            for ((_, equal), bits) in rows {
                *equal &= !bits;
            }
        }
    }

    #[inline(always)]
    fn is_open(&self) -> bool {
        self.equal.iter().fold(0, |any, word| any | word) != 0
    }

    #[inline(always)]
    fn each_at_most(&self, decided: &mut Block, join: impl Fn(u64, u64) -> u64) {
        let rows = decided.iter_mut().zip(&self.less).zip(&self.equal);
        for ((decided, less), equal) in rows {
            *decided = join(*decided, less | equal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_registers_decide_the_same() {
        let mut state = 5_u64;
        let mut draw = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 40).to_le_bytes()[0]
        };
        let blocks: Vec<u8> = (0..3 * 5 * BLOCK_BYTES).map(|_| draw()).collect();
        for above in [None, Some(3), Some(17)] {
            for up_to in [None, Some(0), Some(20), Some(31)] {
                let limits = Limits { above, up_to };
                let (mut plain, mut wide) = ([[0; BLOCK_WORDS]; 3], [[1; BLOCK_WORDS]; 3]);
                compare_each(&blocks, 5, limits, &mut plain);
                compare(&blocks, 5, limits, &mut wide);
                assert_eq!(plain, wide, "{limits:?}");
            }
        }
    }
}
