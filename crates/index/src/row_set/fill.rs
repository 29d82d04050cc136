//! Windows of a set as bitmaps.

use std::ops::Range;

use arrow_buffer::{BooleanBuffer, Buffer, bit_util};

use super::container::{Bits, Container, Run};
use super::set::{RowSet, split};

impl RowSet {
    /// Returns a bit for each row of a window: set where the row is in.
    ///
    /// Costs a pass over the words of the window, and a step for each member in sparse chunks.
    pub fn fill(&self, window: Range<u32>) -> BooleanBuffer {
        let len = window.len();
        let mut words = vec![0_u64; len.div_ceil(64) + 1];
        let start = window.start;
        for (key, run) in split(window) {
            let Some(rows) = self.chunk(key) else {
                continue;
            };
            // The bit of the chunk's position 0; the window may begin behind it.
            let base = i64::from(u32::from(key) << 16) - i64::from(start);
            fill(&mut words, rows, run, base);
        }
        let mut buffer = Buffer::from_vec(words);
        buffer = buffer.slice_with_length(0, bit_util::ceil(len, 8));
        BooleanBuffer::new(buffer, 0, len)
    }
}

/// Sets the bit `base + position` of every position of `rows` in the window.
fn fill(words: &mut [u64], rows: &Container, window: Run, base: i64) {
    match rows {
        Container::Array(array) => {
            let from = array.partition_point(|position| *position < window.first);
            for &position in array.get(from..).unwrap_or_default() {
                if position > window.last {
                    break;
                }
                set(words, base, position);
            }
        }
        Container::Runs(runs) => {
            for run in super::runs::and(runs, &[window]) {
                set_run(words, base, run);
            }
        }
        Container::Bits(bits) => copy(words, bits, window, base),
    }
}

fn set(words: &mut [u64], base: i64, position: u16) {
    let Ok(bit) = usize::try_from(base + i64::from(position)) else {
        return;
    };
    if let Some(word) = words.get_mut(bit / 64) {
        *word |= 1 << (bit % 64);
    }
}

fn set_run(words: &mut [u64], base: i64, run: Run) {
    let first = usize::try_from(base + i64::from(run.first)).unwrap_or(0);
    let last = usize::try_from(base + i64::from(run.last)).unwrap_or(0);
    let (from, to) = (first / 64, last / 64);
    for (at, word) in words.iter_mut().enumerate().take(to + 1).skip(from) {
        let head = if at == from { first % 64 } else { 0 };
        let tail = if at == to { 63 - last % 64 } else { 0 };
        *word |= (u64::MAX << head) & (u64::MAX >> tail);
    }
}

/// Copies the bits of a window, word by word, shifted to where the window begins.
fn copy(words: &mut [u64], bits: &Bits, window: Run, base: i64) {
    let (from, to) = (
        usize::from(window.first / 64),
        usize::from(window.last / 64),
    );
    for (at, word) in bits.words.iter().enumerate().take(to + 1).skip(from) {
        let mut word = *word;
        if at == from {
            word &= u64::MAX << (window.first % 64);
        }
        if at == to {
            word &= u64::MAX >> (63 - window.last % 64);
        }
        // Negative only for the first word, whose bits below the window are gone by now.
        let bit = base + i64::try_from(at * 64).unwrap_or(0);
        match usize::try_from(bit) {
            Ok(bit) => {
                or_at(words, bit / 64, word << (bit % 64));
                if bit % 64 != 0 {
                    or_at(words, bit / 64 + 1, word >> (64 - bit % 64));
                }
            }
            Err(_) => or_at(words, 0, word >> bit.unsigned_abs().min(63)),
        }
    }
}

fn or_at(words: &mut [u64], at: usize, bits: u64) {
    if let Some(word) = words.get_mut(at) {
        *word |= bits;
    }
}
