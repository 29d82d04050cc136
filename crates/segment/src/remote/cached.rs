//! A file behind the cache: what is on disk, and the fetch of what is not.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use growler_base::Interrupt;

use super::RangeSource;
use super::assembly::{Blocks, cut, place, runs, touched};
use super::block_file::{self, BlockKey};
use super::cache::BlockCache;
use super::flight::Flight;

/// A file behind the cache.
#[derive(Debug)]
pub(crate) struct Cached {
    pub(crate) file: CachedFile,
    pub(crate) source: Arc<dyn RangeSource>,
}

/// A file as the cache knows it.
#[derive(Debug, Clone)]
pub(crate) struct CachedFile {
    pub(crate) cache: Arc<BlockCache>,
    pub(crate) key: Arc<str>,
    pub(crate) hash: u64,
    pub(crate) len_bytes: u64,
}

impl RangeSource for Cached {
    fn len_bytes(&self) -> u64 {
        self.file.len_bytes
    }

    fn tag(&self) -> Option<&str> {
        self.source.tag()
    }

    fn reader(&self) -> u64 {
        self.source.reader()
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
    /// Takes the blocks that are on disk; returns the others.
    fn take(&self, wanted: Vec<u32>, blocks: &mut Blocks) -> Vec<u32> {
        let mut missing = Vec::new();
        for block in wanted {
            match self.file.on_disk(block) {
                Some(bytes) => {
                    blocks.insert(block, bytes);
                }
                None => missing.push(block),
            }
        }
        missing
    }

    /// Has blocks fetched that nobody fetches yet, and waits for them and the others. Returns those that
    /// somebody fetched since they were looked for, if they may be left out.
    fn fetch(
        &self,
        missing: &[u32],
        blocks: &mut Blocks,
        leave_arrived: bool,
    ) -> io::Result<Vec<u32>> {
        if let Some(interrupt) = Interrupt::current() {
            interrupt.check()?;
        }
        let (mut own, mut others, mut arrived) = (Vec::new(), Vec::new(), Vec::new());
        let cache = &self.file.cache;
        let mut state = cache.state();
        for block in missing {
            let at = self.file.at(*block);
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
        self.depart(own.clone());
        for (block, flight) in own {
            blocks.insert(block, flight.wait()??);
        }
        for (block, flight) in others {
            let landed = flight.wait()?;
            // Another reader's credentials may have been at fault: its failure is not this one's.
            let bytes = landed.or_else(|_| self.fetch_alone(block))?;
            blocks.insert(block, bytes);
        }
        Ok(arrived)
    }

    /// Starts the fetch of blocks, neighbouring ones together.
    fn depart(&self, flights: Vec<(u32, Arc<Flight>)>) {
        if flights.is_empty() {
            return;
        }
        let numbers: Vec<u32> = flights.iter().map(|(block, _)| *block).collect();
        let runs = runs(&numbers);
        let ranges = runs.iter().map(|run| {
            let last = place(run.end.saturating_sub(1), self.file.len_bytes);
            place(run.start, self.file.len_bytes).start..last.end
        });
        let ranges: Vec<Range<u64>> = ranges.collect();
        let departed = Departed {
            file: self.file.clone(),
            flights,
            runs,
        };
        self.source
            .deliver_ranges(ranges, Box::new(move |read| departed.arrive(read)));
    }

    /// Fetches one block without telling others.
    fn fetch_alone(&self, block: u32) -> io::Result<Bytes> {
        let range = place(block, self.file.len_bytes);
        let mut read = self.source.read_ranges(std::slice::from_ref(&range))?;
        let bytes = read.pop().ok_or(io::ErrorKind::UnexpectedEof)?;
        if u64::try_from(bytes.len()) != Ok(range.end.saturating_sub(range.start)) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let cache = &self.file.cache;
        cache.fetched.fetch_add(1, Ordering::Relaxed);
        cache.keep(self.file.at(block), &self.file.key, &bytes);
        Ok(bytes)
    }
}

impl CachedFile {
    fn at(&self, block: u32) -> BlockKey {
        BlockKey {
            file: self.hash,
            block,
        }
    }

    fn on_disk(&self, block: u32) -> Option<Bytes> {
        let at = self.at(block);
        if !self.cache.state().touch(at) {
            return None;
        }
        let place = place(block, self.len_bytes);
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
}

/// Flights that must land.
struct Departed {
    file: CachedFile,
    flights: Vec<(u32, Arc<Flight>)>,
    /// Their blocks, neighbouring ones joined: one range is read for each.
    runs: Vec<Range<u32>>,
}

impl Departed {
    fn arrive(self, read: io::Result<Vec<Bytes>>) {
        let fetched = match read.and_then(|read| self.blocks(read)) {
            Ok(fetched) => fetched,
            Err(error) => {
                let flights = self.flights.iter();
                flights.for_each(|(_, flight)| flight.land(Err(&error)));
                return;
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
    }

    /// Cuts the blocks out of what was read.
    fn blocks(&self, read: Vec<Bytes>) -> io::Result<Blocks> {
        let file_len = self.file.len_bytes;
        let mut blocks = Blocks::new();
        for (run, bytes) in self.runs.iter().zip(read) {
            let run_start = place(run.start, file_len).start;
            for block in run.clone() {
                let place = place(block, file_len);
                let local = |at: u64| usize::try_from(at.saturating_sub(run_start)).ok();
                let (start, end) = (local(place.start), local(place.end));
                let part = start.zip(end).filter(|(_, end)| *end <= bytes.len());
                let (start, end) = part.ok_or(io::ErrorKind::UnexpectedEof)?;
                blocks.insert(block, bytes.slice(start..end));
            }
        }
        Ok(blocks)
    }
}

impl Drop for Departed {
    fn drop(&mut self) {
        let broken_off = io::Error::other("the fetch of a block broke off");
        for (block, flight) in &self.flights {
            flight.land(Err(&broken_off));
            let at = self.file.at(*block);
            self.file.cache.state().flights.remove(&at);
        }
    }
}
