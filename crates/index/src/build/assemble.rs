//! Rows with ranks to an inverted index.

use std::io::Write;

use super::buckets::Buckets;
use super::chunk::Record;
use super::ranked::{Ranked, RankedRows};
use crate::Error;
use crate::inverted::InvertedWriter;

/// Writes the postings of all ranks, within so many bytes of memory.
pub(super) fn assemble(
    ranked: &mut Ranked,
    writer: &mut InvertedWriter,
    memory_bytes: usize,
    out: &mut impl Write,
) -> Result<(), Error> {
    let rank_count = ranked.rank_count;
    if let RankedRows::Counted(records) = &ranked.rows {
        return by_pieces(records, rank_count, writer, out);
    }
    let (ranks, rows) = (0..rank_count, ranked.row_count());
    Buckets::count(ranked, ranks, rows, memory_bytes)?.write(ranked, writer, out)
}

/// Rows of a piece from which copying it as it is beats copying its rows one by one.
const PIECE_ROWS: u64 = 64;

/// Every chunk was counted: a posting is a piece of each.
fn by_pieces(
    records: &[Record],
    rank_count: u32,
    writer: &mut InvertedWriter,
    out: &mut impl Write,
) -> Result<(), Error> {
    let rows: u64 = records.iter().map(|record| record.len() as u64).sum();
    let pieces = records.len() as u64 * u64::from(rank_count);
    if rows < pieces * PIECE_ROWS {
        return by_rows(records, rank_count, writer, out);
    }
    for rank in 0..rank_count {
        let pieces = records.iter().filter_map(|record| {
            let positions = record.positions(rank)?;
            (!positions.is_empty()).then_some((record.key, positions))
        });
        writer.push_chunks(pieces, out)?;
    }
    Ok(())
}

/// As [`by_pieces`], for small pieces.
fn by_rows(
    records: &[Record],
    rank_count: u32,
    writer: &mut InvertedWriter,
    out: &mut impl Write,
) -> Result<(), Error> {
    let mut rows = Vec::new();
    for rank in 0..rank_count {
        rows.clear();
        for record in records {
            record.append(rank, &mut rows);
        }
        writer.push_rows(&rows, out)?;
    }
    Ok(())
}
