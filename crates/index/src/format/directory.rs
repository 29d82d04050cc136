//! The directory.
//! ```text
//! directory = subjects u32, subject.., remainders u32, remainder..
//! subject   = column text, has a path u8, path text, reading u8, data type u8, its parameter u8,
//!             distinct values u32, null rows u32, other rows u32, indexes u8, index..
//! index     = kind u8, offset u64, length u64, hash u64
//! remainder = column text, complete u8, keys u32
//! text      = length u16, UTF-8
//! ```
//! A count that is not known is all ones. Subjects ascend by column, path (none first), reading.
//! Readers pass over readings, types and kinds that they do not know.

use std::sync::Arc;

use growler_base::{Cursor, limits};
use growler_schema::DataType;

use super::data_type;
use crate::{Kind, Reading, Remainder, Subject};

/// A count that is not known.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// What a file holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Directory {
    pub subjects: Vec<SubjectEntry>,
    pub remainders: Vec<Remainder>,
}

/// One subject and its indexes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SubjectEntry {
    pub subject: Subject,
    pub data_type: DataType,
    pub counts: Counts,
    pub blobs: Vec<BlobPlace>,
}

/// Counts of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub distinct: u32,
    pub nulls: u32,
    pub others: u32,
}

/// Where one index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlobPlace {
    pub kind: Kind,
    pub offset: u64,
    pub len: u64,
    pub hash: u64,
}

impl Directory {
    /// Lays the directory out.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_len(self.subjects.len(), &mut bytes);
        for entry in &self.subjects {
            entry.encode(&mut bytes);
        }
        put_len(self.remainders.len(), &mut bytes);
        for remainder in &self.remainders {
            put_text(&remainder.column, &mut bytes);
            bytes.push(remainder.complete.into());
            bytes.extend_from_slice(&remainder.key_count.to_le_bytes());
        }
        bytes
    }

    /// Reads a directory of a file whose blobs end at `blobs_end`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn decode(bytes: &[u8], blobs_end: u64) -> Result<Self, Box<str>> {
        let mut cursor = Cursor::new(bytes);
        let mut directory = Self::default();
        for _ in 0..len(&mut cursor)? {
            directory
                .subjects
                .extend(SubjectEntry::decode(&mut cursor, blobs_end)?);
        }
        for _ in 0..len(&mut cursor)? {
            directory.remainders.push(Remainder {
                column: text(&mut cursor)?.into(),
                complete: array::<1>(&mut cursor)? == [1],
                key_count: u32::from_le_bytes(array(&mut cursor)?),
            });
        }
        let subjects = &directory.subjects;
        if !subjects.is_sorted_by(|a, b| a.subject < b.subject) {
            return Err("directory is not sorted".into());
        }
        if !cursor.rest().is_empty() {
            return Err("directory has more bytes than entries".into());
        }
        Ok(directory)
    }
}

impl SubjectEntry {
    fn encode(&self, bytes: &mut Vec<u8>) {
        let subject = &self.subject;
        put_text(&subject.column, bytes);
        bytes.push(subject.path.is_some().into());
        put_text(subject.path.as_deref().unwrap_or_default(), bytes);
        bytes.push(match subject.reading {
            Reading::Values => 0,
            Reading::Numbers => 1,
            Reading::Json => 2,
        });
        bytes.extend_from_slice(&data_type::encode(self.data_type));
        for count in [self.counts.distinct, self.counts.nulls, self.counts.others] {
            bytes.extend_from_slice(&count.to_le_bytes());
        }
        bytes.push(u8::try_from(self.blobs.len()).unwrap_or(u8::MAX));
        for blob in &self.blobs {
            bytes.push(blob.kind.code());
            for number in [blob.offset, blob.len, blob.hash] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
    }

    /// Reads an entry; none when it has a reading or type that is not known.
    fn decode(cursor: &mut Cursor<'_>, blobs_end: u64) -> Result<Option<Self>, Box<str>> {
        let column = text(cursor)?;
        let has_path = array::<1>(cursor)? != [0];
        let path = text(cursor)?;
        let reading = match array(cursor)? {
            [0] => Some(Reading::Values),
            [1] => Some(Reading::Numbers),
            [2] => Some(Reading::Json),
            [_] => None,
        };
        let data_type = data_type::decode(array(cursor)?);
        let mut count = || Ok::<_, Box<str>>(u32::from_le_bytes(array(cursor)?));
        let counts = Counts {
            distinct: count()?,
            nulls: count()?,
            others: count()?,
        };
        let [blob_count] = array(cursor)?;
        let mut blobs: Vec<BlobPlace> = Vec::new();
        for _ in 0..blob_count {
            let Some(blob) = BlobPlace::decode(cursor, blobs_end)? else {
                continue;
            };
            if blobs.iter().any(|other| other.kind == blob.kind) {
                return Err("directory has an index twice".into());
            }
            blobs.push(blob);
        }
        let Some((reading, data_type)) = reading.zip(data_type) else {
            return Ok(None);
        };
        Ok(Some(Self {
            subject: Subject {
                column: column.into(),
                path: has_path.then(|| Arc::from(path)),
                reading,
            },
            data_type,
            counts,
            blobs,
        }))
    }
}

impl BlobPlace {
    /// Reads a place; none when its kind is not known.
    fn decode(cursor: &mut Cursor<'_>, blobs_end: u64) -> Result<Option<Self>, Box<str>> {
        let [kind] = array(cursor)?;
        let mut number = || Ok::<_, Box<str>>(u64::from_le_bytes(array(cursor)?));
        let (offset, len, hash) = (number()?, number()?, number()?);
        let inside = offset >= super::HEADER_LEN as u64
            && offset.is_multiple_of(super::ALIGNMENT)
            && offset.checked_add(len).is_some_and(|end| end <= blobs_end);
        if !inside {
            return Err(
                format!("directory has an index outside of the file: offset={offset}").into(),
            );
        }
        Ok(Kind::of_code(kind).map(|kind| Self {
            kind,
            offset,
            len,
            hash,
        }))
    }
}

fn array<const N: usize>(cursor: &mut Cursor<'_>) -> Result<[u8; N], Box<str>> {
    cursor.take_array().map_err(cut)
}

fn len(cursor: &mut Cursor<'_>) -> Result<u32, Box<str>> {
    let len = u32::from_le_bytes(array(cursor)?);
    if len as usize > limits::INDEX_SUBJECTS {
        return Err(format!("directory has too many subjects: subjects={len}").into());
    }
    Ok(len)
}

fn text<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, Box<str>> {
    let len = u16::from_le_bytes(array(cursor)?);
    let bytes = cursor.take(len.into()).map_err(cut)?;
    std::str::from_utf8(bytes).map_err(|_| "directory has a name that is no UTF-8".into())
}

fn cut(cut: growler_base::OutOfBytes) -> Box<str> {
    format!("directory is cut off: {cut}").into()
}

fn put_len(len: usize, bytes: &mut Vec<u8>) {
    // The writer holds to `limits::INDEX_SUBJECTS`.
    bytes.extend_from_slice(&u32::try_from(len).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_text(text: &str, bytes: &mut Vec<u8>) {
    // The writer holds to `limits::INDEX_NAME_LEN_BYTES`.
    let len = u16::try_from(text.len()).unwrap_or(u16::MAX);
    bytes.extend_from_slice(&len.to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}
