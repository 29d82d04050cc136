//! Numbers of one column, numbered.

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use std::hash::Hash;

/// Numbers distinct values of a fixed width, and the null among them.
#[derive(Debug)]
pub(super) struct Fixed<K> {
    ids: HashMap<K, u32, RandomState>,
    keys: Vec<Option<K>>,
    null: Option<u32>,
}

impl<K: Hash + Eq + Copy> Fixed<K> {
    pub(super) fn new() -> Self {
        Self {
            ids: HashMap::default(),
            keys: Vec::new(),
            null: None,
        }
    }

    /// Returns the number of a value, a new one when it was not seen before.
    pub(super) fn id(&mut self, key: Option<K>) -> u32 {
        // Group counts stay far below u32::MAX: every entry is charged to the query's budget.
        let next = u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        let id = match key {
            Some(key) => *self.ids.entry(key).or_insert(next),
            None => *self.null.get_or_insert(next),
        };
        if id == next {
            self.keys.push(key);
        }
        id
    }

    /// Appends the numbers of many values.
    pub(super) fn ids(&mut self, keys: impl Iterator<Item = Option<K>>, out: &mut Vec<u32>) {
        let mut last: Option<(Option<K>, u32)> = None;
        for key in keys {
            let id = match last {
                Some((same, id)) if same == key => id,
                _ => self.id(key),
            };
            last = Some((key, id));
            out.push(id);
        }
    }

    /// Returns the distinct values in the order of their numbers.
    pub(super) fn keys(&self) -> &[Option<K>] {
        &self.keys
    }

    pub(super) fn size_bytes(&self) -> usize {
        self.ids.capacity() * (size_of::<K>() + 5) + self.keys.capacity() * size_of::<Option<K>>()
    }
}
