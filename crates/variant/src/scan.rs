//! Finding one id among the ids of an object, whatever their order.
//!
//! Only a look at every id proves that one is not there: ids ascend where a dictionary and the
//! objects on it are sorted, which writers promise and do not keep. All of them are compared, as
//! many at a time as the machine can.

/// Below this many 1-byte ids a plain loop beats the call into `memchr`.
const SHORT: usize = 24;
/// Ids compared before a hit is looked for; the compiler turns them into vector compares.
const BLOCK: usize = 128;

/// Returns the position of the first id equal to the one sought, in a table of 1- to 4-byte ids.
#[inline(always)]
pub(crate) fn position(ids: &[u8], width: usize, id: u32) -> Option<usize> {
    match width {
        1 => bytes(ids, u8::try_from(id).ok()?),
        2 => wide(ids, u16::try_from(id).ok()?.to_le_bytes()),
        3 => match id.to_le_bytes() {
            [a, b, c, 0] => wide(ids, [a, b, c]),
            _ => None,
        },
        _ => wide(ids, id.to_le_bytes()),
    }
}

#[inline(always)]
fn bytes(ids: &[u8], id: u8) -> Option<usize> {
    if ids.len() < SHORT {
        ids.iter().position(|&found| found == id)
    } else {
        memchr::memchr(id, ids)
    }
}

fn wide<const N: usize>(ids: &[u8], id: [u8; N]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the function needs AVX2 and nothing else, and the machine has it.
        return unsafe { blocks_avx2(ids, id) };
    }
    blocks(ids, id)
}

/// The same code as [`blocks`] in registers of twice the width: 1,000 ids take 22 ns in place of
/// 32, of some 38 that a row takes in all (`--bench table`, key not in the object). From far away
/// it is the memory that takes its time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn blocks_avx2<const N: usize>(ids: &[u8], id: [u8; N]) -> Option<usize> {
    blocks(ids, id)
}

/// Compares in blocks without an early exit. The last block overlaps the one before it, for a
/// loop over the rest would take as long as half of the blocks.
#[inline(always)]
fn blocks<const N: usize>(ids: &[u8], id: [u8; N]) -> Option<usize> {
    let (entries, _) = ids.as_chunks::<N>();
    let Some(last) = entries.last_chunk::<BLOCK>() else {
        return entries.iter().position(|entry| *entry == id);
    };
    let (blocks, _) = entries.as_chunks::<BLOCK>();
    let mut start = 0_usize;
    for block in blocks {
        if let Some(within) = within(block, id) {
            return start.checked_add(within);
        }
        start = start.saturating_add(BLOCK);
    }
    let start = entries.len().checked_sub(BLOCK)?;
    start.checked_add(within(last, id)?)
}

#[inline(always)]
fn within<const N: usize>(block: &[[u8; N]; BLOCK], id: [u8; N]) -> Option<usize> {
    let is_hit = block.iter().fold(false, |hit, entry| hit | (*entry == id));
    if is_hit {
        block.iter().position(|entry| *entry == id)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(width: usize, ids: &[u32]) -> Vec<u8> {
        ids.iter()
            .flat_map(|id| id.to_le_bytes().into_iter().take(width))
            .collect()
    }

    fn check<const N: usize>(ids: &[u32], sought: u32) {
        let bytes = table(N, ids);
        let expected = ids.iter().position(|id| *id == sought);
        let id: [u8; N] = *sought.to_le_bytes().first_chunk().unwrap();
        assert_eq!(blocks(&bytes, id), expected, "{N} {sought} {}", ids.len());
        assert_eq!(position(&bytes, N, sought), expected, "{N} {sought}");
    }

    /// Ids in a scrambled order, the last of them also twice.
    #[test]
    fn finds_the_first_of_every_id_at_every_length() {
        for len in [0, 1, 23, 24, 127, 128, 129, 200, 255, 256, 257, 700] {
            let mut ids: Vec<u32> = (0..len).map(|number| number * 389 % 701).collect();
            ids.extend(ids.last().copied());
            for sought in (0..710).chain([65_535, 65_536, 1 << 24, u32::MAX]) {
                if u16::try_from(sought).is_ok() {
                    check::<2>(&ids, sought);
                }
                if sought < 1 << 24 {
                    check::<3>(&ids, sought);
                }
                check::<4>(&ids, sought);
            }
        }
    }

    #[test]
    fn an_id_wider_than_the_table_is_not_there() {
        for (width, id) in [(1, 0x0100), (2, 0x0001_0000), (3, 0x0100_0000)] {
            assert_eq!(position(&[0; 48], width, id), None, "{width}");
        }
    }
}
