//! Deletion vectors: blob `deletion-vector-v1` of the Puffin specification.
//!
//! ```text
//! length   4 bytes, big-endian     of magic and vector
//! magic    D1 D3 39 64
//! vector   8 bytes count, little-endian; then for each, ascending:
//!          4 bytes high half of the positions, a 32-bit Roaring bitmap of the low halves
//! CRC-32   4 bytes, big-endian     of magic and vector
//! ```

use std::sync::Arc;

use growler_base::{Cursor, limits};
use roaring::RoaringBitmap;

use super::plan::{DeleteFile, DeleteKind};
use crate::error::{Error, Fault, FileKind};
use crate::files::Files;

const MAGIC: [u8; 4] = [0xd1, 0xd3, 0x39, 0x64];

/// Reads the deletion vector that a delete file describes, by its place; the footer of the Puffin
/// file is not needed.
///
/// Positions past 32 bits, which no segment has, are checked and left out.
///
/// # Errors
/// `Corrupt` when length, magic, checksum or cardinality are not what they should be;
/// `LimitExceeded`; `NotFound`, `Unavailable`.
pub fn read(files: &dyn Files, delete: &DeleteFile) -> Result<RoaringBitmap, Error> {
    let path: Arc<str> = delete.path.as_str().into();
    let fault = |fault: Fault| fault.at(FileKind::DeletionVector, &path);
    let DeleteKind::Vector {
        offset, len_bytes, ..
    } = delete.kind
    else {
        return Err(fault(Fault::corrupt("not a deletion vector")));
    };
    if len_bytes > limits::DELETION_VECTOR_LEN_BYTES {
        let limit = limits::DELETION_VECTOR_LEN_BYTES;
        let cause = format!("vector is too long len={len_bytes} limit={limit}");
        return Err(fault(Fault::Limit(cause)));
    }
    let end = offset.checked_add(len_bytes);
    let end = end.ok_or_else(|| fault(Fault::corrupt("vector lies behind all files")))?;
    let blob = files.read(&delete.path, offset..end)?;
    decode(&blob, delete.row_count).map_err(|cause| fault(Fault::corrupt(cause)))
}

/// Decodes a blob that is said to delete a number of rows.
fn decode(blob: &[u8], cardinality: u64) -> Result<RoaringBitmap, String> {
    let (length, rest) = blob.split_first_chunk::<4>().ok_or("vector is cut off")?;
    let (checked, crc) = rest.split_last_chunk::<4>().ok_or("vector is cut off")?;
    let length = u32::from_be_bytes(*length);
    if u32::try_from(checked.len()) != Ok(length) {
        let found = checked.len();
        return Err(format!("length is wrong expected={length} found={found}"));
    }
    let (expected, found) = (u32::from_be_bytes(*crc), crc32fast::hash(checked));
    if expected != found {
        return Err(format!(
            "checksum is wrong expected={expected} found={found}"
        ));
    }
    let vector = checked
        .strip_prefix(&MAGIC)
        .ok_or("magic of a deletion vector is missing")?;
    let (rows, found) = bitmaps(vector)?;
    if found != cardinality {
        return Err(format!(
            "cardinality is wrong expected={cardinality} found={found}"
        ));
    }
    Ok(rows)
}

/// The first 2^32 positions, and how many there are in all.
fn bitmaps(vector: &[u8]) -> Result<(RoaringBitmap, u64), String> {
    let mut cursor = Cursor::new(vector);
    let count = cursor.take_array().map_err(|error| error.to_string())?;
    let mut rows = RoaringBitmap::new();
    let mut cardinality = 0_u64;
    let mut last_key = None;
    for _ in 0..u64::from_le_bytes(count) {
        let key = cursor.take_array().map_err(|error| error.to_string())?;
        let key = u32::from_le_bytes(key);
        if last_key.is_some_and(|last| key <= last) {
            return Err("bitmaps are out of order".to_owned());
        }
        last_key = Some(key);
        let mut rest = cursor.rest();
        let bitmap = RoaringBitmap::deserialize_from(&mut rest)
            .map_err(|error| format!("broken bitmap: {error}"))?;
        let used = cursor.rest().len().saturating_sub(rest.len());
        let used = u64::try_from(used).map_err(|error| error.to_string())?;
        cursor.take(used).map_err(|error| error.to_string())?;
        cardinality = cardinality.saturating_add(bitmap.len());
        if key == 0 {
            rows = bitmap;
        }
    }
    match cursor.rest() {
        [] => Ok((rows, cardinality)),
        rest => Err(format!("bytes follow the vector len={}", rest.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blob(keys: &[(u32, &[u32])]) -> Vec<u8> {
        let mut checked = MAGIC.to_vec();
        checked.extend(u64::try_from(keys.len()).unwrap().to_le_bytes());
        for (key, rows) in keys {
            checked.extend(key.to_le_bytes());
            let bitmap: RoaringBitmap = rows.iter().copied().collect();
            bitmap.serialize_into(&mut checked).unwrap();
        }
        let mut blob = u32::try_from(checked.len()).unwrap().to_be_bytes().to_vec();
        let crc = crc32fast::hash(&checked);
        blob.extend(checked);
        blob.extend(crc.to_be_bytes());
        blob
    }

    #[test]
    fn vectors_are_read_and_checked() {
        let rows = |rows: &[u32]| Ok(rows.iter().copied().collect::<RoaringBitmap>());
        let sound = blob(&[(0, &[1, 5, 70_000])]);
        assert_eq!(decode(&sound, 3), rows(&[1, 5, 70_000]));
        assert_eq!(decode(&blob(&[(0, &[1]), (1, &[2])]), 2), rows(&[1]));
        assert_eq!(decode(&blob(&[]), 0), rows(&[]));
        let wrong = decode(&sound, 4).unwrap_err();
        assert_eq!(wrong, "cardinality is wrong expected=4 found=3");
        assert!(decode(&blob(&[(1, &[2]), (0, &[1])]), 2).is_err());
        let mut reasons = std::collections::BTreeSet::new();
        for position in 0..sound.len() {
            let mut changed = sound.clone();
            changed[position] ^= 0x10;
            let reason = decode(&changed, 3).unwrap_err();
            reasons.insert(reason.split(" expected").next().unwrap().to_owned());
            assert!(decode(&sound[..position], 3).is_err(), "cut at {position}");
        }
        assert!(reasons.contains("length is wrong") && reasons.contains("checksum is wrong"));
    }

    #[test]
    fn a_vector_with_a_sound_checksum_may_still_lie() {
        let mut checked = MAGIC.to_vec();
        checked.extend(u64::MAX.to_le_bytes());
        let mut blob = u32::try_from(checked.len()).unwrap().to_be_bytes().to_vec();
        let crc = crc32fast::hash(&checked);
        blob.extend(checked);
        blob.extend(crc.to_be_bytes());
        assert!(decode(&blob, 1).is_err());
    }
}
