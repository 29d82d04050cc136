//! The sorted values of all runs to one dictionary, and the ranks of each run's values in it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::spill::{Run, failed};
use crate::Error;
use crate::dictionary::{DictionaryWriter, Form, SortedValue};

/// Largest and smallest number of bytes read of a run at a time.
const BUFFERS: std::ops::RangeInclusive<usize> = 1024..=64 << 10;

/// The ranks of each run's values among all, in a temporary file.
#[derive(Debug)]
pub(super) struct RankMaps {
    file: File,
    /// Where each run's ranks begin, and how many there are.
    places: Vec<(u64, u32)>,
}

impl RankMaps {
    /// Returns the ranks of a run's values.
    pub fn load(&self, run: usize) -> io::Result<Vec<u32>> {
        let &(from, count) = self.places.get(run).ok_or(io::ErrorKind::NotFound)?;
        let mut bytes = vec![0; count as usize * 4];
        let mut file = &self.file;
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut bytes)?;
        let ranks = bytes.as_chunks().0.iter().copied();
        Ok(ranks.map(u32::from_le_bytes).collect())
    }
}

/// Merges the values of runs into `dictionary`.
pub(super) fn merge(
    values: &File,
    runs: &[Run],
    form: Form,
    (memory_bytes, folder): (usize, &Path),
    dictionary: &mut DictionaryWriter,
    out: &mut impl Write,
) -> Result<RankMaps, Error> {
    let buffer_len = (memory_bytes / 4 / runs.len().max(1)).clamp(*BUFFERS.start(), *BUFFERS.end());
    let maps = tempfile::tempfile_in(folder).map_err(|error| failed(folder, error))?;
    let merge = Merge {
        values,
        form,
        buffer_len,
        maps: &maps,
    };
    let places = merge
        .run(runs, dictionary, out)
        .map_err(|error| failed(folder, error))?;
    Ok(RankMaps { file: maps, places })
}

struct Merge<'a> {
    values: &'a File,
    form: Form,
    buffer_len: usize,
    maps: &'a File,
}

impl Merge<'_> {
    fn run(
        &self,
        runs: &[Run],
        dictionary: &mut DictionaryWriter,
        out: &mut impl Write,
    ) -> io::Result<Vec<(u64, u32)>> {
        let mut from = 0;
        let mut places = Vec::with_capacity(runs.len());
        let mut inputs = Vec::with_capacity(runs.len());
        let mut heap = BinaryHeap::with_capacity(runs.len());
        for (at, run) in runs.iter().enumerate() {
            places.push((from, run.value_count));
            let mut input = Input::new(run, from);
            if let Some(value) = input.next(self)? {
                heap.push(Reverse((value, at)));
            }
            inputs.push(input);
            from += u64::from(run.value_count) * 4;
        }
        let mut last = None;
        while let Some(Reverse((value, at))) = heap.pop() {
            if last.as_ref() != Some(&value) {
                dictionary.push(value.as_sorted(), out)?;
            }
            if let Some(input) = inputs.get_mut(at) {
                input.put_rank(dictionary.len() - 1, self)?;
                if let Some(next) = input.next(self)? {
                    heap.push(Reverse((next, at)));
                }
            }
            last = Some(value);
        }
        for input in &mut inputs {
            input.flush(self)?;
        }
        Ok(places)
    }
}

/// A value taken out of a run.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Number(u64),
    Wide(i128),
    Text(Vec<u8>),
}

impl Value {
    fn as_sorted(&self) -> SortedValue<'_> {
        match self {
            Self::Number(number) => SortedValue::Number(*number),
            Self::Wide(number) => SortedValue::Wide(*number),
            Self::Text(text) => SortedValue::Text(text),
        }
    }
}

/// The values of one run that are still to come, and the ranks it was given.
struct Input {
    bytes: Vec<u8>,
    at: usize,
    next_from: u64,
    to: u64,
    ranks: Vec<u8>,
    ranks_at: u64,
}

impl Input {
    fn new(run: &Run, ranks_at: u64) -> Self {
        Self {
            bytes: Vec::new(),
            at: 0,
            next_from: run.values_from,
            to: run.values_to,
            ranks: Vec::new(),
            ranks_at,
        }
    }

    fn next(&mut self, merge: &Merge<'_>) -> io::Result<Option<Value>> {
        if self.at == self.bytes.len() && self.next_from == self.to {
            return Ok(None);
        }
        Ok(Some(match merge.form {
            Form::Numbers => Value::Number(u64::from_le_bytes(self.take_array(merge)?)),
            Form::Wide => Value::Wide(i128::from_le_bytes(self.take_array(merge)?)),
            Form::Text => {
                let len = u16::from_le_bytes(self.take_array(merge)?);
                Value::Text(self.take(len.into(), merge)?.to_vec())
            }
        }))
    }

    fn take_array<const N: usize>(&mut self, merge: &Merge<'_>) -> io::Result<[u8; N]> {
        let taken = self.take(N, merge)?.first_chunk();
        taken.copied().ok_or(io::ErrorKind::UnexpectedEof.into())
    }

    fn take(&mut self, len: usize, merge: &Merge<'_>) -> io::Result<&[u8]> {
        if self.bytes.len() - self.at < len {
            self.fill(len, merge)?;
        }
        let from = self.at;
        self.at += len;
        let taken = self.bytes.get(from..self.at);
        taken.ok_or(io::ErrorKind::UnexpectedEof.into())
    }

    /// Reads on until `len` bytes are there.
    fn fill(&mut self, len: usize, merge: &Merge<'_>) -> io::Result<()> {
        self.bytes.drain(..self.at);
        self.at = 0;
        let left = usize::try_from(self.to - self.next_from).map_err(io::Error::other)?;
        let have = self.bytes.len();
        let more = left.min(merge.buffer_len.max(len) - have);
        self.bytes.resize(have + more, 0);
        let mut file = merge.values;
        file.seek(SeekFrom::Start(self.next_from))?;
        file.read_exact(self.bytes.get_mut(have..).unwrap_or_default())?;
        self.next_from += more as u64;
        Ok(())
    }

    fn put_rank(&mut self, rank: u32, merge: &Merge<'_>) -> io::Result<()> {
        self.ranks.extend_from_slice(&rank.to_le_bytes());
        if self.ranks.len() >= merge.buffer_len {
            self.flush(merge)?;
        }
        Ok(())
    }

    fn flush(&mut self, merge: &Merge<'_>) -> io::Result<()> {
        let mut file = merge.maps;
        file.seek(SeekFrom::Start(self.ranks_at))?;
        file.write_all(&self.ranks)?;
        self.ranks_at += self.ranks.len() as u64;
        self.ranks.clear();
        Ok(())
    }
}
