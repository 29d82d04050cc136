//! A bounded disk cache of blocks of files.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use foldhash::fast::RandomState;
use twox_hash::XxHash3_64;

use super::RangeSource;
use super::block_file::{self, BlockKey};
use super::cached::{Cached, CachedFile};
use super::flight::Flight;

/// Blocks of files on disk, those used longest ago dropped beyond a number of bytes.
///
/// Readers that want the same block at the same time fetch it once.
#[derive(Debug)]
pub struct BlockCache {
    pub(crate) folder: PathBuf,
    capacity: u64,
    state: Mutex<State>,
    pub(crate) hits: AtomicU64,
    pub(crate) fetched: AtomicU64,
    warned: AtomicBool,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) blocks: HashMap<BlockKey, Entry, RandomState>,
    pub(crate) flights: HashMap<BlockKey, Arc<Flight>, RandomState>,
    len_bytes: u64,
    clock: u64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    len_bytes: u64,
    used: u64,
}

/// What a cache has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheCounts {
    /// Blocks that were read from disk.
    pub hits: u64,
    /// Blocks that were fetched.
    pub fetched: u64,
    /// Bytes on disk now.
    pub len_bytes: u64,
}

impl BlockCache {
    /// Opens the cache in a folder of its own, which is made if need be; what an earlier process left
    /// there is used.
    ///
    /// # Errors
    /// When the folder cannot be made or listed.
    pub fn open(folder: &Path, capacity_bytes: u64) -> io::Result<Arc<Self>> {
        fs::create_dir_all(folder)?;
        let mut found = found(folder)?;
        found.sort_by_key(|(_, _, modified)| *modified);
        let mut state = State::default();
        for (key, len_bytes, _) in found {
            state.insert(key, len_bytes);
        }
        let cache = Self {
            folder: folder.to_owned(),
            capacity: capacity_bytes,
            state: Mutex::new(state),
            hits: AtomicU64::new(0),
            fetched: AtomicU64::new(0),
            warned: AtomicBool::new(false),
        };
        cache.make_room();
        Ok(Arc::new(cache))
    }

    /// Returns a file through this cache; `location` with the file's length and tag says which file
    /// it is.
    pub fn source(
        self: &Arc<Self>,
        location: &str,
        source: Arc<dyn RangeSource>,
    ) -> Arc<dyn RangeSource> {
        let tag = source.tag().unwrap_or_default();
        let key = format!("{location}\n{}\n{tag}", source.len_bytes());
        let file = CachedFile {
            cache: Arc::clone(self),
            hash: XxHash3_64::oneshot(key.as_bytes()),
            key: key.into(),
            len_bytes: source.len_bytes(),
        };
        Arc::new(Cached { file, source })
    }

    /// Returns what the cache has done so far.
    pub fn counts(&self) -> CacheCounts {
        CacheCounts {
            hits: self.hits.load(Ordering::Relaxed),
            fetched: self.fetched.load(Ordering::Relaxed),
            len_bytes: self.state().len_bytes,
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a block; that it cannot be kept fails nobody.
    pub(crate) fn keep(&self, at: BlockKey, key: &str, block: &[u8]) {
        if block.len() as u64 > self.capacity {
            return;
        }
        match block_file::write(&at.path(&self.folder), key, block) {
            Ok(()) => {
                self.state().insert(at, block.len() as u64);
                self.make_room();
            }
            Err(error) if !self.warned.swap(true, Ordering::Relaxed) => {
                let folder = self.folder.display();
                tracing::warn!(%folder, %error, "blocks of remote files cannot be kept on disk");
            }
            Err(_) => {}
        }
    }

    /// Drops the blocks used longest ago, a tenth of the room at a time, when there are too many.
    fn make_room(&self) {
        let mut state = self.state();
        if state.len_bytes <= self.capacity {
            return;
        }
        let mut by_age: Vec<(u64, BlockKey)> = state
            .blocks
            .iter()
            .map(|(key, entry)| (entry.used, *key))
            .collect();
        by_age.sort_unstable_by_key(|(used, _)| *used);
        let enough = self.capacity.saturating_sub(self.capacity / 10);
        let mut dropped = Vec::new();
        for (_, key) in by_age {
            if state.len_bytes <= enough {
                break;
            }
            state.remove(key);
            dropped.push(key);
        }
        drop(state);
        for key in dropped {
            // Whoever reads it now has it open, or fetches it again.
            let _ = fs::remove_file(key.path(&self.folder));
        }
    }
}

impl State {
    fn insert(&mut self, key: BlockKey, len_bytes: u64) {
        self.remove(key);
        self.clock = self.clock.saturating_add(1);
        let used = self.clock;
        self.blocks.insert(key, Entry { len_bytes, used });
        self.len_bytes = self.len_bytes.saturating_add(len_bytes);
    }

    pub(crate) fn remove(&mut self, key: BlockKey) {
        if let Some(entry) = self.blocks.remove(&key) {
            self.len_bytes = self.len_bytes.saturating_sub(entry.len_bytes);
        }
    }

    /// Tells whether a block is on disk, and that it is used.
    pub(crate) fn touch(&mut self, key: BlockKey) -> bool {
        self.clock = self.clock.saturating_add(1);
        let used = self.clock;
        let entry = self.blocks.get_mut(&key);
        entry.map(|entry| entry.used = used).is_some()
    }
}

/// Lists the blocks in a folder; drops what a crash left half written.
fn found(folder: &Path) -> io::Result<Vec<(BlockKey, u64, SystemTime)>> {
    let mut found = Vec::new();
    for part in fs::read_dir(folder)? {
        let Ok(files) = fs::read_dir(part?.path()) else {
            continue;
        };
        for file in files.flatten() {
            let name = file.file_name();
            let name = name.to_string_lossy();
            if name.ends_with(".tmp") {
                let _ = fs::remove_file(file.path());
            }
            if let (Some(key), Ok(metadata)) = (BlockKey::parse(&name), file.metadata()) {
                let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                found.push((key, metadata.len(), modified));
            }
        }
    }
    Ok(found)
}
