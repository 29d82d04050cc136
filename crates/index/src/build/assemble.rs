//! Rows with ranks to an inverted index.

use std::io::Write;
use std::ops::Range;

use super::chunk::{Record, RecordRows};
use super::ranked::Ranked;
use crate::inverted::InvertedWriter;
use crate::{Error, RowSetBuilder};

/// Writes the postings of all ranks, within so many bytes of memory.
pub(super) fn assemble(
    ranked: &mut Ranked,
    writer: &mut InvertedWriter,
    memory_bytes: usize,
    out: &mut impl Write,
) -> Result<(), Error> {
    if let Some((records, order)) = ranked.counted() {
        return by_pieces(records, order, writer, out);
    }
    // A rank takes two words, a row one; each may have a quarter.
    let window = u32::try_from(memory_bytes / 4 / 8)
        .unwrap_or(u32::MAX)
        .max(1024);
    let rows = (memory_bytes / 4 / 4).max(1024);
    let mut from = 0;
    while from < ranked.rank_count {
        let to = from.saturating_add(window).min(ranked.rank_count);
        by_counting(ranked, from..to, rows, writer, out)?;
        from = to;
    }
    Ok(())
}

/// Every chunk was counted: a posting is a piece of each.
fn by_pieces(
    records: &[Record],
    order: &[u32],
    writer: &mut InvertedWriter,
    out: &mut impl Write,
) -> Result<(), Error> {
    for &id in order {
        let pieces = records.iter().filter_map(|record| {
            let positions = record.positions(id)?;
            (!positions.is_empty()).then_some((record.key, positions))
        });
        writer.push_chunks(pieces, out)?;
    }
    Ok(())
}

/// Counts the rows of each rank of a window, and places them, as many ranks at a time as fit.
fn by_counting(
    ranked: &mut Ranked,
    window: Range<u32>,
    row_count: usize,
    writer: &mut InvertedWriter,
    out: &mut impl Write,
) -> Result<(), Error> {
    let mut counts = vec![0_u32; window.len()];
    ranked.each(|record, ranks| count(record, ranks, window.start, &mut counts))?;
    let mut from = 0;
    while from < counts.len() {
        let mut rows = 0;
        let fitting = counts.iter().skip(from).take_while(|count| {
            rows += **count as usize;
            rows <= row_count
        });
        let len = fitting.count();
        let start = window.start + u32::try_from(from).unwrap_or(u32::MAX);
        let counts = counts.get(from..from + len).unwrap_or_default();
        if counts.is_empty() {
            place_one(ranked, start, writer, out)?;
            from += 1;
        } else {
            place(ranked, start, counts, writer, out)?;
            from += len;
        }
    }
    Ok(())
}

fn count(record: &Record, ranks: &[u32], first: u32, counts: &mut [u32]) {
    let mut add = |id: u32, rows: u32| {
        let rank = ranks
            .get(id as usize)
            .map_or(u32::MAX, |rank| rank.wrapping_sub(first));
        if let Some(count) = counts.get_mut(rank as usize) {
            *count += rows;
        }
    };
    match &record.rows {
        RecordRows::Dense { ids, .. } | RecordRows::Sparse { ids, .. } => {
            ids.iter().for_each(|id| add(*id, 1));
        }
        RecordRows::Counted { starts, .. } => {
            let ends = starts.iter().skip(1);
            for (id, (from, to)) in (0..).zip(starts.iter().zip(ends)) {
                add(id, to - from);
            }
        }
    }
}

/// Places the rows of the ranks from `first` on, and writes their postings.
fn place(
    ranked: &mut Ranked,
    first: u32,
    counts: &[u32],
    writer: &mut InvertedWriter,
    out: &mut impl Write,
) -> Result<(), Error> {
    let mut sum = 0;
    let mut next: Vec<u32> = Vec::with_capacity(counts.len());
    for count in counts {
        next.push(sum);
        sum += count;
    }
    let mut rows = vec![0_u32; sum as usize];
    ranked.each(|record, ranks| {
        let base = record.row(0);
        record.each(|position, id| {
            let rank = ranks
                .get(id as usize)
                .map_or(u32::MAX, |rank| rank.wrapping_sub(first));
            if let Some(next) = next.get_mut(rank as usize)
                && let Some(slot) = rows.get_mut(*next as usize)
            {
                *slot = base | u32::from(position);
                *next += 1;
            }
        });
    })?;
    let mut rest = rows.as_slice();
    for count in counts {
        let (posting, behind) = rest.split_at_checked(*count as usize).unwrap_or_default();
        writer.push_rows(posting, out)?;
        rest = behind;
    }
    Ok(())
}

/// Writes the posting of one rank that has more rows than memory.
fn place_one(
    ranked: &mut Ranked,
    rank: u32,
    writer: &mut InvertedWriter,
    out: &mut impl Write,
) -> Result<(), Error> {
    let mut set = RowSetBuilder::new();
    ranked.each(|record, ranks| {
        record.each(|position, id| {
            if ranks.get(id as usize) == Some(&rank) {
                set.push(record.row(position));
            }
        });
    })?;
    writer.push_set(&set.finish(), out)
}
