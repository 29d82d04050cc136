//! The header.
//! ```text
//! magic "GRWLINDX"                     8
//! format version u32, min reader u32   8
//! source: length u64, footer hash u64  16
//! source: rows u32; zeros              8
//! configuration hash u64               8
//! directory: offset, length, hash u64  24
//! zeros                                48
//! hash of the 120 bytes before u64     8
//! ```

use growler_base::{Cursor, OutOfBytes};

use super::{MIN_READER, VERSION};
use crate::identity::{SourceIdentity, hash};

/// Length of the header.
pub(crate) const HEADER_LEN: usize = 128;
/// Length of what its hash is over.
const HASHED_LEN: usize = HEADER_LEN - 8;
const MAGIC: [u8; 8] = *b"GRWLINDX";

/// The header of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub source: SourceIdentity,
    pub config_hash: u64,
    pub directory_offset: u64,
    pub directory_len: u64,
    pub directory_hash: u64,
}

/// Why bytes are no header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoHeader {
    Version(u32),
    Broken(&'static str),
}

impl Header {
    /// Lays the header out.
    pub fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = Vec::with_capacity(HEADER_LEN);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&MIN_READER.to_le_bytes());
        for number in [
            self.source.len_bytes,
            self.source.footer_hash,
            self.source.row_count.into(),
            self.config_hash,
            self.directory_offset,
            self.directory_len,
            self.directory_hash,
        ] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.resize(HASHED_LEN, 0);
        let hash = hash(&bytes);
        bytes.extend_from_slice(&hash.to_le_bytes());
        let mut header = [0; HEADER_LEN];
        header.copy_from_slice(&bytes);
        header
    }

    /// Reads a header.
    pub fn decode(bytes: &[u8]) -> Result<Self, NoHeader> {
        Self::parse(bytes).unwrap_or(Err(NoHeader::Broken("file is cut off in its header")))
    }

    fn parse(bytes: &[u8]) -> Result<Result<Self, NoHeader>, OutOfBytes> {
        let mut cursor = Cursor::new(bytes);
        if cursor.take_array()? != MAGIC {
            return Ok(Err(NoHeader::Broken("file has another magic")));
        }
        let _version = u32::from_le_bytes(cursor.take_array()?);
        let min_reader = u32::from_le_bytes(cursor.take_array()?);
        let hashed = Cursor::new(bytes).take(HASHED_LEN as u64)?;
        let mut tail = Cursor::new(bytes.get(HASHED_LEN..).unwrap_or_default());
        let sound = hash(hashed) == u64::from_le_bytes(tail.take_array()?);
        // A later version may hash otherwise, so its number comes first; a flipped bit in it says
        // unsupported where it should say damaged, and the file is not read either way.
        if min_reader > VERSION {
            return Ok(Err(NoHeader::Version(min_reader)));
        }
        if !sound {
            return Ok(Err(NoHeader::Broken("header has another checksum")));
        }
        let mut number = || Ok(u64::from_le_bytes(cursor.take_array()?));
        let (len_bytes, footer_hash, row_count) = (number()?, number()?, number()?);
        let header = Self {
            source: SourceIdentity {
                len_bytes,
                footer_hash,
                row_count: match u32::try_from(row_count) {
                    Ok(row_count) => row_count,
                    Err(_) => return Ok(Err(NoHeader::Broken("header has too many rows"))),
                },
            },
            config_hash: number()?,
            directory_offset: number()?,
            directory_len: number()?,
            directory_hash: number()?,
        };
        Ok(Ok(header))
    }
}
