//! A sequence, read in place.

use super::packed::Packed;
use super::{BLOCK, FOOTER, HEADER, PADDING};

/// A sequence of numbers, read in place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sequence<'a> {
    data: &'a [u8],
    headers: &'a [[u8; HEADER]],
    count: u64,
}

impl<'a> Sequence<'a> {
    /// Checks that the bytes hold as many blocks as they say; nothing when not.
    pub fn try_new(bytes: &'a [u8]) -> Option<Self> {
        let (rest, footer) = bytes.split_last_chunk::<FOOTER>()?;
        let count = u64::from_le_bytes(*footer);
        let headers_len = count
            .div_ceil(BLOCK as u64)
            .checked_mul(HEADER as u64)
            .and_then(|len| usize::try_from(len).ok())?;
        let (data, headers) = rest.split_at_checked(rest.len().checked_sub(headers_len)?)?;
        let (headers, _) = headers.as_chunks();
        (data.len() >= PADDING).then_some(Self {
            data,
            headers,
            count,
        })
    }

    /// Returns how many numbers there are.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Returns a number; nothing past the last one, or when its block is not there.
    pub fn get(&self, at: u64) -> Option<u64> {
        if at >= self.count {
            return None;
        }
        let (base, packed) = self.block(at / BLOCK as u64)?;
        Some(base.wrapping_add(packed.get(at % BLOCK as u64)))
    }

    /// Returns the first place where `below` does not hold; it holds up to somewhere and not after.
    pub fn partition_point(&self, below: impl Fn(u64) -> bool) -> Option<u64> {
        // Bases first: they are dense, so few lines are touched.
        let blocks = self.headers.partition_point(|header| {
            let (base, _) = fields(header);
            below(base)
        });
        let Some(block) = blocks.checked_sub(1) else {
            return Some(0);
        };
        let (base, packed) = self.block(block as u64)?;
        let (mut low, mut high) = (0, packed.count());
        while low < high {
            let middle = u64::midpoint(low, high);
            if below(base.wrapping_add(packed.get(middle))) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Some(block as u64 * BLOCK as u64 + low)
    }

    /// Calls `each` with the numbers of `from..to`; nothing when a block is not there.
    pub fn each(&self, from: u64, to: u64, mut each: impl FnMut(u64)) -> Option<()> {
        if to > self.count {
            return None;
        }
        let mut at = from;
        while at < to {
            let (base, packed) = self.block(at / BLOCK as u64)?;
            let first = at % BLOCK as u64;
            let end = packed.count().min(first + (to - at));
            for at in first..end {
                each(base.wrapping_add(packed.get(at)));
            }
            at += end.checked_sub(first).filter(|step| *step > 0)?;
        }
        Some(())
    }

    fn block(&self, block: u64) -> Option<(u64, Packed<'a>)> {
        let (base, place) = fields(self.headers.get(usize::try_from(block).ok()?)?);
        let bytes = self.data.get(usize::try_from(place >> 8).ok()?..)?;
        let count = (self.count - block * BLOCK as u64).min(BLOCK as u64);
        let width = u32::try_from(place & 0xFF).ok()?;
        Some((base, Packed::try_new(bytes, count, width)?))
    }
}

fn fields(header: &[u8; HEADER]) -> (u64, u64) {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *header;
    (
        u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        u64::from_le_bytes([i, j, k, l, m, n, o, p]),
    )
}

#[cfg(test)]
mod tests {
    use super::super::SequenceWriter;
    use super::*;

    #[test]
    fn numbers_come_back() -> Result<(), Box<dyn std::error::Error>> {
        let cases: &[&[u64]] = &[
            &[],
            &[7],
            &[0, u64::MAX],
            &[1 << 57, (1 << 57) + (1 << 56), u64::MAX - 1],
        ];
        let long: Vec<u64> = (0..1000).map(|at| at * at * 31).collect();
        for numbers in cases.iter().copied().chain([long.as_slice()]) {
            let mut bytes = Vec::new();
            let mut writer = SequenceWriter::default();
            for number in numbers {
                writer.push(*number, &mut bytes)?;
            }
            writer.finish(&mut bytes)?;
            let sequence = Sequence::try_new(&bytes).ok_or("not a sequence")?;
            assert_eq!(sequence.len(), numbers.len() as u64);
            let mut all = Vec::new();
            sequence
                .each(0, sequence.len(), |number| all.push(number))
                .ok_or("no blocks")?;
            assert_eq!(all, numbers);
            for (at, number) in (0..).zip(numbers) {
                assert_eq!(sequence.get(at), Some(*number));
                assert_eq!(sequence.partition_point(|other| other < *number), Some(at));
            }
            assert_eq!(sequence.get(sequence.len()), None);
        }
        Ok(())
    }
}
