//! Text and bytes: blocks of sixteen, each value but the first as what it adds to the one before.
//! ```text
//! text  = data, heads, length of data u64
//! block : length varint, bytes; then fifteen of: lengths, rest
//! lengths, terse : shared length << 3 | rest length u8, the first at most 31, the second at most 7; where one
//!                  is all ones, what is above follows as a varint, that of the first before that of the second
//! lengths, plain : shared length varint, rest length varint, as version 1 wrote them
//! heads : a sequence: where each block begins in data, and where data ends; then values u32
//! ```

use std::io::Write;
use std::ops::{Bound, Range};
use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, BinaryViewArray, StringArray, StringViewArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use growler_base::limits;
use growler_schema::{DataType, Value};

use super::bounds;
use crate::sequence::{Sequence, SequenceWriter};

/// Values of a block.
const BLOCK: u32 = 16;
/// Bytes of the footer.
const FOOTER: usize = 12;

/// Greatest shared length that one byte says with [`REST`].
const SHARED: usize = 31;
/// Greatest rest length of that byte.
const REST: usize = 7;

/// How a block says the lengths of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lengths {
    Plain,
    Terse,
}

/// A dictionary of text or bytes, read in place. Methods return nothing when the bytes are broken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a> {
    data: &'a [u8],
    heads: Sequence<'a>,
    len: u32,
    lengths: Lengths,
}

impl<'a> Text<'a> {
    pub fn try_new(bytes: &'a [u8], lengths: Lengths) -> Option<Self> {
        let (rest, footer) = bytes.split_last_chunk::<FOOTER>()?;
        let (data_len, len) = footer.split_first_chunk::<8>()?;
        let len = u32::from_le_bytes(*len.first_chunk()?);
        let data_len = usize::try_from(u64::from_le_bytes(*data_len)).ok()?;
        let (data, heads) = rest.split_at_checked(data_len)?;
        let heads = Sequence::try_new(heads)?;
        // Every value takes a byte at least: no short file describes endless values.
        let fits = heads.len() == u64::from(len.div_ceil(BLOCK)) + 1 && len as usize <= data.len();
        fits.then_some(Self {
            data,
            heads,
            len,
            lengths,
        })
    }

    pub fn len(&self) -> u32 {
        self.len
    }

    pub fn ranks(&self, lower: Bound<&[u8]>, upper: Bound<&[u8]>) -> Option<Range<u32>> {
        bounds::ranks(self.len, lower, upper, |value, past| {
            self.first(value, past)
        })
    }

    /// Returns the first rank whose value is not below (or, with `past`, not below or equal).
    fn first(&self, value: &[u8], past: bool) -> Option<u32> {
        let below = |other: &[u8]| other < value || past && other == value;
        // Blocks whose first value is below.
        let (mut low, mut high) = (0, self.len.div_ceil(BLOCK));
        while low < high {
            let middle = u32::midpoint(low, high);
            let mut block = self.block(middle)?;
            if below(block.head()?) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let Some(block) = low.checked_sub(1) else {
            return Some(0);
        };
        let mut values = self.block(block)?;
        let mut rank = block * BLOCK;
        let mut value = Vec::new();
        while rank < self.len.min(block.saturating_add(1).saturating_mul(BLOCK)) {
            values.next(&mut value)?;
            if !below(&value) {
                break;
            }
            rank += 1;
        }
        Some(rank)
    }

    fn block(&self, block: u32) -> Option<Block<'a>> {
        let from = usize::try_from(self.heads.get(block.into())?).ok()?;
        let to = usize::try_from(self.heads.get(u64::from(block) + 1)?).ok()?;
        Some(Block {
            bytes: self.data.get(from..to)?,
            is_head: true,
            lengths: self.lengths,
        })
    }

    pub fn value(&self, data_type: DataType, rank: u32) -> Option<Value> {
        if rank >= self.len {
            return None;
        }
        let mut block = self.block(rank / BLOCK)?;
        let mut value = Vec::new();
        for _ in 0..=rank % BLOCK {
            block.next(&mut value)?;
        }
        match data_type {
            DataType::Bytes => Some(Value::Bytes(value)),
            _ => Some(Value::String(String::from_utf8(value).ok()?)),
        }
    }

    pub fn values(&self, data_type: DataType, ranks: Range<u32>) -> Option<ArrayRef> {
        if ranks.end > self.len {
            return None;
        }
        let mut bytes = Vec::new();
        let mut ends = vec![0_i32];
        let mut value = Vec::new();
        let blocks = ranks.start / BLOCK..ranks.end.div_ceil(BLOCK);
        for at in blocks.take_while(|_| !ranks.is_empty()) {
            let mut block = self.block(at)?;
            let first = at * BLOCK;
            for rank in first..ranks.end.min(first.saturating_add(BLOCK)) {
                block.next(&mut value)?;
                if rank >= ranks.start {
                    bytes.extend_from_slice(&value);
                    ends.push(i32::try_from(bytes.len()).ok()?);
                }
            }
        }
        let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
        let bytes = Buffer::from_vec(bytes);
        Some(match data_type {
            DataType::Bytes => {
                let array = BinaryArray::try_new(offsets, bytes, None).ok()?;
                Arc::new(BinaryViewArray::from(&array))
            }
            // All text is checked to be UTF-8 in one pass.
            _ => {
                let array = StringArray::try_new(offsets, bytes, None).ok()?;
                Arc::new(StringViewArray::from(&array))
            }
        })
    }
}

/// The values of a block that are still to come.
struct Block<'a> {
    bytes: &'a [u8],
    is_head: bool,
    lengths: Lengths,
}

impl<'a> Block<'a> {
    /// Takes the first value.
    fn head(&mut self) -> Option<&'a [u8]> {
        self.is_head = false;
        let len = self.varint()?;
        self.take(len)
    }

    /// Turns the value before, or any for the first one, into the next.
    fn next(&mut self, value: &mut Vec<u8>) -> Option<()> {
        let (shared, len) = match (self.is_head, self.lengths) {
            (true, _) => (0, self.varint()?),
            (false, Lengths::Plain) => (self.varint()?, self.varint()?),
            (false, Lengths::Terse) => self.terse()?,
        };
        self.is_head = false;
        let rest = self.take(len)?;
        value.truncate(shared);
        value.extend_from_slice(rest);
        (value.len() == shared + len && value.len() <= limits::INDEX_VALUE_LEN_BYTES).then_some(())
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(len)?;
        self.bytes = rest;
        Some(taken)
    }

    /// Takes a shared length and that of the rest.
    fn terse(&mut self) -> Option<(usize, usize)> {
        let (&both, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        let (mut shared, mut len) = (usize::from(both >> 3), usize::from(both & 7));
        if shared == SHARED {
            shared += self.varint()?;
        }
        if len == REST {
            len += self.varint()?;
        }
        Some((shared, len))
    }

    /// Takes a length: one byte below 128, else two.
    fn varint(&mut self) -> Option<usize> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        if first < 0x80 {
            return Some(first.into());
        }
        let (&second, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(usize::from(first & 0x7F) | usize::from(second) << 7)
    }
}

/// Writes text in ascending order.
#[derive(Debug, Default)]
pub(super) struct TextWriter {
    heads: SequenceWriter,
    heads_bytes: Vec<u8>,
    before: Vec<u8>,
    bytes: Vec<u8>,
    data_len: u64,
    len: u32,
}

impl TextWriter {
    pub fn push(&mut self, value: &[u8], out: &mut impl Write) -> std::io::Result<()> {
        self.bytes.clear();
        let shared = if self.len.is_multiple_of(BLOCK) {
            self.heads.push(self.data_len, &mut self.heads_bytes)?;
            put_varint(value.len(), &mut self.bytes);
            0
        } else {
            let pairs = self.before.iter().zip(value);
            let shared = pairs.take_while(|(a, b)| a == b).count();
            put_terse(shared, value.len() - shared, &mut self.bytes);
            shared
        };
        let rest = value.get(shared..).unwrap_or_default();
        self.bytes.extend_from_slice(rest);
        out.write_all(&self.bytes)?;
        self.data_len += self.bytes.len() as u64;
        self.before.clear();
        self.before.extend_from_slice(value);
        self.len += 1;
        Ok(())
    }

    pub fn finish(mut self, out: &mut impl Write) -> std::io::Result<()> {
        self.heads.push(self.data_len, &mut self.heads_bytes)?;
        self.heads.finish(&mut self.heads_bytes)?;
        out.write_all(&self.heads_bytes)?;
        out.write_all(&self.data_len.to_le_bytes())?;
        out.write_all(&self.len.to_le_bytes())
    }
}

/// Appends a shared length and that of the rest.
fn put_terse(shared: usize, rest: usize, bytes: &mut Vec<u8>) {
    let both = shared.min(SHARED) << 3 | rest.min(REST);
    bytes.push(u8::try_from(both).unwrap_or(u8::MAX));
    if shared >= SHARED {
        put_varint(shared - SHARED, bytes);
    }
    if rest >= REST {
        put_varint(rest - REST, bytes);
    }
}

/// Appends a length below 32,768.
fn put_varint(len: usize, bytes: &mut Vec<u8>) {
    let low = u8::try_from(len & 0x7F).unwrap_or(0);
    match u8::try_from(len >> 7).unwrap_or(u8::MAX) {
        0 => bytes.push(low),
        high => bytes.extend_from_slice(&[low | 0x80, high]),
    }
}
