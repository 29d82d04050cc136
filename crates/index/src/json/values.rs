//! The distinct values of one path, each with an id in the order of arrival.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Spreads 32 bits of a hash over 64.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
/// Bytes that a value takes besides its own: table, end, count, and what sorting takes.
const OVERHEAD: usize = 48;

/// The distinct values of one path.
#[derive(Debug, Default)]
pub(super) struct Values {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// Half of a value's hash, and its id: growing asks no value for its hash.
    table: HashTable<(u32, u32)>,
    /// How many rows have each value.
    counts: Vec<u32>,
    /// The row that each value was last seen in, plus one.
    last_rows: Vec<u32>,
}

/// What became of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Added {
    /// The row has it for the first time.
    Id(u32),
    /// The row has it already.
    Again,
    /// There are too many values.
    Full,
}

impl Values {
    /// Adds a value of a row, if there are fewer than `most` others.
    pub fn add(&mut self, value: &[u8], row: u32, most: u32, state: &RandomState) -> Added {
        let [.., a, b, c, d] = state.hash_one(value).to_le_bytes();
        let hash = u32::from_le_bytes([a, b, c, d]);
        let spread = |hash: u32| u64::from(hash).wrapping_mul(SPREAD);
        let (bytes, ends) = (&self.bytes, &self.ends);
        let entry = self.table.entry(
            spread(hash),
            |(other, id)| *other == hash && text(bytes, ends, *id) == value,
            |(other, _)| spread(*other),
        );
        let id = match entry {
            Entry::Occupied(entry) => entry.get().1,
            Entry::Vacant(entry) => {
                let id = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
                let end = self.bytes.len().checked_add(value.len());
                let Some(end) = end.and_then(|end| u32::try_from(end).ok()) else {
                    return Added::Full;
                };
                if id >= most {
                    return Added::Full;
                }
                entry.insert((hash, id));
                self.bytes.extend_from_slice(value);
                self.ends.push(end);
                self.counts.push(0);
                self.last_rows.push(0);
                id
            }
        };
        let (Some(last), Some(count)) = (
            self.last_rows.get_mut(id as usize),
            self.counts.get_mut(id as usize),
        ) else {
            return Added::Full;
        };
        if *last == row + 1 {
            return Added::Again;
        }
        *last = row + 1;
        *count += 1;
        Added::Id(id)
    }

    /// Returns how many values there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the memory that the values take, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.len() * OVERHEAD
    }

    /// Returns a value.
    pub fn value(&self, id: u32) -> &[u8] {
        text(&self.bytes, &self.ends, id)
    }

    /// Returns how many rows have a value.
    pub fn count(&self, id: u32) -> u32 {
        self.counts.get(id as usize).copied().unwrap_or(0)
    }

    /// Returns the ids in the order of their values.
    pub fn sorted(&self) -> Vec<u32> {
        let ids = 0..u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        let mut keyed: Vec<(u64, u32)> = ids.map(|id| (prefix(self.value(id)), id)).collect();
        keyed.sort_unstable_by(|(a_key, a), (b_key, b)| {
            a_key
                .cmp(b_key)
                .then_with(|| self.value(*a).cmp(self.value(*b)))
        });
        keyed.into_iter().map(|(_, id)| id).collect()
    }
}

fn text<'a>(bytes: &'a [u8], ends: &[u32], id: u32) -> &'a [u8] {
    let at = id as usize;
    let from = at.checked_sub(1).and_then(|before| ends.get(before));
    let from = from.map_or(0, |from| *from as usize);
    let to = ends.get(at).map_or(from, |to| *to as usize);
    bytes.get(from..to).unwrap_or_default()
}

/// Returns the first eight bytes, as a number that sorts as they do.
fn prefix(value: &[u8]) -> u64 {
    let mut first = [0; 8];
    for (to, from) in first.iter_mut().zip(value) {
        *to = *from;
    }
    u64::from_be_bytes(first)
}
