//! Portable bytes of other writers, whole and broken.

use growler_index::Posting;
use proptest::prelude::*;
use roaring::RoaringBitmap;

use crate::row_set::{both, pieces};

fn portable(twin: &RoaringBitmap) -> Result<Vec<u8>, std::io::Error> {
    let mut bytes = Vec::with_capacity(twin.serialized_size());
    twin.serialize_into(&mut bytes)?;
    Ok(bytes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn postings_of_roaring_are_read(pieces in pieces(), runs in any::<bool>()) {
        let (set, mut twin) = both(&pieces);
        if runs {
            twin.optimize();
        }
        let bytes = portable(&twin)?;
        let posting = Posting::try_new(&bytes)?;
        prop_assert_eq!(posting.len(), twin.len());
        prop_assert_eq!(&posting.to_row_set()?, &set);
    }

    #[test]
    fn broken_postings_are_errors_or_sets(
        pieces in pieces(),
        at in any::<proptest::sample::Index>(),
        byte in any::<u8>(),
        len in any::<proptest::sample::Index>(),
    ) {
        let (_, mut twin) = both(&pieces);
        twin.optimize();
        let mut bytes = portable(&twin)?;
        let at = at.index(bytes.len());
        bytes[at] = byte;
        for bytes in [bytes.as_slice(), &bytes[..len.index(bytes.len())]] {
            if let Ok(rows) = Posting::try_new(bytes).and_then(|posting| posting.to_row_set()) {
                prop_assert!(rows.iter().is_sorted());
                prop_assert_eq!(rows.iter().count() as u64, rows.len());
            }
        }
    }
}
