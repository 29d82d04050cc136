//! Ids of a dictionary's entries: a row then costs a look-up in an array, whatever its value is.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;

use super::NULL;
use crate::wide::on_wide_registers;

/// The id of an entry that was not looked at yet.
const UNSEEN: u32 = u32::MAX - 2;

/// A dictionary, and what is known of it.
#[derive(Debug)]
pub(super) struct Known {
    entries: ArrayRef,
    /// The ids of its entries.
    ids: Vec<u32>,
    /// First entries whose ids are their keys. A writer adds an entry when its first row comes, so
    /// those of a segment's first dictionary mostly are.
    in_order: u32,
}

impl Known {
    pub fn new(entries: ArrayRef) -> Self {
        Self {
            ids: vec![UNSEEN; entries.len()],
            entries,
            in_order: 0,
        }
    }

    pub fn is_of(&self, entries: &ArrayRef) -> bool {
        Arc::ptr_eq(&self.entries, entries) || same(&self.entries, entries)
    }

    /// Appends the ids of keys; nothing, and false, when some were not looked up yet.
    pub fn append(&self, keys: &[i32], nulls: Option<&NullBuffer>, ids: &mut Vec<u32>) -> bool {
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

    /// Looks up the entries that rows have and that were not looked up yet.
    pub fn find(
        &mut self,
        keys: &[i32],
        nulls: Option<&NullBuffer>,
        mut id: impl FnMut(&dyn Array, usize) -> Option<u32>,
    ) -> Option<()> {
        for (row, key) in keys.iter().enumerate() {
            let at = key.cast_unsigned() as usize;
            // Keys of null rows may be anything.
            let is_new = self.ids.get(at) == Some(&UNSEEN);
            if is_new && nulls.is_none_or(|nulls| nulls.is_valid(row)) {
                let found = id(&*self.entries, at)?;
                if let Some(slot) = self.ids.get_mut(at) {
                    *slot = found;
                }
            }
        }
        self.find_in_order();
        Some(())
    }

    /// Returns how many bytes are held.
    pub fn held_bytes(&self) -> usize {
        self.ids.len() * 4
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
