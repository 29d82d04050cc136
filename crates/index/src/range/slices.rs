//! From codes to slices: the bits of 512 numbers at a time, turned on their side.

use super::{BLOCK_BYTES, BLOCK_ROWS};

/// Appends the stored slices of the numbers, block by block, the highest slice of each first.
///
/// `stored` has a bit for each slice to write; bits of the numbers outside it are not looked at.
pub(super) fn append(numbers: &[u64], stored: u64, out: &mut Vec<u8>) {
    #[cfg(target_arch = "x86_64")]
    {
        let has_avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl");
        if has_avx512 {
            // SAFETY: the machine has what the function was compiled for.
            return unsafe { append_avx512(numbers, stored, out) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has what the function was compiled for.
            return unsafe { append_avx2(numbers, stored, out) };
        }
    }
    append_anywhere(numbers, stored, out);
}

/// The same loops, compiled for wide registers: a third of the time (`benches/index_build.rs`).
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn append_avx512(numbers: &[u64], stored: u64, out: &mut Vec<u8>) {
    append_anywhere(numbers, stored, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn append_avx2(numbers: &[u64], stored: u64, out: &mut Vec<u8>) {
    append_anywhere(numbers, stored, out);
}

#[inline(always)]
fn append_anywhere(numbers: &[u64], stored: u64, out: &mut Vec<u8>) {
    let (blocks, last) = numbers.as_chunks::<BLOCK_ROWS>();
    for block in blocks {
        append_block(block, stored, out);
    }
    if !last.is_empty() {
        let mut block = [0; BLOCK_ROWS];
        for (place, number) in block.iter_mut().zip(last) {
            *place = *number;
        }
        append_block(&block, stored, out);
    }
}

#[inline(always)]
fn append_block(numbers: &[u64; BLOCK_ROWS], stored: u64, out: &mut Vec<u8>) {
    for byte in (0..u64::BITS / 8).rev() {
        let wanted = stored >> (8 * byte) & 0xff;
        if wanted != 0 {
            let squares = squares_of(numbers, 8 * byte);
            for bit in (0..8).rev().filter(|bit| wanted >> bit & 1 == 1) {
                out.extend_from_slice(&slice_of(&squares, bit));
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

    type Append = unsafe fn(&[u64], u64, &mut Vec<u8>);

    fn variants() -> Vec<(&'static str, Append)> {
        let mut variants: Vec<(&str, Append)> = vec![("chosen", append), ("any", append_anywhere)];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            variants.push(("avx2", append_avx2));
        }
        variants
    }

    fn check(name: &str, append: Append, numbers: &[u64], stored: u64) {
        let mut out = vec![];
        // SAFETY: only variants that this machine has are asked for.
        unsafe { append(numbers, stored, &mut out) };
        let mut lines = out.chunks_exact(BLOCK_BYTES);
        for block in numbers.chunks(BLOCK_ROWS) {
            let slices = (0..64).rev().filter(|bit| stored >> bit & 1 == 1);
            for (bit, line) in slices.zip(&mut lines) {
                for row in 0..BLOCK_ROWS {
                    let held = line[row / 8] >> (row % 8) & 1;
                    let expected = block.get(row).copied().unwrap_or(0) >> bit & 1;
                    assert_eq!(u64::from(held), expected, "{name}: bit={bit} row={row}");
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
        for (name, append) in variants() {
            for stored in [u64::MAX, 1, 1 << 63, 0x8000_0000_0180_0001, 0] {
                for len in [0, 1, 511, 512, 513, numbers.len()] {
                    check(name, append, &numbers[..len], stored);
                }
            }
        }
    }
}
