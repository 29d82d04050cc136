//! Text or bytes of one column, numbered.

use std::hash::BuildHasher;

use arrow_array::{Array, ArrayRef, DictionaryArray, StringArray, types::Int32Type};
use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// Numbers distinct byte strings, and the null among them.
#[derive(Debug)]
pub(super) struct Text {
    hasher: RandomState,
    ids: HashTable<u32>,
    bytes: Vec<u8>,
    /// End of each key in `bytes`.
    ends: Vec<usize>,
    null: Option<u32>,
    dictionary: Option<Entries>,
}

/// Numbers of the entries of the dictionary met last.
#[derive(Debug)]
struct Entries {
    values: ArrayRef,
    ids: Vec<Option<u32>>,
}

impl Text {
    pub(super) fn new() -> Self {
        Self {
            hasher: RandomState::default(),
            ids: HashTable::new(),
            bytes: Vec::new(),
            ends: Vec::new(),
            null: None,
            dictionary: None,
        }
    }

    /// Returns the number of a value, a new one when it was not seen before.
    pub(super) fn id(&mut self, key: Option<&[u8]>) -> u32 {
        // Group counts stay far below u32::MAX: every entry is charged to the query's budget.
        let next = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        let Some(key) = key else {
            let id = *self.null.get_or_insert(next);
            if id == next {
                self.ends.push(self.bytes.len());
            }
            return id;
        };
        let Self {
            hasher,
            ids,
            bytes,
            ends,
            null,
            ..
        } = self;
        let entry = ids.entry(
            hasher.hash_one(key),
            |&id| key_at(bytes, ends, id) == key && *null != Some(id),
            |&id| hasher.hash_one(key_at(bytes, ends, id)),
        );
        let id = *entry.or_insert(next).get();
        if id == next {
            self.bytes.extend_from_slice(key);
            self.ends.push(self.bytes.len());
        }
        id
    }

    /// Appends the numbers of dictionary-encoded text; each entry is looked up once per dictionary.
    pub(super) fn dictionary_ids(
        &mut self,
        array: &DictionaryArray<Int32Type>,
        values: &StringArray,
        out: &mut Vec<u32>,
    ) {
        let mut entries = match self.dictionary.take() {
            Some(entries) if same_buffers(&entries.values, array.values()) => entries,
            _ => Entries {
                values: array.values().clone(),
                ids: vec![None; values.len()],
            },
        };
        let mut null = None;
        for key in array.keys() {
            let entry = key.and_then(|key| usize::try_from(key).ok());
            let id = match entry.and_then(|entry| Some((entry, entries.ids.get_mut(entry)?))) {
                Some((_, Some(id))) => *id,
                Some((entry, unknown)) => {
                    let text = values
                        .is_valid(entry)
                        .then(|| values.value(entry).as_bytes());
                    *unknown.insert(self.id(text))
                }
                None => *null.get_or_insert_with(|| self.id(None)),
            };
            out.push(id);
        }
        self.dictionary = Some(entries);
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Yields the distinct values in the order of their numbers.
    pub(super) fn keys(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let null = self.null.and_then(|id| usize::try_from(id).ok());
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .enumerate()
            .map(move |(id, (start, &end))| {
                (Some(id) != null).then(|| self.bytes.get(start..end).unwrap_or_default())
            })
    }

    pub(super) fn size_bytes(&self) -> usize {
        let entries = self
            .dictionary
            .as_ref()
            .map_or(0, |entries| entries.ids.capacity() * 8);
        self.ids.capacity() * 5 + self.bytes.capacity() + self.ends.capacity() * 8 + entries
    }
}

fn key_at<'a>(bytes: &'a [u8], ends: &[usize], id: u32) -> &'a [u8] {
    let id = id as usize;
    let start = id
        .checked_sub(1)
        .and_then(|before| ends.get(before))
        .copied()
        .unwrap_or(0);
    ends.get(id)
        .and_then(|&end| bytes.get(start..end))
        .unwrap_or_default()
}

/// Tells whether two arrays are views of the very same values, without looking at them.
fn same_buffers(a: &ArrayRef, b: &ArrayRef) -> bool {
    std::sync::Arc::ptr_eq(a, b) || a.to_data().ptr_eq(&b.to_data())
}
