//! From codes to slices: the bits of 512 numbers at a time, turned on their side.

use super::{BLOCK_BYTES, BLOCK_ROWS, GROUP};
use crate::wide::on_wide_registers;

/// What codes of a chunk have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    /// Least code.
    pub min: u64,
    /// Greatest code.
    pub max: u64,
    /// Bits that any difference to the least code has.
    pub stored: u64,
}

on_wide_registers! {
    /// Makes codes differences to the least of them.
    pub(crate) fn subtract_least(codes: &mut [u64]) -> Frame = subtract
}

on_wide_registers! {
    /// Appends the stored slices of the numbers: the four highest of all blocks, the next four of
    /// all blocks and so on; the higher slice first.
    ///
    /// `stored` has a bit for each slice to write; bits of the numbers outside it are not looked at.
    pub(crate) fn append_slices(numbers: &[u64], stored: u64, out: &mut Vec<u8>) = append
}

#[inline(always)]
fn subtract(codes: &mut [u64]) -> Frame {
    let (mut min, mut max) = (u64::MAX, 0);
    for code in codes.iter() {
        min = min.min(*code);
        max = max.max(*code);
    }
    let mut stored = 0;
    for code in codes {
        *code -= min;
        stored |= *code;
    }
    Frame {
        min: min.min(max),
        max,
        stored,
    }
}

#[inline(always)]
fn append(numbers: &[u64], stored: u64, out: &mut Vec<u8>) {
    let slices = Places::new(stored, numbers.len().div_ceil(BLOCK_ROWS));
    let start = out.len();
    out.resize(start + slices.lines * BLOCK_BYTES, 0);
    let (lines, _) = out.split_at_mut(start).1.as_chunks_mut::<BLOCK_BYTES>();
    let (blocks, last) = numbers.as_chunks::<BLOCK_ROWS>();
    for (idx, block) in blocks.iter().enumerate() {
        write_block(block, idx, stored, &slices, lines);
    }
    if !last.is_empty() {
        let mut block = [0; BLOCK_ROWS];
        for (place, number) in block.iter_mut().zip(last) {
            *place = *number;
        }
        write_block(&block, blocks.len(), stored, &slices, lines);
    }
}

/// Where the slices of blocks lie, in lines of [`BLOCK_BYTES`].
struct Places {
    /// For each stored slice, from the highest down: where it is of block 0, and how far it is to
    /// that of the next block.
    places: [(usize, usize); 64],
    /// Lines of all slices of all blocks.
    lines: usize,
}

impl Places {
    fn new(stored: u64, blocks: usize) -> Self {
        let slices = stored.count_ones() as usize;
        let mut places = [(0, 0); 64];
        for (idx, place) in places.iter_mut().enumerate().take(slices) {
            let group = idx - idx % GROUP;
            *place = (group * blocks + idx % GROUP, GROUP.min(slices - group));
        }
        Self {
            places,
            lines: slices * blocks,
        }
    }
}

#[inline(always)]
fn write_block(
    numbers: &[u64; BLOCK_ROWS],
    idx: usize,
    stored: u64,
    slices: &Places,
    lines: &mut [[u8; BLOCK_BYTES]],
) {
    let mut places = slices.places.iter();
    for byte in (0..u64::BITS / 8).rev() {
        let wanted = stored >> (8 * byte) & 0xff;
        if wanted != 0 {
            let squares = squares_of(numbers, 8 * byte);
            let bits = (0..8).rev().filter(|bit| wanted >> bit & 1 == 1);
            for (bit, (first, step)) in bits.zip(&mut places) {
                if let Some(line) = lines.get_mut(first + step * idx) {
                    *line = slice_of(&squares, bit);
                }
            }
        }
    }
}

/// Takes eight bits of each number. Of every eight numbers in a row they are a square, which is
/// transposed: its byte `i` then holds bit `i` of the eight.
#[inline(always)]
fn squares_of(numbers: &[u64; BLOCK_ROWS], shift: u32) -> [u64; BLOCK_BYTES] {
    let mut bytes = [0u8; BLOCK_ROWS];
    for (byte, number) in bytes.iter_mut().zip(numbers) {
        [*byte, ..] = (number >> shift).to_le_bytes();
    }
    let mut squares = [0u64; BLOCK_BYTES];
    let (rows, _) = bytes.as_chunks::<8>();
    for (square, rows) in squares.iter_mut().zip(rows) {
        *square = transposed(u64::from_le_bytes(*rows));
    }
    squares
}

/// Transposes eight by eight bits by swapping ever larger squares (Warren, Hacker's Delight 7-3).
#[inline(always)]
fn transposed(square: u64) -> u64 {
    let swap = |square: u64, shift: u32, mask: u64| {
        let moved = (square ^ square >> shift) & mask;
        square ^ moved ^ moved << shift
    };
    let square = swap(square, 7, 0x00aa_00aa_00aa_00aa);
    let square = swap(square, 14, 0x0000_cccc_0000_cccc);
    swap(square, 28, 0x0000_0000_f0f0_f0f0)
}

#[inline(always)]
fn slice_of(squares: &[u64; BLOCK_BYTES], bit: u32) -> [u8; BLOCK_BYTES] {
    let mut slice = [0u8; BLOCK_BYTES];
    for (byte, square) in slice.iter_mut().zip(squares) {
        [*byte, ..] = (square >> (8 * bit)).to_le_bytes();
    }
    slice
}

#[cfg(test)]
mod tests {
    use super::*;

    type Append = fn(&[u64], u64, &mut Vec<u8>);

    fn check(append: Append, numbers: &[u64], stored: u64) {
        let mut out = vec![];
        append(numbers, stored, &mut out);
        let mut lines = out.chunks_exact(BLOCK_BYTES);
        let bits: Vec<u32> = (0..64).rev().filter(|bit| stored >> bit & 1 == 1).collect();
        for group in bits.chunks(4) {
            for block in numbers.chunks(BLOCK_ROWS) {
                for (bit, line) in group.iter().zip(&mut lines) {
                    for row in 0..BLOCK_ROWS {
                        let held = line[row / 8] >> (row % 8) & 1;
                        let expected = block.get(row).copied().unwrap_or(0) >> bit & 1;
                        assert_eq!(u64::from(held), expected, "bit={bit} row={row}");
                    }
                }
            }
        }
        assert!(lines.next().is_none());
    }

    #[test]
    fn every_bit_lands_in_its_slice() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut draw = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state ^ state >> 29
        };
        let numbers: Vec<u64> = (0..3 * BLOCK_ROWS - 1).map(|_| draw()).collect();
        for stored in [u64::MAX, 1, 1 << 63, 0x8000_0000_0180_0001, 0] {
            for len in [0, 1, 511, 512, 513, numbers.len()] {
                check(append, &numbers[..len], stored);
                check(append_slices, &numbers[..len], stored);
            }
        }
        for len in [0, 1, 7, 999] {
            let (mut plain, mut wide) = (numbers[..len].to_vec(), numbers[..len].to_vec());
            assert_eq!(subtract(&mut plain), subtract_least(&mut wide));
            assert_eq!(plain, wide);
        }
    }
}
