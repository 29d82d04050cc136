//! The bytes of an opened file: mapped, or fetched by ranges.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use growler_base::limits;

use crate::RangeSource;

/// The bytes of one file; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) enum FileBytes {
    /// All of them, in memory as far as anybody can tell.
    Mapped(Bytes),
    Remote(Arc<dyn RangeSource>),
}

impl FileBytes {
    pub(crate) fn len_bytes(&self) -> u64 {
        match self {
            Self::Mapped(bytes) => bytes.len() as u64,
            Self::Remote(source) => source.len_bytes(),
        }
    }

    /// Fetches ranges in one call, joined where they lie close together; mapped bytes need none.
    pub(crate) fn fetch(&self, ranges: Vec<Range<u64>>) -> io::Result<Pieces> {
        let Self::Remote(source) = self else {
            return Ok(Pieces::default());
        };
        let ranges = joined(ranges);
        if ranges.is_empty() {
            return Ok(Pieces::default());
        }
        let read = source.read_ranges(&ranges)?;
        let starts = ranges.iter().map(|range| range.start);
        Ok(Pieces(starts.zip(read).collect()))
    }
}

/// Fetched parts of a file, in the order of their places.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pieces(Vec<(u64, Bytes)>);

impl Pieces {
    /// Returns what was fetched from a place on; none when that place was not.
    pub(crate) fn from(&self, start: u64) -> Option<Bytes> {
        let after = self.0.partition_point(|(at, _)| *at <= start);
        let (at, bytes) = self.0.get(after.checked_sub(1)?)?;
        let offset = usize::try_from(start.checked_sub(*at)?).ok()?;
        (offset < bytes.len()).then(|| bytes.slice(offset..))
    }

    /// Returns a fetched range; none when it was not fetched whole.
    pub(crate) fn get(&self, start: u64, len: usize) -> Option<Bytes> {
        let bytes = self.from(start)?;
        (bytes.len() >= len).then(|| bytes.slice(..len))
    }
}

/// Sorts ranges, and joins those with little between them.
fn joined(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(limits::REMOTE_GAP_LEN_BYTES) => {
                last.end = last.end.max(range.end);
            }
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_ranges_are_joined() {
        let gap = limits::REMOTE_GAP_LEN_BYTES;
        let ranges = vec![gap + 15..gap + 30, 0..10, 5..15, 7..7, gap * 9..gap * 10];
        assert_eq!(joined(ranges), [0..gap + 30, gap * 9..gap * 10]);
    }

    #[test]
    fn pieces_are_found_by_place() {
        let pieces = Pieces(vec![
            (10, Bytes::from_static(b"abcd")),
            (20, Bytes::from_static(b"xy")),
        ]);
        for (start, len, expected) in [
            (10, 4, Some("abcd")),
            (12, 2, Some("cd")),
            (12, 3, None),
            (9, 1, None),
            (14, 1, None),
            (21, 1, Some("y")),
        ] {
            let found = pieces.get(start, len);
            assert_eq!(
                found.as_deref(),
                expected.map(str::as_bytes),
                "{start} {len}"
            );
        }
    }
}
