//! Runs and packed groups of small numbers.
//! ```text
//! hybrid : run..
//! run    : header varint, even: header >> 1 times the value, in as few bytes as the width takes
//!          header varint, odd:  (header >> 1) groups of eight values, packed, the first in the lowest bits
//! ```

use bytes::Bytes;
use growler_base::{Cursor, OutOfBytes};

/// Values of a group.
pub(super) const GROUP: usize = 8;
/// Greatest width of a number.
const MOST_BITS: u32 = 32;

/// Numbers of one width that are still to come.
#[derive(Debug, Clone)]
pub(super) struct Hybrid {
    bytes: Bytes,
    /// Where the first run lies that was not begun.
    next: usize,
    width: u32,
    run: Run,
}

#[derive(Debug, Clone)]
enum Run {
    Same { value: u32, left: u64 },
    Packed { start: usize, at: usize, left: u64 },
}

/// Numbers that come one after the other.
#[derive(Debug)]
pub(super) enum Part<'h> {
    /// The same one again and again.
    Same { value: u32, count: usize },
    /// Packed ones.
    Packed(Packed<'h>),
}

/// Packed numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed<'h> {
    /// Groups, and what comes behind them.
    pub bytes: &'h [u8],
    pub width: u32,
    /// How many numbers of the groups come before the first.
    pub from: usize,
    pub count: usize,
}

impl Hybrid {
    /// Takes numbers of a width; none when it is too large.
    pub fn try_new(bytes: Bytes, width: u32) -> Option<Self> {
        (width <= MOST_BITS).then_some(Self {
            bytes,
            next: 0,
            width,
            run: Run::Same { value: 0, left: 0 },
        })
    }

    /// Takes some of the next numbers, at most so many.
    ///
    /// # Errors
    /// There are none.
    pub fn next_part(&mut self, most: usize) -> Result<Part<'_>, OutOfBytes> {
        // An empty run takes a byte at least, so this ends.
        while let Run::Same { left: 0, .. } | Run::Packed { left: 0, .. } = self.run {
            self.next_run()?;
        }
        Ok(match &mut self.run {
            Run::Same { value, left } => Part::Same {
                value: *value,
                count: taken(most, left),
            },
            Run::Packed { start, at, left } => {
                let (from, count) = (*at, taken(most, left));
                *at = at.saturating_add(count);
                Part::Packed(Packed {
                    bytes: self.bytes.get(*start..).unwrap_or_default(),
                    width: self.width,
                    from,
                    count,
                })
            }
        })
    }

    /// Appends the next numbers.
    ///
    /// # Errors
    /// There are not so many.
    pub fn take(&mut self, count: usize, numbers: &mut Vec<u32>) -> Result<(), OutOfBytes> {
        let end = numbers.len().saturating_add(count);
        while numbers.len() < end {
            match self.next_part(end.saturating_sub(numbers.len()))? {
                Part::Same { value, count } => {
                    numbers.resize(numbers.len().saturating_add(count), value);
                }
                Part::Packed(packed) => packed.unpack(numbers),
            }
        }
        Ok(())
    }

    /// Passes over the next numbers.
    ///
    /// # Errors
    /// There are not so many.
    pub fn skip(&mut self, count: usize) -> Result<(), OutOfBytes> {
        let mut left = count;
        while left > 0 {
            let (Part::Same { count, .. } | Part::Packed(Packed { count, .. })) =
                self.next_part(left)?;
            left = left.saturating_sub(count);
        }
        Ok(())
    }

    fn next_run(&mut self) -> Result<(), OutOfBytes> {
        let rest = self.bytes.get(self.next..).unwrap_or_default();
        let mut cursor = Cursor::new(rest);
        let header = varint(&mut cursor)?;
        let count = header >> 1;
        self.run = if header & 1 == 0 {
            let value = cursor.uint(self.width.div_ceil(8) as usize)?;
            Run::Same { value, left: count }
        } else {
            let numbers = count.saturating_mul(GROUP as u64);
            let len = count.saturating_mul(self.width.into());
            let start = self.next.saturating_add(cursor.offset());
            // The last group may be cut off behind the last value.
            let bytes = cursor.take(len.min(cursor.rest().len() as u64))?;
            let held = (bytes.len() as u64).saturating_mul(8);
            let held = held.checked_div(self.width.into()).unwrap_or(numbers);
            Run::Packed {
                start,
                at: 0,
                left: numbers.min(held),
            }
        };
        self.next = self.next.saturating_add(cursor.offset());
        Ok(())
    }
}

impl Packed<'_> {
    /// Appends the numbers.
    fn unpack(&self, numbers: &mut Vec<u32>) {
        unpack(self.bytes, self.width, self.from, self.count, numbers);
    }
}

/// Returns how many numbers of a run are taken, and takes them off.
fn taken(wanted: usize, left: &mut u64) -> usize {
    let taken = wanted.min(usize::try_from(*left).unwrap_or(usize::MAX));
    *left = left.saturating_sub(taken as u64);
    taken
}

fn varint(bytes: &mut Cursor<'_>) -> Result<u64, OutOfBytes> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes.u8()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    Ok(value)
}

/// Appends `count` numbers from position `from` on; all of them lie in the bytes.
fn unpack(bytes: &[u8], width: u32, from: usize, count: usize, numbers: &mut Vec<u32>) {
    let at = numbers.len();
    numbers.resize(at.saturating_add(count), 0);
    let mut slots = numbers.get_mut(at..).unwrap_or_default();
    if width == 0 {
        return;
    }
    let mut next = from;
    // To the next whole group one by one, then group by group, then the rest.
    let lead = next.next_multiple_of(GROUP).saturating_sub(next).min(count);
    let (head, rest) = slots.split_at_mut(lead);
    unpack_each(bytes, width, next, head);
    next = next.saturating_add(lead);
    slots = rest;
    let (groups, tail) = slots.as_chunks_mut::<GROUP>();
    let group_len = width as usize;
    let first = next / GROUP * group_len;
    for (idx, group) in groups.iter_mut().enumerate() {
        let from = first.saturating_add(idx.saturating_mul(group_len));
        unpack_group(bytes.get(from..).unwrap_or_default(), width, group);
    }
    next = next.saturating_add(groups.len().saturating_mul(GROUP));
    unpack_each(bytes, width, next, tail);
}

/// Unpacks a whole group.
#[inline]
pub(super) fn unpack_group(bytes: &[u8], width: u32, group: &mut [u32; GROUP]) {
    let mask = mask(width);
    if width <= 8 {
        let word = load(bytes, 0);
        for (idx, slot) in (0..).zip(group) {
            *slot = low(word >> (width * idx)) & mask;
        }
    } else if width <= 16 {
        // Four numbers begin in the first half of a byte where the width is odd.
        let half = load(bytes, width as usize / 2) >> (width % 2 * 4);
        let (front, back) = group.split_at_mut(GROUP / 2);
        let word = load(bytes, 0);
        for (idx, slot) in (0..).zip(front) {
            *slot = low(word >> (width * idx)) & mask;
        }
        for (idx, slot) in (0..).zip(back) {
            *slot = low(half >> (width * idx)) & mask;
        }
    } else {
        for (idx, slot) in (0..).zip(group) {
            let bit = width * idx;
            *slot = low(load(bytes, bit as usize / 8) >> (bit % 8)) & mask;
        }
    }
}

pub(super) fn unpack_each(bytes: &[u8], width: u32, from: usize, slots: &mut [u32]) {
    let mask = mask(width);
    for (idx, slot) in slots.iter_mut().enumerate() {
        let bit = from.saturating_add(idx).saturating_mul(width as usize);
        *slot = low(load(bytes, bit / 8) >> (bit % 8)) & mask;
    }
}

pub(super) fn mask(width: u32) -> u32 {
    u32::MAX.checked_shr(MOST_BITS - width).unwrap_or(0)
}

/// Loads eight bytes; those past the end are zeros.
#[inline]
pub(super) fn load(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => {
            let mut word = [0; 8];
            for (slot, byte) in word.iter_mut().zip(rest) {
                *slot = *byte;
            }
            u64::from_le_bytes(word)
        }
    }
}

#[inline]
fn low(word: u64) -> u32 {
    let [a, b, c, d, ..] = word.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packs numbers bit by bit.
    fn packed(numbers: &[u32], width: u32) -> Vec<u8> {
        let groups = numbers.len().div_ceil(GROUP);
        let mut bytes = vec![0; groups * width as usize];
        for (idx, number) in numbers.iter().enumerate() {
            for bit in 0..width as usize {
                let at = idx * width as usize + bit;
                bytes[at / 8] |= u8::try_from(number >> bit & 1).unwrap() << (at % 8);
            }
        }
        let mut header = vec![u8::try_from(groups << 1 | 1).unwrap()];
        header.extend(bytes);
        header
    }

    fn run(value: u32, len: u8, width: u32) -> Vec<u8> {
        let mut bytes = vec![len << 1];
        bytes.extend(&value.to_le_bytes()[..width.div_ceil(8) as usize]);
        bytes
    }

    #[test]
    fn numbers_of_every_width_come_back() {
        for width in 0..=32 {
            let number = |at: u32| at.wrapping_mul(0x9e37_79b9) & mask(width);
            let numbers: Vec<u32> = (0..40).map(number).collect();
            let mut bytes = packed(&numbers, width);
            bytes.extend(run(numbers[3], 50, width));
            // The last group is cut off behind its third value.
            let tail = packed(&numbers[..3], width);
            let cut = 1 + (3 * width as usize).div_ceil(8);
            bytes.extend(&tail[..cut]);
            let mut expected = numbers.clone();
            expected.extend([numbers[3]; 50]);
            expected.extend(&numbers[..3]);
            for step in [1, 3, 8, 13, 93] {
                let mut hybrid = Hybrid::try_new(Bytes::copy_from_slice(&bytes), width).unwrap();
                let mut found = Vec::new();
                while found.len() < expected.len() {
                    let count = step.min(expected.len() - found.len());
                    hybrid.take(count, &mut found).unwrap();
                }
                assert_eq!(found, expected, "width={width} step={step}");
            }
        }
        assert!(Hybrid::try_new(Bytes::new(), 33).is_none());
    }

    #[test]
    fn too_few_numbers_are_an_error() {
        for bytes in [
            vec![],
            vec![0],
            vec![0, 0, 0],
            run(1, 5, 3),
            packed(&[1; 5], 3),
        ] {
            let mut hybrid = Hybrid::try_new(bytes.clone().into(), 3).unwrap();
            assert!(hybrid.take(9, &mut Vec::new()).is_err(), "{bytes:?}");
        }
        // Numbers without bits are endless as far as bytes go; only what is asked for is made.
        let mut endless =
            Hybrid::try_new(Bytes::from_static(&[0xff, 0xff, 0xff, 0xff, 0x7f]), 0).unwrap();
        let mut found = Vec::new();
        assert!(endless.take(1000, &mut found).is_ok());
        assert_eq!(found, [0; 1000]);
    }
}
