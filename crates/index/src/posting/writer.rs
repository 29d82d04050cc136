//! Rows to a posting.

use super::{BITS_LEN, OFFSETS_FROM, PLAIN, WITH_RUNS};
use crate::RowSet;
use crate::row_set::{ARRAY_ROWS, Container, Run};

/// Lays out one posting after another; its buffers are kept.
#[derive(Debug, Default)]
pub(crate) struct PostingWriter {
    containers: Vec<Header>,
    data: Vec<u8>,
    bits: Vec<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Header {
    key: u16,
    last_row: u16,
    is_runs: bool,
    len_bytes: u32,
}

impl PostingWriter {
    /// Adds a chunk: its positions, ascending, at least one; keys ascend too.
    pub fn push(&mut self, key: u16, positions: &[u16]) {
        let Some(last_row) = positions.len().checked_sub(1) else {
            return;
        };
        let from = self.data.len();
        let next = positions.get(1..).unwrap_or_default();
        let pairs = positions.iter().zip(next);
        let run_count = 1 + pairs.filter(|(a, b)| a.wrapping_add(1) != **b).count();
        let plain_len = (positions.len() * 2).min(BITS_LEN);
        let is_runs = 2 + run_count * 4 < plain_len;
        if is_runs {
            self.put_runs(run_count, runs_of(positions));
        } else if positions.len() <= ARRAY_ROWS {
            self.data.resize(from + positions.len() * 2, 0);
            let (slots, _) = self
                .data
                .get_mut(from..)
                .unwrap_or_default()
                .as_chunks_mut();
            for (slot, position) in slots.iter_mut().zip(positions) {
                *slot = position.to_le_bytes();
            }
        } else {
            self.put_bits(positions);
        }
        self.end(key, last_row, is_runs, from);
    }

    fn push_container(&mut self, key: u16, rows: &Container) {
        match rows {
            Container::Array(array) => self.push(key, array),
            Container::Bits(bits) => self.push(key, &bits.to_array(bits.len() as usize)),
            Container::Runs(runs) => {
                let last_row = (rows.len() as usize).saturating_sub(1);
                let from = self.data.len();
                self.put_runs(runs.len(), runs.iter().copied());
                self.end(key, last_row, true, from);
            }
        }
    }

    fn end(&mut self, key: u16, last_row: usize, is_runs: bool, from: usize) {
        self.containers.push(Header {
            key,
            last_row: u16::try_from(last_row).unwrap_or(u16::MAX),
            is_runs,
            len_bytes: u32::try_from(self.data.len() - from).unwrap_or(u32::MAX),
        });
    }

    fn put_runs(&mut self, count: usize, runs: impl Iterator<Item = Run>) {
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        self.data.extend_from_slice(&count.to_le_bytes());
        for run in runs {
            self.data.extend_from_slice(&run.first.to_le_bytes());
            let rest = run.last - run.first;
            self.data.extend_from_slice(&rest.to_le_bytes());
        }
    }

    fn put_bits(&mut self, positions: &[u16]) {
        self.bits.clear();
        self.bits.resize(BITS_LEN / 8, 0);
        for position in positions {
            if let Some(word) = self.bits.get_mut(usize::from(position >> 6)) {
                *word |= 1 << (position & 63);
            }
        }
        let from = self.data.len();
        self.data.resize(from + BITS_LEN, 0);
        let (slots, _) = self
            .data
            .get_mut(from..)
            .unwrap_or_default()
            .as_chunks_mut();
        for (slot, word) in slots.iter_mut().zip(&self.bits) {
            *slot = word.to_le_bytes();
        }
    }

    /// Returns how many bytes the posting takes.
    pub fn len_bytes(&self) -> usize {
        let count = self.containers.len();
        let with_runs = self.with_runs();
        let cookie = if with_runs { 4 + count.div_ceil(8) } else { 8 };
        let offsets = if with_runs && count < OFFSETS_FROM {
            0
        } else {
            count * 4
        };
        cookie + count * 4 + offsets + self.data.len()
    }

    fn with_runs(&self) -> bool {
        self.containers.iter().any(|container| container.is_runs)
    }

    /// Forgets the posting.
    pub fn clear(&mut self) {
        self.containers.clear();
        self.data.clear();
    }

    /// Appends the posting's bytes and forgets it.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.put_head(out);
        out.extend_from_slice(&self.data);
        self.clear();
    }

    /// Returns the containers, which come behind the head.
    pub fn body(&self) -> &[u8] {
        &self.data
    }

    /// Appends what comes before the containers.
    pub fn put_head(&self, out: &mut Vec<u8>) {
        let (with_runs, count) = (self.with_runs(), self.containers.len());
        let mut offset = self.len_bytes() - self.data.len();
        if with_runs {
            out.extend_from_slice(&WITH_RUNS.to_le_bytes());
            let last = u16::try_from(count - 1).unwrap_or(u16::MAX);
            out.extend_from_slice(&last.to_le_bytes());
            for group in self.containers.chunks(8) {
                let bits = group.iter().zip(0..);
                out.push(bits.fold(0, |bits, (container, at)| {
                    bits | u8::from(container.is_runs) << at
                }));
            }
        } else {
            out.extend_from_slice(&PLAIN.to_le_bytes());
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            out.extend_from_slice(&count.to_le_bytes());
        }
        for container in &self.containers {
            out.extend_from_slice(&container.key.to_le_bytes());
            out.extend_from_slice(&container.last_row.to_le_bytes());
        }
        if !with_runs || count >= OFFSETS_FROM {
            for container in &self.containers {
                // Four bytes are all the format has: 65,536 containers of 8 KiB fit.
                let place = u32::try_from(offset).unwrap_or(u32::MAX);
                out.extend_from_slice(&place.to_le_bytes());
                offset += container.len_bytes as usize;
            }
        }
    }
}

fn runs_of(positions: &[u16]) -> impl Iterator<Item = Run> {
    let runs = positions.chunk_by(|a, b| a.wrapping_add(1) == *b);
    runs.filter_map(|run| {
        Some(Run {
            first: *run.first()?,
            last: *run.last()?,
        })
    })
}

/// Returns the portable bytes of a set.
pub(crate) fn portable(set: &RowSet) -> Vec<u8> {
    let mut writer = PostingWriter::default();
    for chunk in &set.chunks {
        writer.push_container(chunk.key, &chunk.rows);
    }
    let mut bytes = Vec::with_capacity(writer.len_bytes());
    writer.finish(&mut bytes);
    bytes
}
