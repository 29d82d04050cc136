//! From a path to mapped bytes and a parsed footer.
//!
//! ```text
//! "PAR1" | pages of all row groups, page indexes | FileMetaData (Thrift) | length: u32 LE | "PAR1"
//! ```

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use growler_base::{RowId, SegmentId, limits};
use memmap2::Mmap;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use crate::bytes::FileBytes;
use crate::{Error, Place, RangeSource, RowGroup, thrift_check};

const MAGIC: &[u8] = b"PAR1";
const MAGIC_ENCRYPTED: &[u8] = b"PARE";
/// Length of the footer and the magic at the end.
const TAIL: usize = 8;

/// What a file is opened as.
pub(crate) struct Opened {
    pub(crate) id: SegmentId,
    pub(crate) path: Arc<Path>,
    pub(crate) bytes: FileBytes,
    pub(crate) metadata: ParquetMetaData,
    pub(crate) footer: Bytes,
    pub(crate) row_groups: Vec<RowGroup>,
    pub(crate) row_count: usize,
}

/// Maps a file and parses its footer.
pub(crate) fn open(path: &Path) -> Result<Opened, Error> {
    let path: Arc<Path> = path.into();
    let bytes = map(&path)?;
    let tail = Tail {
        bytes: bytes.clone(),
        file_len: bytes.len() as u64,
    };
    let footer = match tail.footer(&path)? {
        Some(footer) => footer,
        None => return Err(tail.cut_off(&path)),
    };
    parse(path, FileBytes::Mapped(bytes), footer)
}

/// Fetches the footer of a file and parses it: one range as a rule, another for a long footer.
pub(crate) fn open_source(path: &Path, source: Arc<dyn RangeSource>) -> Result<Opened, Error> {
    let path: Arc<Path> = path.into();
    let file_len = source.len_bytes();
    if file_len == 0 {
        return Err(refused(&path, "file is empty".to_owned()));
    }
    let fetch = |len: u64| {
        let range = file_len.saturating_sub(len)..file_len;
        let read = source.read_ranges(std::slice::from_ref(&range));
        let bytes = read.and_then(|read| {
            let bytes = read.into_iter().next().unwrap_or_default();
            let is_whole = bytes.len() as u64 == range.end.saturating_sub(range.start);
            is_whole
                .then_some(bytes)
                .ok_or(std::io::ErrorKind::UnexpectedEof.into())
        });
        let bytes = bytes.map_err(|source| Error::Unreadable {
            path: path.clone(),
            source,
        })?;
        Ok(Tail { bytes, file_len })
    };
    let mut tail = fetch(limits::REMOTE_SUFFIX_LEN_BYTES)?;
    let mut footer = tail.footer(&path)?;
    if footer.is_none() {
        tail = fetch(tail.footer_len(&path)?.saturating_add(TAIL as u64))?;
        footer = tail.footer(&path)?;
    }
    let footer = footer.ok_or_else(|| tail.cut_off(&path))?;
    parse(path, FileBytes::Remote(source), footer)
}

fn parse(path: Arc<Path>, bytes: FileBytes, footer: Bytes) -> Result<Opened, Error> {
    let id = segment_id(&path);
    let damaged = |cause: String| Error::Footer {
        path: path.clone(),
        cause: cause.into(),
    };
    thrift_check::check_footer(&footer)
        .map_err(|cause| damaged(format!("footer does not parse: {cause}")))?;
    let metadata = ParquetMetaDataReader::decode_metadata(&footer)
        .map_err(|error| damaged(format!("footer does not parse: {error}")))?;
    let (row_groups, row_count) = row_groups(&metadata, &path, &id)?;
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

/// The end of a file.
struct Tail {
    bytes: Bytes,
    file_len: u64,
}

impl Tail {
    /// Returns the footer; none when it begins before these bytes.
    fn footer(&self, path: &Arc<Path>) -> Result<Option<Bytes>, Error> {
        let len = self.footer_len(path)?;
        let end = self.bytes.len().saturating_sub(TAIL);
        let start = usize::try_from(len)
            .ok()
            .and_then(|len| end.checked_sub(len));
        Ok(start.map(|start| self.bytes.slice(start..end)))
    }

    /// Returns the length of the footer, which fits into the file.
    fn footer_len(&self, path: &Arc<Path>) -> Result<u64, Error> {
        let tail = self.bytes.split_last_chunk::<TAIL>();
        let Some((before, [a, b, c, d, magic @ ..])) = tail else {
            return Err(self.cut_off(path));
        };
        let place = || {
            Box::new(Place {
                segment: segment_id(path),
                row_group: None,
                column: None,
            })
        };
        if magic.as_slice() == MAGIC_ENCRYPTED {
            return Err(Error::Unsupported {
                place: place(),
                cause: "encrypted footer".into(),
            });
        }
        // What a remote file begins with is not worth another request.
        let is_whole = self.bytes.len() as u64 == self.file_len;
        if magic.as_slice() != MAGIC || (is_whole && !before.starts_with(MAGIC)) {
            return Err(self.cut_off(path));
        }
        let len = u64::from(u32::from_le_bytes([*a, *b, *c, *d]));
        let limit = limits::FOOTER_LEN_BYTES;
        if len > limit as u64 {
            let cause = format!("footer is too long: lenBytes={len} limit={limit}");
            return Err(Error::Limit {
                place: place(),
                cause: cause.into(),
            });
        }
        let around = (MAGIC.len() + TAIL) as u64;
        if len.saturating_add(around) > self.file_len {
            let file_len = self.file_len;
            let cause =
                format!("footer is longer than the file: footerLen={len} fileLen={file_len}");
            return Err(refused(path, cause));
        }
        Ok(len)
    }

    fn cut_off(&self, path: &Arc<Path>) -> Error {
        let cause = "no PAR1 at its end: no parquet file, or cut off";
        refused(path, cause.to_owned())
    }
}

fn refused(path: &Arc<Path>, cause: String) -> Error {
    Error::Footer {
        path: path.clone(),
        cause: cause.into(),
    }
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
