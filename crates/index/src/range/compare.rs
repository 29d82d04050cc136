//! Comparing a block of differences, slice by slice from the highest down.

use super::{BLOCK_BYTES, BLOCK_WORDS};

/// One bit a row of a block.
pub(super) type Block = [u64; BLOCK_WORDS];

/// After so many slices it is looked whether any row is undecided.
const STRIDE: usize = 4;

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

/// Compares the blocks of a chunk; sets in `decided` the rows of each that are in.
///
/// Bits of padding come out arbitrary.
pub(super) fn compare(blocks: &[u8], slices: usize, limits: Limits, decided: &mut [Block]) {
    let (above, up_to) = (limits.above, limits.up_to);
    let bounds = [above.unwrap_or_default(), up_to.unwrap_or_default()];
    match (above, up_to) {
        (None, None) => decided.fill([u64::MAX; BLOCK_WORDS]),
        (Some(_), None) => each::<true, false>(blocks, slices, bounds, decided),
        (None, Some(_)) => each::<false, true>(blocks, slices, bounds, decided),
        (Some(_), Some(_)) => each::<true, true>(blocks, slices, bounds, decided),
    }
}

fn each<const LOW: bool, const HIGH: bool>(
    blocks: &[u8],
    slices: usize,
    bounds: [u64; 2],
    decided: &mut [Block],
) {
    let (lines, _) = blocks.as_chunks::<BLOCK_BYTES>();
    if slices == 0 {
        // No slice: every difference is zero, so at most any limit.
        return decided.fill([if LOW { 0 } else { u64::MAX }; BLOCK_WORDS]);
    }
    for (lines, decided) in lines.chunks_exact(slices).zip(decided) {
        *decided = block::<LOW, HIGH>(lines, bounds);
    }
}

#[inline(always)]
fn block<const LOW: bool, const HIGH: bool>(
    slices: &[[u8; BLOCK_BYTES]],
    [above, up_to]: [u64; 2],
) -> Block {
    let (mut low, mut high) = (Side::NEW, Side::NEW);
    let mut place = slices.len();
    for group in slices.chunks(STRIDE) {
        for slice in group {
            place -= 1;
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
    std::array::from_fn(|word| {
        let not_low = if LOW { !low.at_most(word) } else { u64::MAX };
        not_low & if HIGH { high.at_most(word) } else { u64::MAX }
    })
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
    fn at_most(&self, word: usize) -> u64 {
        self.less[word] | self.equal[word]
    }
}
