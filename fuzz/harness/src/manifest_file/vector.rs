//! Deletion vectors, beside what the `roaring` crate reads of the same bitmaps.

use std::ops::Range;

use bytes::Bytes;
use growler_base::ErrorKind;
use growler_catalog::manifest::PartitionTuple;
use growler_catalog::table::{DeleteFile, DeleteKind, deletion_vector};
use growler_catalog::{Error, Files, SequenceNumber, SpecId};
use roaring::{RoaringBitmap, RoaringTreemap};

const MAGIC: [u8; 4] = [0xd1, 0xd3, 0x39, 0x64];
const PATH: &str = "/lake/t/v.puffin";

/// Makes a blob of bitmaps with the right length, magic and checksum.
pub(super) fn check_bitmaps(bitmaps: &[u8], cardinality: u64) {
    let checked = [&MAGIC[..], bitmaps].concat();
    let len = u32::try_from(checked.len()).unwrap_or(0);
    let crc = crc32fast::hash(&checked);
    let blob = [&len.to_be_bytes()[..], &checked, &crc.to_be_bytes()].concat();
    let twin = RoaringTreemap::deserialize_from(bitmaps).ok();
    if let (Some(rows), Some(twin)) = (read(&blob, cardinality), twin) {
        assert_eq!(twin.len(), cardinality);
        let low = twin.iter().filter_map(|row| u32::try_from(row).ok());
        assert!(low.eq(rows.iter()));
    }
}

pub(super) fn check_blob(blob: &[u8], cardinality: u64) {
    if let Some(rows) = read(blob, cardinality) {
        assert!(rows.len() <= cardinality);
    }
}

fn read(blob: &[u8], cardinality: u64) -> Option<RoaringBitmap> {
    let delete = DeleteFile {
        path: PATH.to_owned(),
        kind: DeleteKind::Vector {
            data_file: "/lake/t/d".to_owned(),
            offset: 0,
            len_bytes: u64::try_from(blob.len()).unwrap_or(0),
        },
        row_count: cardinality,
        len_bytes: 0,
        spec_id: SpecId(0),
        partition: PartitionTuple::default(),
        is_global: false,
        sequence_number: SequenceNumber(1),
    };
    match deletion_vector::read(&Blob(Bytes::copy_from_slice(blob)), &delete) {
        Ok(rows) => Some(rows),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
            assert!(error.to_string().contains(PATH), "{error}");
            None
        }
    }
}

/// The only file there is.
struct Blob(Bytes);

impl Files for Blob {
    fn len_bytes(&self, _path: &str) -> Result<u64, Error> {
        Ok(self.0.len() as u64)
    }

    fn read(&self, _path: &str, _range: Range<u64>) -> Result<Bytes, Error> {
        Ok(self.0.clone())
    }

    fn list(&self, _folder: &str) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }
}
