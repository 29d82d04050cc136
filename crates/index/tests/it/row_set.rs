//! Sets of rows against `roaring`.

use std::ops::Range;

use arrow_buffer::BooleanBuffer;
use growler_index::{RowSet, RowSetBuilder};
use proptest::prelude::*;
use roaring::RoaringBitmap;

/// Rows of the segment that sets are made for: a few chunks.
pub const ROWS: u32 = 200_000;

/// One piece of a set: sparse rows, a range, or every so many rows of a range.
#[derive(Debug, Clone)]
pub enum Piece {
    Rows(Vec<u32>),
    Range(Range<u32>),
    Steps(Range<u32>, u32),
}

fn range() -> impl Strategy<Value = Range<u32>> {
    let bound = prop_oneof![
        0..=ROWS,
        Just(65_535),
        Just(65_536),
        Just(65_537),
        Just(131_072)
    ];
    (bound.clone(), bound).prop_map(|(a, b)| a.min(b)..a.max(b))
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        proptest::collection::vec(0..ROWS, 0..100).prop_map(Piece::Rows),
        range().prop_map(Piece::Range),
        (range(), 2_u32..100).prop_map(|(range, step)| Piece::Steps(range, step)),
    ]
}

/// Makes pieces of sets.
pub fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    proptest::collection::vec(piece(), 0..4)
}

/// Returns the union of pieces as both kinds of set.
pub fn both(pieces: &[Piece]) -> (RowSet, RoaringBitmap) {
    let mut set = RowSet::new();
    let mut twin = RoaringBitmap::new();
    for piece in pieces {
        let rows: Vec<u32> = match piece {
            Piece::Rows(rows) => rows.clone(),
            Piece::Range(range) => {
                set = set.or(&RowSet::of_range(range.clone()));
                twin.insert_range(range.clone());
                continue;
            }
            Piece::Steps(range, step) => range.clone().step_by(*step as usize).collect(),
        };
        twin.extend(rows.iter().copied());
        set = set.or(&rows.into_iter().collect());
    }
    (set, twin)
}

fn check(set: &RowSet, twin: &RoaringBitmap) -> Result<(), TestCaseError> {
    prop_assert_eq!(set.len(), twin.len());
    prop_assert_eq!(set.is_empty(), twin.is_empty());
    prop_assert_eq!(set.last(), twin.max());
    prop_assert!(set.iter().eq(twin.iter()));
    prop_assert_eq!(set, &twin.iter().collect::<RowSet>());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn algebra_is_that_of_roaring(a in pieces(), b in pieces()) {
        let ((a, a_twin), (b, b_twin)) = (both(&a), both(&b));
        check(&a, &a_twin)?;
        check(&a.and(&b), &(&a_twin & &b_twin))?;
        check(&a.or(&b), &(&a_twin | &b_twin))?;
        check(&a.without(&b), &(&a_twin - &b_twin))?;
        let mut all = RoaringBitmap::new();
        all.insert_range(0..ROWS);
        check(&a.complement(ROWS), &(&all - &a_twin))?;
        prop_assert_eq!(&a.complement(ROWS).complement(ROWS), &a);
    }

    #[test]
    fn windows_and_counts_are_those_of_roaring(a in pieces(), window in range()) {
        let (set, twin) = both(&a);
        let bits: BooleanBuffer = window.clone().map(|row| twin.contains(row)).collect();
        prop_assert_eq!(set.fill(window.clone()), bits);
        prop_assert_eq!(set.len_within(window.clone()), twin.range_cardinality(window.clone()));
        prop_assert_eq!(set.contains(window.start), twin.contains(window.start));
    }

    #[test]
    fn builders_take_rows_ranges_and_masks(a in pieces(), cut in 0..ROWS) {
        let (set, _) = both(&a);
        let mut rows = RowSetBuilder::new();
        set.iter().for_each(|row| rows.push(row));
        prop_assert_eq!(&rows.finish(), &set);
        let mut masks = RowSetBuilder::new();
        masks.push_mask(0, &set.fill(0..cut));
        masks.push_mask(cut, &set.fill(cut..ROWS));
        prop_assert_eq!(&masks.finish(), &set);
    }
}

#[test]
fn the_last_row_of_all_is_a_row() {
    let set = RowSet::of_range(u32::MAX - 3..u32::MAX);
    assert_eq!(set.len(), 3);
    assert_eq!(set.last(), Some(u32::MAX - 1));
    assert_eq!(set.fill(u32::MAX - 4..u32::MAX).count_set_bits(), 3);
}
