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

/// Packs numbers of one width.
#[derive(Debug)]
pub(crate) struct Packer {
    width: u32,
    held: u128,
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

    /// Adds a number, which fits into the width.
    #[inline]
    pub fn push(&mut self, number: u64, bytes: &mut Vec<u8>) {
        self.held |= u128::from(number) << self.held_bits;
        self.held_bits += self.width;
        if self.held_bits >= 64 {
            let low = self.held & u128::from(u64::MAX);
            bytes.extend_from_slice(&u64::try_from(low).unwrap_or(0).to_le_bytes());
            self.held >>= 64;
            self.held_bits -= 64;
        }
    }

    /// Adds the last bits and, in the end, forgets the held ones.
    pub fn flush(&mut self, bytes: &mut Vec<u8>) {
        let len = self.held_bits.div_ceil(8);
        bytes.extend(self.held.to_le_bytes().iter().take(len as usize));
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
        let fits = matches!(width, 0..=57 | 64)
            && packed_len(count, width).checked_add(PADDING as u64)? <= bytes.len() as u64;
        let mask = match width {
            0 => 0,
            width => u64::MAX >> (64 - width),
        };
        fits.then_some(Self {
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
