//! A bounded disk cache of blocks of files.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use foldhash::fast::RandomState;
use twox_hash::XxHash3_64;

use super::RangeSource;
use super::assembly::{Blocks, cut, place, runs, touched};
use super::block_file::{self, BlockKey};
use super::flight::Flight;

/// Blocks of files on disk, those used longest ago dropped beyond a number of bytes.
///
/// Readers that want the same block at the same time fetch it once.
#[derive(Debug)]
pub struct BlockCache {
    folder: PathBuf,
    capacity: u64,
    state: Mutex<State>,
    hits: AtomicU64,
    fetched: AtomicU64,
    warned: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    blocks: HashMap<BlockKey, Entry, RandomState>,
    flights: HashMap<BlockKey, Arc<Flight>, RandomState>,
    len_bytes: u64,
    clock: u64,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
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
        Arc::new(Cached {
            cache: Arc::clone(self),
            hash: XxHash3_64::oneshot(key.as_bytes()),
            key: key.into(),
            source,
        })
    }

    /// Returns what the cache has done so far.
    pub fn counts(&self) -> CacheCounts {
        CacheCounts {
            hits: self.hits.load(Ordering::Relaxed),
            fetched: self.fetched.load(Ordering::Relaxed),
            len_bytes: self.state().len_bytes,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a block; that it cannot be kept fails nobody.
    fn keep(&self, at: BlockKey, key: &str, block: &[u8]) {
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

    fn remove(&mut self, key: BlockKey) {
        if let Some(entry) = self.blocks.remove(&key) {
            self.len_bytes = self.len_bytes.saturating_sub(entry.len_bytes);
        }
    }

    /// Tells whether a block is on disk, and that it is used.
    fn touch(&mut self, key: BlockKey) -> bool {
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

/// A file behind the cache.
#[derive(Debug)]
struct Cached {
    cache: Arc<BlockCache>,
    key: Arc<str>,
    hash: u64,
    source: Arc<dyn RangeSource>,
}

impl RangeSource for Cached {
    fn len_bytes(&self) -> u64 {
        self.source.len_bytes()
    }

    fn tag(&self) -> Option<&str> {
        self.source.tag()
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Bytes>> {
        let wanted = touched(ranges)?;
        let mut blocks = Blocks::new();
        let mut missing = self.take(wanted, &mut blocks);
        let mut round: u32 = 0;
        while !missing.is_empty() {
            round = round.saturating_add(1);
            // What arrived meanwhile is there now, unless it went at once; then it is fetched at last.
            let arrived = self.fetch(&missing, &mut blocks, round < 3)?;
            missing = self.take(arrived, &mut blocks);
        }
        ranges.iter().map(|range| cut(&blocks, range)).collect()
    }
}

impl Cached {
    fn at(&self, block: u32) -> BlockKey {
        BlockKey {
            file: self.hash,
            block,
        }
    }

    /// Takes the blocks that are on disk; returns the others.
    fn take(&self, wanted: Vec<u32>, blocks: &mut Blocks) -> Vec<u32> {
        let mut missing = Vec::new();
        for block in wanted {
            match self.on_disk(block) {
                Some(bytes) => {
                    blocks.insert(block, bytes);
                }
                None => missing.push(block),
            }
        }
        missing
    }

    fn on_disk(&self, block: u32) -> Option<Bytes> {
        let at = self.at(block);
        if !self.cache.state().touch(at) {
            return None;
        }
        let place = place(block, self.len_bytes());
        let len = usize::try_from(place.end.saturating_sub(place.start)).ok()?;
        let read = block_file::read(&at.path(&self.cache.folder), &self.key, len);
        if read.is_none() {
            self.cache.state().remove(at);
        }
        self.cache
            .hits
            .fetch_add(u64::from(read.is_some()), Ordering::Relaxed);
        read
    }

    /// Fetches blocks that nobody fetches yet, then waits for the others. Returns those that somebody
    /// fetched since they were looked for, if they may be left out.
    fn fetch(
        &self,
        missing: &[u32],
        blocks: &mut Blocks,
        leave_arrived: bool,
    ) -> io::Result<Vec<u32>> {
        let (mut own, mut others, mut arrived) = (Vec::new(), Vec::new(), Vec::new());
        let mut state = self.cache.state();
        for block in missing {
            let at = self.at(*block);
            match state.flights.get(&at) {
                Some(flight) => others.push((*block, Arc::clone(flight))),
                None if leave_arrived && state.blocks.contains_key(&at) => arrived.push(*block),
                None => {
                    let flight = Arc::<Flight>::default();
                    state.flights.insert(at, Arc::clone(&flight));
                    own.push((*block, flight));
                }
            }
        }
        drop(state);
        // Own ones first: two readers that wait for each other's would wait for ever.
        let own = Led {
            file: self,
            flights: own,
        };
        own.fetch(blocks)?;
        for (block, flight) in others {
            blocks.insert(block, flight.wait()?);
        }
        Ok(arrived)
    }
}

/// Flights that this reader must land.
struct Led<'a> {
    file: &'a Cached,
    flights: Vec<(u32, Arc<Flight>)>,
}

impl Led<'_> {
    fn fetch(&self, blocks: &mut Blocks) -> io::Result<()> {
        let numbers: Vec<u32> = self.flights.iter().map(|(block, _)| *block).collect();
        let fetched = self.fetch_runs(&numbers);
        let mut fetched = match fetched {
            Ok(fetched) => fetched,
            Err(error) => {
                self.flights
                    .iter()
                    .for_each(|(_, flight)| flight.land(Err(&error)));
                return Err(error);
            }
        };
        let cache = &self.file.cache;
        cache
            .fetched
            .fetch_add(fetched.len() as u64, Ordering::Relaxed);
        for (block, flight) in &self.flights {
            if let Some(bytes) = fetched.get(block) {
                flight.land(Ok(bytes.clone()));
                cache.keep(self.file.at(*block), &self.file.key, bytes);
            }
        }
        blocks.append(&mut fetched);
        Ok(())
    }

    /// Fetches neighbouring blocks together.
    fn fetch_runs(&self, numbers: &[u32]) -> io::Result<Blocks> {
        let file_len = self.file.len_bytes();
        let runs = runs(numbers);
        let ranges: Vec<Range<u64>> = runs
            .iter()
            .map(|run| {
                let last = place(run.end.saturating_sub(1), file_len);
                place(run.start, file_len).start..last.end
            })
            .collect();
        let mut blocks = Blocks::new();
        if ranges.is_empty() {
            return Ok(blocks);
        }
        let read = self.file.source.read_ranges(&ranges)?;
        for (run, (range, bytes)) in runs.into_iter().zip(ranges.iter().zip(read)) {
            for block in run {
                let place = place(block, file_len);
                let local = |at: u64| usize::try_from(at.saturating_sub(range.start)).ok();
                let (start, end) = (local(place.start), local(place.end));
                let part = start.zip(end).filter(|(_, end)| *end <= bytes.len());
                let (start, end) = part.ok_or(io::ErrorKind::UnexpectedEof)?;
                blocks.insert(block, bytes.slice(start..end));
            }
        }
        Ok(blocks)
    }
}

impl Drop for Led<'_> {
    fn drop(&mut self) {
        let broken_off = io::Error::other("the fetch of a block broke off");
        for (block, flight) in &self.flights {
            flight.land(Err(&broken_off));
            self.file
                .cache
                .state()
                .flights
                .remove(&self.file.at(*block));
        }
    }
}
