//! Reading a range index in place.

use std::ops::Range;

use super::{
    BLOCK_ROWS, BLOCK_WORDS, CHUNK_BLOCKS, CHUNK_ROWS,
    code::Span,
    compare::{self, Block, Limits},
    directory::{self, Entry, Presence},
    slices::Frame,
    spread,
};
use crate::{Error, RowSet, RowSetBuilder, row_set::CHUNK_WORDS, wide::count_ones};

/// A range index over bytes that are not trusted.
#[derive(Debug, Clone, Copy)]
pub struct RangeView<'a> {
    payloads: &'a [u8],
    directory: &'a [u8],
    row_count: u32,
}

/// Which rows of a chunk are in a span.
enum Found {
    None,
    All,
    /// Those whose bits are set.
    Bits,
}

impl<'a> RangeView<'a> {
    /// Reads the directory of an index over `row_count` rows; the cost grows with its chunks.
    ///
    /// # Errors
    /// Corrupt, when the index is cut off or over other rows, or a chunk lies outside it.
    pub fn try_new(bytes: &'a [u8], row_count: u32) -> Result<Self, Error> {
        let (payloads, directory, held) = directory::split(bytes)?;
        if held != row_count {
            return Err(Error::damaged("range index is over another number of rows"));
        }
        let view = Self {
            payloads,
            directory,
            row_count,
        };
        for idx in 0..view.chunk_count() {
            view.chunk(idx)?;
        }
        Ok(view)
    }

    /// Returns the rows whose codes are in a span ([`Span::between`], [`Span::of_ranks`]).
    ///
    /// # Errors
    /// Corrupt, when a chunk contradicts its directory entry.
    pub fn rows(&self, span: Span) -> Result<RowSet, Error> {
        let mut set = RowSetBuilder::new();
        let mut words = [0; CHUNK_WORDS];
        for idx in 0..self.chunk_count() {
            let chunk = self.chunk(idx)?;
            match chunk.find(span, &mut words)? {
                Found::None => {}
                Found::All => set.push_range(chunk.rows),
                Found::Bits => set.push_words(u16::try_from(idx).unwrap_or(u16::MAX), &words),
            }
        }
        Ok(set.finish())
    }

    /// Counts the rows whose codes are in a span.
    ///
    /// # Errors
    /// Corrupt, when the directory contradicts itself.
    pub fn count(&self, span: Span) -> Result<u64, Error> {
        let mut count = 0;
        let mut decided = [[0; BLOCK_WORDS]; CHUNK_BLOCKS];
        for idx in 0..self.chunk_count() {
            let chunk = self.chunk(idx)?;
            match chunk.limits(span) {
                None => {}
                Some(Limits::NONE) => count += u64::from(chunk.entry.present),
                Some(limits) => {
                    count += count_ones(chunk.decide(limits, &mut decided).as_flattened());
                }
            }
        }
        Ok(count)
    }

    /// Returns the least and the greatest code; none when no row has a value.
    pub fn extent(&self) -> Option<Span> {
        let entries = (0..self.chunk_count()).filter_map(|idx| Entry::read(self.directory, idx));
        let spans = entries.filter(|entry| entry.present > 0).map(|entry| Span {
            first: entry.frame.min,
            last: entry.frame.max,
        });
        spans.reduce(|a, b| Span {
            first: a.first.min(b.first),
            last: a.last.max(b.last),
        })
    }

    fn chunk_count(&self) -> usize {
        directory::length(self.row_count).div_ceil(CHUNK_ROWS)
    }

    fn chunk(&self, idx: usize) -> Result<Chunk<'a>, Error> {
        let outside = || Error::damaged("range index has no such chunk");
        let entry = Entry::read(self.directory, idx).ok_or_else(outside)?;
        let chunk_rows = u32::try_from(CHUNK_ROWS).map_err(|_| outside())?;
        let start = u32::try_from(idx)
            .ok()
            .and_then(|idx| idx.checked_mul(chunk_rows));
        let start = start
            .filter(|start| *start < self.row_count)
            .ok_or_else(outside)?;
        let end = self.row_count.min(start.saturating_add(chunk_rows));
        let (presence, blocks) = entry.payload(self.payloads, directory::length(end - start))?;
        Ok(Chunk {
            entry,
            rows: start..end,
            presence,
            blocks,
        })
    }
}

/// A chunk whose lengths agree.
struct Chunk<'a> {
    entry: Entry,
    rows: Range<u32>,
    presence: &'a [u8],
    blocks: &'a [u8],
}

impl Chunk<'_> {
    /// Finds the rows in a span; `words` is arbitrary unless bits come back.
    fn find(&self, span: Span, words: &mut [u64; CHUNK_WORDS]) -> Result<Found, Error> {
        let Some(limits) = self.limits(span) else {
            return Ok(Found::None);
        };
        let rows = self.row_count();
        let presence = self.entry.presence(rows);
        if presence == Presence::All {
            if limits == Limits::NONE {
                return Ok(Found::All);
            }
            let (blocks, _) = words.as_chunks_mut::<BLOCK_WORDS>();
            let decided = self.decide(limits, blocks).len();
            blocks
                .iter_mut()
                .skip(decided)
                .for_each(|block| block.fill(0));
            return Ok(Found::Bits);
        }
        let mut decided = [[0; BLOCK_WORDS]; CHUNK_BLOCKS];
        let decided = self.decide(limits, &mut decided);
        words.fill(0);
        let present = self.present();
        if presence == Presence::Bits {
            spread::by_bits(self.presence, rows, present, decided, words)?;
        } else {
            let list = self.presence.get(..2 * present).unwrap_or_default();
            spread::by_list(list, rows, decided, words)?;
        }
        Ok(Found::Bits)
    }

    /// Returns what a span means for the differences held here; none when no row is in it.
    fn limits(&self, span: Span) -> Option<Limits> {
        let Frame { min, max, stored } = self.entry.frame;
        if self.entry.present == 0 || span.is_empty() || span.first > max || span.last < min {
            return None;
        }
        let above = (span.first > min).then(|| span.first - min - 1);
        let up_to = (span.last < max).then(|| span.last - min);
        Some(Limits {
            above: above.map(|limit| compare::packed(limit, stored)),
            up_to: up_to.map(|limit| compare::packed(limit, stored)),
        })
    }

    /// Decides the rows that have a value; bits behind the last one are zero.
    fn decide<'b>(&self, limits: Limits, decided: &'b mut [Block]) -> &'b mut [Block] {
        let slices = usize::try_from(self.entry.frame.stored.count_ones()).unwrap_or(64);
        let present = self.present();
        let used = present.div_ceil(BLOCK_ROWS).min(decided.len());
        let (decided, _) = decided.split_at_mut(used);
        compare::compare(self.blocks, slices, limits, decided);
        let words = decided.as_flattened_mut();
        for (idx, word) in words.iter_mut().enumerate().skip(present / 64) {
            let held = present.saturating_sub(64 * idx).min(63);
            *word &= (1 << held) - 1;
        }
        decided
    }

    fn row_count(&self) -> usize {
        directory::length(self.rows.end - self.rows.start)
    }

    fn present(&self) -> usize {
        directory::length(self.entry.present)
    }
}
