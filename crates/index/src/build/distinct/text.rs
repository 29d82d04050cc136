//! Text and bytes.

use std::hash::BuildHasher;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType as ArrowType;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::{Admission, NULL, OTHER};
use crate::wide::on_wide_registers;

/// The id of a dictionary's entry that was not looked at yet.
const UNSEEN: u32 = u32::MAX - 2;
/// Spreads 32 bits of a hash over 64.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

#[derive(Debug, Default)]
pub(super) struct Text {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Half of a value's hash, and its id: growing asks no value for its hash.
    table: HashTable<(u32, u32)>,
    state: RandomState,
    /// The dictionary of the array before: batches share one.
    dictionary: Option<Known>,
}

/// A dictionary, and what is known of it.
#[derive(Debug)]
struct Known {
    entries: ArrayRef,
    /// The ids of its entries.
    ids: Vec<u32>,
    /// First entries whose ids are their keys. A writer adds an entry when its first row comes, so
    /// those of a segment's first dictionary mostly are.
    in_order: u32,
}

impl Known {
    fn new(entries: ArrayRef) -> Self {
        Self {
            ids: vec![UNSEEN; entries.len()],
            entries,
            in_order: 0,
        }
    }

    fn is_of(&self, entries: &ArrayRef) -> bool {
        Arc::ptr_eq(&self.entries, entries) || same(&self.entries, entries)
    }

    /// Appends the ids of keys; nothing, and false, when some were not looked up yet.
    fn append(&self, keys: &[i32], nulls: Option<&NullBuffer>, ids: &mut Vec<u32>) -> bool {
        let from = ids.len();
        if nulls.is_none() && !keys.is_empty() && greatest(keys) < self.in_order {
            ids.extend(keys.iter().map(|key| key.cast_unsigned()));
            return true;
        }
        ids.resize(from + keys.len(), NULL);
        let slots = ids.get_mut(from..).unwrap_or_default();
        let seen = match nulls {
            None => look_up(&self.ids, keys, slots),
            Some(nulls) => look_up_valid(&self.ids, keys, nulls, slots),
        };
        if !seen {
            ids.truncate(from);
        }
        seen
    }

    fn find_in_order(&mut self) {
        let rest = self.ids.iter().skip(self.in_order as usize);
        let more = rest.zip(self.in_order..).take_while(|(id, key)| *id == key);
        self.in_order += u32::try_from(more.count()).unwrap_or(0);
    }
}

/// Finds the ids of keys; tells whether all were looked up before.
fn look_up(ids: &[u32], keys: &[i32], slots: &mut [u32]) -> bool {
    let mut seen = true;
    for (slot, key) in slots.iter_mut().zip(keys) {
        let id = match ids.get(key.cast_unsigned() as usize) {
            Some(id) => *id,
            None => UNSEEN,
        };
        *slot = id;
        seen &= id != UNSEEN;
    }
    seen
}

/// As [`look_up`], where some rows are null.
fn look_up_valid(ids: &[u32], keys: &[i32], nulls: &NullBuffer, slots: &mut [u32]) -> bool {
    let mut seen = true;
    let words = nulls.inner().bit_chunks();
    let pieces = slots.chunks_mut(64).zip(keys.chunks(64));
    for (word, (slots, keys)) in words.iter_padded().zip(pieces) {
        for (at, (slot, key)) in slots.iter_mut().zip(keys).enumerate() {
            let id = match ids.get(key.cast_unsigned() as usize) {
                Some(id) => *id,
                None => UNSEEN,
            };
            let id = if word >> at & 1 == 1 { id } else { NULL };
            *slot = id;
            seen &= id != UNSEEN;
        }
    }
    seen
}

on_wide_registers! {
    /// Returns the greatest key, negative ones above all others.
    pub(crate) fn greatest(keys: &[i32]) -> u32 = greatest_of
}

#[inline(always)]
fn greatest_of(keys: &[i32]) -> u32 {
    let greatest = |greatest: u32, key: &i32| greatest.max(key.cast_unsigned());
    keys.iter().fold(0, greatest)
}

impl Text {
    pub fn ids(
        &mut self,
        values: &dyn Array,
        admission: Admission,
        ids: &mut Vec<u32>,
    ) -> Option<()> {
        ids.reserve(values.len());
        match values.data_type() {
            ArrowType::Utf8View => {
                for value in values.as_string_view_opt()? {
                    ids.push(self.id(value.map(str::as_bytes), admission));
                }
            }
            ArrowType::BinaryView => {
                for value in values.as_binary_view_opt()? {
                    ids.push(self.id(value, admission));
                }
            }
            ArrowType::Dictionary(..) => {
                self.dictionary_ids(values.as_dictionary_opt()?, admission, ids)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn dictionary_ids(
        &mut self,
        values: &DictionaryArray<Int32Type>,
        admission: Admission,
        ids: &mut Vec<u32>,
    ) -> Option<()> {
        let entries = values.values();
        let texts = entries.as_string_opt::<i32>()?;
        let mut known = match self.dictionary.take() {
            Some(known) if known.is_of(entries) => known,
            _ => Known::new(entries.clone()),
        };
        let nulls = values.keys().nulls().filter(|nulls| nulls.null_count() > 0);
        let keys = values.keys().values();
        if !known.append(keys, nulls, ids) {
            // Keys of null rows may be anything, and new entries are looked up: row by row.
            for (row, key) in keys.iter().enumerate() {
                let at = usize::try_from(*key).unwrap_or(usize::MAX);
                let is_null = nulls.is_some_and(|nulls| nulls.is_null(row));
                let Some(known) = known.ids.get_mut(at).filter(|_| !is_null) else {
                    ids.push(NULL);
                    continue;
                };
                if *known == UNSEEN {
                    let value = texts.is_valid(at).then(|| texts.value(at).as_bytes());
                    *known = self.id(value, admission);
                }
                ids.push(*known);
            }
            known.find_in_order();
        }
        self.dictionary = Some(known);
        Some(())
    }

    fn id(&mut self, value: Option<&[u8]>, admission: Admission) -> u32 {
        let Some(value) = value else { return NULL };
        if value.len() > admission.value_len_bytes {
            return OTHER;
        }
        let [.., a, b, c, d] = self.state.hash_one(value).to_le_bytes();
        let hash = u32::from_le_bytes([a, b, c, d]);
        let spread = |hash: u32| u64::from(hash).wrapping_mul(SPREAD);
        let (bytes, ends) = (&self.bytes, &self.ends);
        let entry = self.table.entry(
            spread(hash),
            |(other, id)| *other == hash && text(bytes, ends, *id) == Some(value),
            |(other, _)| spread(*other),
        );
        match entry {
            Entry::Occupied(entry) => entry.get().1,
            Entry::Vacant(entry) => {
                let id = u32::try_from(ends.len()).unwrap_or(OTHER);
                if id >= admission.distinct_count {
                    return OTHER;
                }
                entry.insert((hash, id));
                self.bytes.extend_from_slice(value);
                self.ends.push(self.bytes.len());
                id
            }
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn value_bytes(&self) -> usize {
        self.bytes.len()
    }

    pub fn held_bytes(&self) -> usize {
        let known = self.dictionary.as_ref();
        self.bytes.capacity() + known.map_or(0, |known| known.ids.len() * 4)
    }

    pub fn value(&self, id: u32) -> Option<&[u8]> {
        text(&self.bytes, &self.ends, id)
    }

    pub fn sort(&mut self) -> Vec<u32> {
        self.table = HashTable::new();
        self.dictionary = None;
        let value = |id: u32| self.value(id).unwrap_or_default();
        let shared = self.shared_len();
        // Most comparisons are decided by eight bytes behind what all values share.
        let prefix = |id: u32| {
            let rest = value(id).get(shared..).unwrap_or_default();
            let mut prefix = [0; 8];
            for (slot, byte) in prefix.iter_mut().zip(rest) {
                *slot = *byte;
            }
            u64::from_be_bytes(prefix)
        };
        let ids = (0..).take(self.ends.len());
        let mut pairs: Vec<(u64, u32)> = ids.map(|id| (prefix(id), id)).collect();
        pairs.sort_unstable_by(|(a, x), (b, y)| a.cmp(b).then_with(|| value(*x).cmp(value(*y))));
        pairs.into_iter().map(|(_, id)| id).collect()
    }

    /// Returns how many first bytes all values share.
    fn shared_len(&self) -> usize {
        let mut ids = (0..).take(self.ends.len());
        let Some(first) = ids.next().and_then(|id| self.value(id)) else {
            return 0;
        };
        ids.fold(first.len(), |shared, id| {
            let pairs = first.iter().zip(self.value(id).unwrap_or_default());
            pairs.take(shared).take_while(|(a, b)| a == b).count()
        })
    }
}

fn text<'a>(bytes: &'a [u8], ends: &[usize], id: u32) -> Option<&'a [u8]> {
    let at = id as usize;
    let from = match at.checked_sub(1) {
        Some(before) => *ends.get(before)?,
        None => 0,
    };
    bytes.get(from..*ends.get(at)?)
}

/// Tells whether two dictionaries are the same bytes: slices of one array share no pointer to it.
fn same(a: &ArrayRef, b: &ArrayRef) -> bool {
    let (Some(a), Some(b)) = (a.as_string_opt::<i32>(), b.as_string_opt::<i32>()) else {
        return false;
    };
    a.len() == b.len()
        && a.values().as_ptr() == b.values().as_ptr()
        && a.offsets().inner().as_ptr() == b.offsets().inner().as_ptr()
        && a.null_count() == b.null_count()
}
