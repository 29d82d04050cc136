//! A file behind the cache: what is on disk, and the fetch of what is not.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;

use super::RangeSource;
use super::assembly::{Blocks, cut, place, runs, touched};
use super::block_file::{self, BlockKey};
use super::cache::BlockCache;
use super::flight::Flight;

/// A file behind the cache.
#[derive(Debug)]
pub(crate) struct Cached {
    pub(crate) cache: Arc<BlockCache>,
    pub(crate) key: Arc<str>,
    pub(crate) hash: u64,
    pub(crate) source: Arc<dyn RangeSource>,
}

impl RangeSource for Cached {
    fn len_bytes(&self) -> u64 {
        self.source.len_bytes()
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
            let landed = flight.wait();
            // Another reader's credentials or patience may have been at fault: its failure is not this one's.
            let bytes = landed.or_else(|_| self.fetch_alone(block))?;
            blocks.insert(block, bytes);
        }
        Ok(arrived)
    }

    /// Fetches one block without telling others.
    fn fetch_alone(&self, block: u32) -> io::Result<Bytes> {
        let range = place(block, self.len_bytes());
        let mut read = self.source.read_ranges(std::slice::from_ref(&range))?;
        let bytes = read.pop().ok_or(io::ErrorKind::UnexpectedEof)?;
        if u64::try_from(bytes.len()) != Ok(range.end.saturating_sub(range.start)) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.cache.fetched.fetch_add(1, Ordering::Relaxed);
        self.cache.keep(self.at(block), &self.key, &bytes);
        Ok(bytes)
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
