//! Bytes that lie, behind a checksum that does not.

use super::{Inverted, InvertedWriter};
use crate::posting::Posting;
use crate::row_set::Union;

const ROWS: u32 = 70_000;

/// Returns an index with short postings, long ones, and rows of one rank in runs; with so many rows
/// announced, which decides about the form of its counts.
fn sample(rows: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = InvertedWriter::new(ROWS, (6, rows), 1 << 20, &std::env::temp_dir());
    let postings: [Vec<u32>; 6] = [
        vec![0, 5, 69_999],
        (1..3000).step_by(2).collect(),
        vec![2],
        (3000..66_000).collect(),
        (66_001..69_000).step_by(40).collect(),
        vec![66_000],
    ];
    for rows in &postings {
        writer.push_rows(rows, &mut bytes).unwrap();
    }
    writer.finish(&mut bytes).unwrap();
    bytes
}

/// Asks everything; whatever comes back must be sets of rows.
fn ask(bytes: &[u8]) {
    let Ok(inverted) = Inverted::try_new(bytes, ROWS, ROWS) else {
        return;
    };
    let ranks = inverted.ranks().min(10);
    let _ = inverted.counts(0..ranks);
    for rank in 0..ranks {
        let _ = inverted.count(&(rank..ranks));
        if let Ok(rows) = inverted.rank_rows(rank) {
            assert!(
                rows.iter().take(9000).is_sorted() && rows.last().is_none_or(|last| last < ROWS)
            );
        }
        let mut union = Union::default();
        if inverted.add_to(&(rank..ranks), &mut union).is_ok() {
            assert!(union.finish().last().is_none_or(|last| last < ROWS));
        }
    }
}

#[test]
fn lying_bytes_are_errors_or_sets() {
    for (rows, places) in [(1, 400), (u64::MAX, 220)] {
        let sound = sample(rows);
        let inverted = Inverted::try_new(&sound, ROWS, ROWS).unwrap();
        assert_eq!(inverted.counts(0..6).unwrap(), [3, 1500, 1, 63_000, 75, 1]);
        assert_eq!(inverted.counts(2..4).unwrap(), [1, 63_000]);
        assert!(inverted.counts(6..6).unwrap().is_empty());
        assert_eq!(inverted.count(&(1..5)).unwrap(), 64_576);
        lie(&sound, places);
    }
}

/// Changes the last bytes one by one, others here and there, and cuts.
fn lie(sound: &[u8], places: usize) {
    // The footer and the long entries byte by byte, the rows here and there.
    let places = (0..sound.len()).rev().take(places);
    for at in places.chain((0..sound.len()).step_by(499)) {
        for change in [1, 0xFF] {
            let mut lying = sound.to_vec();
            lying[at] ^= change;
            ask(&lying);
        }
    }
    for len in (0..sound.len()).step_by(151) {
        ask(&sound[..len]);
        ask(&sound[len..]);
    }
    assert!(Posting::try_new(sound).is_ok());
}
