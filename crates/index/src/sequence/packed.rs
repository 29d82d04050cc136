//! Numbers of one width, the first in the lowest bits.

use super::PADDING;

/// Returns the width that a number takes: 0 to 57, or 64.
///
/// An eight-byte load that begins at a number's first byte holds 57 bits of it for sure.
pub(crate) fn width(number: u64) -> u32 {
    match 64 - number.leading_zeros() {
        58.. => 64,
        width => width,
    }
}

/// Returns how many bytes packed numbers take, without the padding.
pub(crate) fn packed_len(count: u64, width: u32) -> u64 {
    u64::try_from((u128::from(count) * u128::from(width)).div_ceil(8)).unwrap_or(u64::MAX)
}

/// Width up to which two numbers and seven bits fit into 64.
const PAIRED: u32 = 28;

/// Packs numbers of one width.
#[derive(Debug)]
pub(crate) struct Packer {
    width: u32,
    /// Bits that are not in the bytes yet, fewer than eight between numbers of up to 57 bits.
    held: u64,
    held_bits: u32,
}

impl Packer {
    /// Begins numbers of `width` bits.
    pub fn new(width: u32) -> Self {
        Self {
            width,
            held: 0,
            held_bits: 0,
        }
    }

    /// Adds numbers, each of which fits into the width.
    pub fn push_all(
        &mut self,
        mut numbers: impl ExactSizeIterator<Item = u64>,
        bytes: &mut Vec<u8>,
    ) {
        if self.width == 64 {
            bytes.extend(numbers.flat_map(u64::to_le_bytes));
            return;
        }
        let mut at = bytes.len();
        let len = packed_len(numbers.len() as u64, self.width);
        // Eight bytes are written every time; what is too much is overwritten or cut off.
        bytes.resize(at + usize::try_from(len).unwrap_or(0) + 9, 0);
        if self.width > PAIRED {
            numbers.for_each(|number| self.put(number, self.width, bytes, &mut at));
        } else {
            // Each step waits for the one before, so two numbers are put at once.
            while let Some(number) = numbers.next() {
                match numbers.next() {
                    Some(next) => {
                        let pair = number | next << self.width;
                        self.put(pair, self.width * 2, bytes, &mut at);
                    }
                    None => self.put(number, self.width, bytes, &mut at),
                }
            }
        }
        bytes.truncate(at);
    }

    #[inline(always)]
    fn put(&mut self, number: u64, width: u32, bytes: &mut [u8], at: &mut usize) {
        self.held |= number << self.held_bits;
        self.held_bits += width;
        let slot = bytes.get_mut(*at..).and_then(<[u8]>::first_chunk_mut);
        if let Some(slot) = slot {
            *slot = self.held.to_le_bytes();
        }
        let whole = self.held_bits & !7;
        *at += whole as usize / 8;
        self.held = self.held.checked_shr(whole).unwrap_or(0);
        self.held_bits &= 7;
    }

    /// Adds the last bits.
    pub fn flush(&mut self, bytes: &mut Vec<u8>) {
        if self.held_bits > 0 {
            bytes.extend(self.held.to_le_bytes().first());
        }
        self.held = 0;
        self.held_bits = 0;
    }
}

/// Packed numbers, read in place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packed<'a> {
    bytes: &'a [u8],
    width: u32,
    mask: u64,
    count: u64,
}

impl<'a> Packed<'a> {
    /// Takes `count` numbers of `width` bits; nothing when bytes and padding are not there.
    pub fn try_new(bytes: &'a [u8], count: u64, width: u32) -> Option<Self> {
        let len = packed_len(count, width).checked_add(PADDING as u64)?;
        let mask = match width {
            0 => 0,
            1..=57 | 64 => u64::MAX >> (64 - width),
            _ => return None,
        };
        (len <= bytes.len() as u64).then_some(Self {
            bytes,
            width,
            mask,
            count,
        })
    }

    /// Returns how many numbers there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns a number; past the last one anything.
    #[inline]
    pub fn get(&self, at: u64) -> u64 {
        let bit = at.wrapping_mul(self.width.into());
        let load = usize::try_from(bit / 8)
            .ok()
            .and_then(|from| self.bytes.get(from..)?.first_chunk::<8>());
        load.map_or(0, |load| u64::from_le_bytes(*load) >> (bit % 8) & self.mask)
    }
}
