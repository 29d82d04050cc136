//! Which texts pass. Works on bytes, so BYTES columns use it too.

use std::ops::Bound;

use arrow_array::{Array, GenericByteViewArray, types::ByteViewType};
use arrow_buffer::BooleanBuffer;
use foldhash::fast::RandomState;
use hashbrown::HashSet;

use super::pattern::Pattern;

/// Longest text that an Arrow view holds without a buffer.
const INLINE_LEN: usize = 12;

/// Texts or byte strings that pass.
#[derive(Debug, Clone)]
pub(super) enum Texts {
    /// The one text.
    One(Vec<u8>),
    /// Any of the texts.
    Set(HashSet<Vec<u8>, RandomState>),
    /// Between two bounds, bytewise.
    Range(Bound<Vec<u8>>, Bound<Vec<u8>>),
    /// What a pattern matches.
    Pattern(Box<Pattern>),
}

impl Texts {
    /// Makes the set of the members; none when there are no members.
    pub fn of(mut members: Vec<Vec<u8>>) -> Option<Self> {
        match members.len() {
            0 => None,
            1 => members.pop().map(Self::One),
            _ => Some(Self::Set(members.into_iter().collect())),
        }
    }

    /// Tells whether one text passes. A pattern wants UTF-8.
    pub fn contains(&self, value: &[u8]) -> bool {
        match self {
            Self::One(one) => value == one.as_slice(),
            Self::Set(set) => set.contains(value),
            Self::Range(low, high) => above(value, low) && below(value, high),
            Self::Pattern(pattern) => {
                std::str::from_utf8(value).is_ok_and(|text| pattern.matches(text))
            }
        }
    }

    /// Tells whether a text between two bounds could pass.
    pub fn may_contain(&self, min: &[u8], max: &[u8]) -> bool {
        match self {
            Self::One(one) => min <= one.as_slice() && one.as_slice() <= max,
            Self::Set(set) => set
                .iter()
                .any(|one| min <= one.as_slice() && one.as_slice() <= max),
            Self::Range(low, high) => above(max, low) && below(min, high),
            Self::Pattern(_) => true,
        }
    }

    /// Tells for each value of a view array whether it passes; null slots are arbitrary.
    pub fn evaluate<T: ByteViewType>(&self, array: &GenericByteViewArray<T>) -> BooleanBuffer
    where
        T::Native: AsBytes,
    {
        let views = array.views();
        match self {
            Self::One(one) if one.len() <= INLINE_LEN => {
                let wanted = inline_view(one);
                BooleanBuffer::collect_bool(array.len(), |row| views[row] == wanted)
            }
            Self::One(one) => {
                let wanted = inline_view(one.get(..4).unwrap_or_default()) >> 32 << 32
                    | u128::from(u32::try_from(one.len()).unwrap_or(u32::MAX));
                // Length and the first four bytes are the low half of a view.
                let half = u128::from(u64::MAX);
                BooleanBuffer::collect_bool(array.len(), |row| {
                    views[row] & half == wanted & half && array.value(row).bytes() == one.as_slice()
                })
            }
            other => BooleanBuffer::collect_bool(array.len(), |row| {
                array.is_valid(row) && other.contains(array.value(row).bytes())
            }),
        }
    }
}

/// Access to the bytes of a text or a byte string.
pub(super) trait AsBytes {
    /// Returns the bytes.
    fn bytes(&self) -> &[u8];
}

impl AsBytes for str {
    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl AsBytes for [u8] {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// Returns the view of a text of at most twelve bytes: its length, then its bytes, zero-padded.
fn inline_view(text: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
    bytes[..4].copy_from_slice(&len.to_le_bytes());
    for (slot, byte) in bytes.iter_mut().skip(4).zip(text) {
        *slot = *byte;
    }
    u128::from_le_bytes(bytes)
}

fn above(value: &[u8], low: &Bound<Vec<u8>>) -> bool {
    match low {
        Bound::Included(low) => value >= low.as_slice(),
        Bound::Excluded(low) => value > low.as_slice(),
        Bound::Unbounded => true,
    }
}

fn below(value: &[u8], high: &Bound<Vec<u8>>) -> bool {
    match high {
        Bound::Included(high) => value <= high.as_slice(),
        Bound::Excluded(high) => value < high.as_slice(),
        Bound::Unbounded => true,
    }
}
