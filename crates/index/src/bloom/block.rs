//! Hashes to bits of blocks.

use super::BLOCK_BYTES;
use crate::wide::on_wide_registers;

/// One odd multiplier a word of a block, as the Parquet format has them.
const SALT: [u32; 8] = [
    0x47b6_137b,
    0x4497_4d91,
    0x8824_ad5b,
    0xa2b7_289d,
    0x7054_95c7,
    0x2df1_424b,
    0x9efc_4947,
    0x5c6b_fb31,
];

/// Returns the block of a hash: its upper half, scaled to the number of blocks.
///
/// With half as many blocks, blocks `2 i` and `2 i + 1` become block `i`.
#[inline(always)]
pub(super) fn place(hash: u64, blocks: u32) -> usize {
    let scaled = ((hash >> 32) * u64::from(blocks)) >> 32;
    usize::try_from(scaled).unwrap_or(usize::MAX)
}

/// Returns the bits of a hash in each word of its block: its lower half times the word's salt.
#[inline(always)]
fn bits(hash: u64) -> [u32; 8] {
    let [a, b, c, d, ..] = hash.to_le_bytes();
    let key = u32::from_le_bytes([a, b, c, d]);
    SALT.map(|salt| 1 << (key.wrapping_mul(salt) >> 27))
}

on_wide_registers! {
    /// Sets the bits of hashes.
    pub(crate) fn insert(blocks: &mut [[u32; 8]], hashes: &[u64]) = insert_each
}

#[inline(always)]
fn insert_each(blocks: &mut [[u32; 8]], hashes: &[u64]) {
    let Ok(block_count) = u32::try_from(blocks.len()) else {
        return;
    };
    for hash in hashes {
        if let Some(block) = blocks.get_mut(place(*hash, block_count)) {
            for (word, bit) in block.iter_mut().zip(bits(*hash)) {
                *word |= bit;
            }
        }
    }
}

/// Tells whether all bits of a hash are set.
#[inline]
pub(super) fn contains(block: &[u8; BLOCK_BYTES], hash: u64) -> bool {
    let (words, _) = block.as_chunks::<4>();
    let missing = words
        .iter()
        .zip(bits(hash))
        .fold(0, |missing, (word, bit)| {
            missing | !u32::from_le_bytes(*word) & bit
        });
    missing == 0
}
