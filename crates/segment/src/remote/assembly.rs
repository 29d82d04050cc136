//! Which blocks ranges need, and ranges out of blocks.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use bytes::{Bytes, BytesMut};
use growler_base::limits;

const BLOCK: u64 = limits::REMOTE_BLOCK_LEN_BYTES as u64;

/// Blocks of a file, by their number.
pub(crate) type Blocks = BTreeMap<u32, Bytes>;

/// Returns the numbers of the blocks that ranges touch, ascending.
pub(crate) fn touched(ranges: &[Range<u64>]) -> io::Result<Vec<u32>> {
    let mut blocks = Vec::new();
    for range in ranges.iter().filter(|range| !range.is_empty()) {
        let (first, last) = (range.start / BLOCK, range.end.saturating_sub(1) / BLOCK);
        for block in first..=last {
            let number = u32::try_from(block);
            blocks.push(number.map_err(|_| io::Error::other("file is too long to be cached"))?);
        }
    }
    blocks.sort_unstable();
    blocks.dedup();
    Ok(blocks)
}

/// Returns where a block lies in its file.
pub(crate) fn place(block: u32, file_len: u64) -> Range<u64> {
    let start = u64::from(block).saturating_mul(BLOCK);
    start..start.saturating_add(BLOCK).min(file_len)
}

/// Joins blocks that follow each other.
pub(crate) fn runs(blocks: &[u32]) -> Vec<Range<u32>> {
    let mut runs: Vec<Range<u32>> = Vec::new();
    for block in blocks {
        match runs.last_mut() {
            Some(run) if run.end == *block => run.end = block.saturating_add(1),
            _ => runs.push(*block..block.saturating_add(1)),
        }
    }
    runs
}

/// Returns the bytes of a range; without a copy when they lie in one block.
pub(crate) fn cut(blocks: &Blocks, range: &Range<u64>) -> io::Result<Bytes> {
    let missing = || io::Error::other("a block is missing");
    let len = range.end.saturating_sub(range.start);
    let mut joined = BytesMut::new();
    let mut at = range.start;
    while at < range.end {
        let number = u32::try_from(at / BLOCK).map_err(|_| missing())?;
        let block = blocks.get(&number).ok_or_else(missing)?;
        let start = usize::try_from(at % BLOCK).map_err(|_| missing())?;
        let wanted = usize::try_from(range.end.saturating_sub(at)).unwrap_or(usize::MAX);
        let end = start.saturating_add(wanted).min(block.len());
        if end <= start {
            return Err(missing());
        }
        let part = block.slice(start..end);
        at = at.saturating_add(part.len() as u64);
        if joined.is_empty() && at == range.end {
            return Ok(part);
        }
        if joined.is_empty() {
            joined.reserve(usize::try_from(len).map_err(|_| missing())?);
        }
        joined.extend_from_slice(&part);
    }
    Ok(joined.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_come_out_of_blocks() {
        let file: Vec<u8> = (0..BLOCK * 2 + 10).map(|at| (at % 251) as u8).collect();
        let file = Bytes::from(file);
        let len = file.len() as u64;
        let ranges = [0..1, BLOCK - 1..BLOCK + 1, 5..5, 0..len, len - 3..len];
        let numbers = touched(&ranges).unwrap();
        assert_eq!(numbers, [0, 1, 2]);
        let block = |number: u32| {
            let place = place(number, len);
            (number, file.slice(place.start as usize..place.end as usize))
        };
        let blocks: Blocks = numbers.into_iter().map(block).collect();
        for range in ranges {
            let expected = file.slice(range.start as usize..range.end as usize);
            assert_eq!(cut(&blocks, &range).unwrap(), expected);
        }
        assert!(cut(&blocks, &(0..len + 1)).is_err());
        assert!(cut(&Blocks::new(), &(0..1)).is_err());
    }

    #[test]
    fn neighbours_are_joined() {
        assert_eq!(runs(&[0, 1, 3, 4, 5, 9]), [0..2, 3..6, 9..10]);
        assert_eq!(runs(&[]), []);
    }
}
