//! From a path to mapped bytes and a parsed footer.
//!
//! ```text
//! "PAR1" | pages of all row groups, page indexes | FileMetaData (Thrift) | length: u32 LE | "PAR1"
//! ```

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use growler_base::{RowId, SegmentId, limits};
use memmap2::Mmap;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use crate::{Error, Place, RowGroup, thrift_check};

const MAGIC: &[u8] = b"PAR1";
const MAGIC_ENCRYPTED: &[u8] = b"PARE";
/// Length of the footer and the magic at the end.
const TAIL: usize = 8;

/// What a file is opened as.
pub(crate) struct Opened {
    pub(crate) id: SegmentId,
    pub(crate) path: Arc<Path>,
    pub(crate) bytes: Bytes,
    pub(crate) metadata: ParquetMetaData,
    pub(crate) footer: Range<usize>,
    pub(crate) row_groups: Vec<RowGroup>,
    pub(crate) row_count: usize,
}

/// Maps a file and parses its footer.
pub(crate) fn open(path: &Path) -> Result<Opened, Error> {
    let path: Arc<Path> = path.into();
    let id = segment_id(&path);
    let bytes = map(&path)?;
    let footer = footer(&path, &id, &bytes)?;
    let damaged = |cause: String| Error::Footer {
        path: path.clone(),
        cause: cause.into(),
    };
    thrift_check::check_footer(footer)
        .map_err(|cause| damaged(format!("footer does not parse: {cause}")))?;
    let metadata = ParquetMetaDataReader::decode_metadata(footer)
        .map_err(|error| damaged(format!("footer does not parse: {error}")))?;
    let (row_groups, row_count) = row_groups(&metadata, &path, &id)?;
    let end = bytes.len().saturating_sub(TAIL);
    let footer = end.saturating_sub(footer.len())..end;
    Ok(Opened {
        id,
        path,
        bytes,
        metadata,
        footer,
        row_groups,
        row_count,
    })
}

fn segment_id(path: &Path) -> SegmentId {
    let name = path.file_name().unwrap_or(path.as_os_str());
    SegmentId::new(name.to_string_lossy().as_ref())
}

fn map(path: &Arc<Path>) -> Result<Bytes, Error> {
    let unreadable = |source| Error::Unreadable {
        path: path.clone(),
        source,
    };
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    let refused = |cause: &str| Error::Footer {
        path: path.clone(),
        cause: cause.into(),
    };
    if !metadata.is_file() {
        return Err(refused("not a regular file"));
    }
    // Mapping nothing is an error of its own.
    if metadata.len() == 0 {
        return Err(refused("file is empty"));
    }
    // SAFETY: data files are immutable by contract (architecture, idea 5); nothing here writes to
    // one. A file cut short by somebody else while it is mapped would raise SIGBUS on access, as
    // with every memory-mapped reader.
    let map = unsafe { Mmap::map(&file) }.map_err(unreadable)?;
    Ok(Bytes::from_owner(map))
}

fn footer<'a>(path: &Arc<Path>, id: &SegmentId, bytes: &'a [u8]) -> Result<&'a [u8], Error> {
    let refused = |cause: String| Error::Footer {
        path: path.clone(),
        cause: cause.into(),
    };
    let cut = || refused("no PAR1 at its end: no parquet file, or cut off".to_owned());
    let (before, tail) = bytes.split_last_chunk::<TAIL>().ok_or_else(cut)?;
    let [a, b, c, d, magic @ ..] = tail;
    if magic.as_slice() == MAGIC_ENCRYPTED {
        let place = Place {
            segment: id.clone(),
            row_group: None,
            column: None,
        };
        return Err(Error::Unsupported {
            place: Box::new(place),
            cause: "encrypted footer".into(),
        });
    }
    if magic.as_slice() != MAGIC || !before.starts_with(MAGIC) {
        return Err(cut());
    }
    let len = u32::from_le_bytes([*a, *b, *c, *d]);
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    if len > limits::FOOTER_LEN_BYTES {
        let cause = format!(
            "footer is too long: lenBytes={len} limit={}",
            limits::FOOTER_LEN_BYTES
        );
        let place = Place {
            segment: id.clone(),
            row_group: None,
            column: None,
        };
        return Err(Error::Limit {
            place: Box::new(place),
            cause: cause.into(),
        });
    }
    let start = before
        .len()
        .checked_sub(len)
        .filter(|start| *start >= MAGIC.len());
    start.and_then(|start| before.get(start..)).ok_or_else(|| {
        refused(format!(
            "footer is longer than the file: footerLen={len} fileLen={}",
            bytes.len()
        ))
    })
}

fn row_groups(
    metadata: &ParquetMetaData,
    path: &Arc<Path>,
    id: &SegmentId,
) -> Result<(Vec<RowGroup>, usize), Error> {
    let mut groups = Vec::with_capacity(metadata.num_row_groups());
    let mut first: u32 = 0;
    for group in metadata.row_groups() {
        let rows = u32::try_from(group.num_rows()).ok();
        // Doc ids are INT.
        let next = rows
            .and_then(|rows| first.checked_add(rows))
            .filter(|n| *n <= i32::MAX as u32);
        let (Some(rows), Some(next)) = (rows, next) else {
            if group.num_rows() < 0 {
                let cause = "a row group has a negative row count".into();
                return Err(Error::Footer {
                    path: path.clone(),
                    cause,
                });
            }
            let place = Place {
                segment: id.clone(),
                row_group: None,
                column: None,
            };
            let cause = format!("more rows than a segment may have: limit={}", i32::MAX);
            return Err(Error::Limit {
                place: Box::new(place),
                cause: cause.into(),
            });
        };
        groups.push(RowGroup {
            row_count: rows as usize,
            first_row: RowId(first),
        });
        first = next;
    }
    Ok((groups, first as usize))
}
