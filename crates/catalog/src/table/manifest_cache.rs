//! Manifests that were read, for plans of later snapshots.
//!
//! A manifest never changes, and snapshots share most of theirs with those before them: a plan reads
//! only those that no plan of the same owner has read. They are kept as they were read, compressed; what
//! their entries mean depends on the metadata of the day.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use crate::manifest::Manifest;

/// What keeping a manifest takes beside its bytes and its location.
const OVERHEAD_LEN_BYTES: usize = 256;

/// Manifests of many tables, within one bound; those that were not used for longest go first.
#[derive(Debug)]
pub struct ManifestCache {
    most_len_bytes: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    manifests: HashMap<Key, Held>,
    /// Keys by the last use; each use has a number of its own.
    by_use: BTreeMap<u64, Key>,
    uses: u64,
    len_bytes: usize,
}

#[derive(Debug)]
struct Held {
    bytes: Bytes,
    used: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    owner: Arc<str>,
    table_uuid: Arc<str>,
    location: Arc<str>,
    len_bytes: u64,
}

impl ManifestCache {
    /// Makes an empty one that never holds more than so many bytes.
    pub fn new(most_len_bytes: usize) -> Self {
        Self {
            most_len_bytes,
            kept: Mutex::default(),
        }
    }

    /// Drops what is kept for an owner.
    pub fn forget(&self, owner: &str) {
        let mut kept = self.lock();
        let kept = &mut *kept;
        let gone: Vec<u64> = kept
            .by_use
            .iter()
            .filter(|(_, key)| *key.owner == *owner)
            .map(|(used, _)| *used)
            .collect();
        for used in gone {
            kept.remove(used);
        }
    }

    /// Returns how many bytes are kept, with what keeping them takes.
    pub fn len_bytes(&self) -> usize {
        self.lock().len_bytes
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn next_use(&mut self) -> u64 {
        self.uses = self.uses.saturating_add(1);
        self.uses
    }

    fn remove(&mut self, used: u64) {
        let Some(key) = self.by_use.remove(&used) else {
            return;
        };
        if let Some(held) = self.manifests.remove(&key) {
            self.len_bytes = self.len_bytes.saturating_sub(cost(&key, &held.bytes));
        }
    }
}

/// The part of a cache that one owner's table uses. Owners do not see each other's: what may be read
/// with one's credentials is no business of another.
#[derive(Debug, Clone)]
pub(crate) struct TableManifests {
    cache: Arc<ManifestCache>,
    owner: Arc<str>,
    table_uuid: Arc<str>,
}

impl TableManifests {
    /// `table_uuid` is the identity of the table: one made anew has other files.
    pub(crate) fn new(cache: Arc<ManifestCache>, owner: &str, table_uuid: &str) -> Self {
        Self {
            cache,
            owner: owner.into(),
            table_uuid: table_uuid.into(),
        }
    }

    /// Begins a plan: what it uses is not given up for other manifests of its own.
    pub(crate) fn begin(&self) -> Planning<'_> {
        let since = self.cache.lock().next_use();
        Planning { table: self, since }
    }
}

/// One plan's use of the cache.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planning<'a> {
    table: &'a TableManifests,
    since: u64,
}

impl Planning<'_> {
    pub(crate) fn get(&self, manifest: &Manifest, location: &Arc<str>) -> Option<Bytes> {
        let key = self.key(manifest, location);
        let mut kept = self.table.cache.lock();
        let kept = &mut *kept;
        let used = kept.next_use();
        let held = kept.manifests.get_mut(&key)?;
        kept.by_use.remove(&held.used);
        kept.by_use.insert(used, key);
        held.used = used;
        Some(held.bytes.clone())
    }

    /// Keeps a manifest that was read, if it is what its list says it is, and if there is room, or
    /// room that this plan has not used.
    pub(crate) fn put(&self, manifest: &Manifest, location: &Arc<str>, bytes: &Bytes) {
        if u64::try_from(bytes.len()) != Ok(manifest.len_bytes) {
            return;
        }
        let key = self.key(manifest, location);
        let cost = cost(&key, bytes);
        let cache = &self.table.cache;
        let mut kept = cache.lock();
        let kept = &mut *kept;
        if kept.manifests.contains_key(&key) {
            return;
        }
        while kept.len_bytes.saturating_add(cost) > cache.most_len_bytes {
            match kept.by_use.first_key_value() {
                Some((used, _)) if *used < self.since => {
                    let used = *used;
                    kept.remove(used);
                }
                _ => return,
            }
        }
        let used = kept.next_use();
        kept.len_bytes = kept.len_bytes.saturating_add(cost);
        kept.by_use.insert(used, key.clone());
        // What was read may be a part of something larger.
        let bytes = Bytes::copy_from_slice(bytes);
        kept.manifests.insert(key, Held { bytes, used });
    }

    fn key(&self, manifest: &Manifest, location: &Arc<str>) -> Key {
        Key {
            owner: Arc::clone(&self.table.owner),
            table_uuid: Arc::clone(&self.table.table_uuid),
            location: Arc::clone(location),
            len_bytes: manifest.len_bytes,
        }
    }
}

fn cost(key: &Key, bytes: &Bytes) -> usize {
    let text = key.location.len().saturating_mul(2);
    bytes
        .len()
        .saturating_add(text)
        .saturating_add(OVERHEAD_LEN_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SpecId;

    const LEN: usize = 1000;

    fn manifest(number: u8) -> (Manifest, Arc<str>, Bytes) {
        let path = format!("/m{number:02}");
        let mut manifest = Manifest::unsaid(path.clone(), SpecId(0));
        manifest.len_bytes = u64::try_from(LEN).unwrap();
        (manifest, path.into(), vec![number; LEN].into())
    }

    fn room_for(count: usize) -> Arc<ManifestCache> {
        let (_, location, bytes) = manifest(0);
        let one = bytes.len() + 2 * location.len() + OVERHEAD_LEN_BYTES;
        Arc::new(ManifestCache::new(one * count))
    }

    /// Plans over manifests, and returns which of them had to be read.
    fn plan(table: &TableManifests, numbers: std::ops::Range<u8>) -> Vec<u8> {
        let planning = table.begin();
        let mut read = Vec::new();
        for number in numbers {
            let (manifest, location, bytes) = manifest(number);
            match planning.get(&manifest, &location) {
                Some(kept) => assert_eq!(kept, bytes),
                None => {
                    planning.put(&manifest, &location, &bytes);
                    read.push(number);
                }
            }
        }
        assert!(table.cache.len_bytes() <= table.cache.most_len_bytes);
        read
    }

    #[test]
    fn only_what_is_new_is_read() {
        let table = TableManifests::new(room_for(8), "t", "u");
        assert_eq!(plan(&table, 0..5), [0, 1, 2, 3, 4]);
        assert_eq!(plan(&table, 0..6), [5]);
        assert!(plan(&table, 1..6).is_empty());
    }

    #[test]
    fn a_table_that_does_not_fit_is_kept_in_part() {
        let table = TableManifests::new(room_for(4), "t", "u");
        assert_eq!(plan(&table, 0..10).len(), 10);
        assert_eq!(plan(&table, 0..10), [4, 5, 6, 7, 8, 9]);
        // What is not used any more makes room.
        assert_eq!(plan(&table, 8..12), [8, 9, 10, 11]);
        assert!(plan(&table, 8..12).is_empty());
    }

    #[test]
    fn owners_and_tables_made_anew_are_apart() {
        let cache = room_for(8);
        let table = TableManifests::new(Arc::clone(&cache), "t", "u");
        assert_eq!(plan(&table, 0..2), [0, 1]);
        for (owner, uuid) in [("other", "u"), ("t", "other")] {
            let other = TableManifests::new(Arc::clone(&cache), owner, uuid);
            assert_eq!(plan(&other, 0..2), [0, 1], "{owner} {uuid}");
        }
        cache.forget("t");
        assert_eq!(plan(&table, 0..2), [0, 1]);
        for owner in ["t", "other"] {
            cache.forget(owner);
        }
        assert_eq!(cache.len_bytes(), 0);
    }

    #[test]
    fn what_is_not_of_the_length_that_the_list_says_is_not_kept() {
        let cache = room_for(8);
        let table = TableManifests::new(Arc::clone(&cache), "t", "u");
        let (manifest, location, bytes) = manifest(0);
        table.begin().put(&manifest, &location, &bytes.slice(1..));
        assert_eq!(cache.len_bytes(), 0);
    }
}
