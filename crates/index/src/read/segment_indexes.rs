//! The indexes of one segment.

use std::fs::File;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use growler_base::limits;
use memmap2::Mmap;

use super::slot::{Slot, State};
use super::value_index::SubjectIndexes;
use super::{Entry, Remainder, ValueIndex};
use crate::format::{Directory, Header, NoHeader, SubjectEntry, UNKNOWN};
use crate::{Error, Reading, SourceIdentity, Subject, identity};

/// The indexes of one segment: a file, mapped. A clone shares it.
#[derive(Debug, Clone)]
pub struct SegmentIndexes {
    inner: Arc<Inner>,
}

#[derive(Debug)]
pub(super) struct Inner {
    map: Mmap,
    path: Arc<Path>,
    header: Header,
    entries: Vec<Entry>,
    /// Sorted by subject.
    subjects: Vec<SubjectIndexes>,
    remainders: Vec<Remainder>,
}

impl SegmentIndexes {
    /// Opens the file at `path`, reading its header and directory; none when there is no file.
    ///
    /// # Errors
    /// Corrupt when header or directory are damaged or the file is cut off; unsupported when a
    /// later version wrote it; conflict when it is of other data than `source`; unavailable.
    pub fn open(path: &Path, source: &SourceIdentity) -> Result<Option<Self>, Error> {
        let path: Arc<Path> = path.into();
        let failed = |source| Error::io("open", &path, source);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        // SAFETY: index files are written under a temporary name and renamed into place, and never
        // written to after that; an old one that is replaced or removed stays mapped as it was.
        let map = unsafe { Mmap::map(&file) }.map_err(failed)?;
        let header = header(&map, &path)?;
        if let Some(differs) = differs(&header.source, source) {
            return Err(Error::OtherSource { path, differs });
        }
        let directory = directory(&map, &header).map_err(|cause| Error::File {
            path: path.clone(),
            cause,
        })?;
        Ok(Some(Self {
            inner: Arc::new(Inner::new(map, path, header, directory)),
        }))
    }

    /// Returns what the file holds, subject by subject.
    pub fn entries(&self) -> &[Entry] {
        &self.inner.entries
    }

    /// Returns the indexes of a column (`path` none) or key.
    pub fn subject(
        &self,
        column: &str,
        path: Option<&str>,
        reading: Reading,
    ) -> Option<ValueIndex<'_>> {
        let at = self.inner.subjects.binary_search_by(|indexes| {
            let subject = &indexes.subject;
            let key = (&*subject.column, subject.path.as_deref(), subject.reading);
            key.cmp(&(column, path, reading))
        });
        let indexes = self.inner.subjects.get(at.ok()?)?;
        Some(ValueIndex::new(&self.inner, indexes))
    }

    /// Returns the indexes of a subject.
    pub fn of_subject(&self, subject: &Subject) -> Option<ValueIndex<'_>> {
        self.subject(&subject.column, subject.path.as_deref(), subject.reading)
    }

    /// Returns what was indexed of the untyped keys of a VARIANT column.
    pub fn remainder(&self, column: &str) -> Option<&Remainder> {
        let mut remainders = self.inner.remainders.iter();
        remainders.find(|remainder| &*remainder.column == column)
    }

    /// Returns what was indexed of the untyped keys of each VARIANT column.
    pub fn remainders(&self) -> &[Remainder] {
        &self.inner.remainders
    }

    /// Returns how many rows the segment has.
    pub fn row_count(&self) -> u32 {
        self.inner.header.source.row_count
    }

    /// Returns the length of the file.
    pub fn file_len(&self) -> u64 {
        self.inner.map.len() as u64
    }

    /// Returns the hash of the configuration that the file was built for.
    pub fn config_hash(&self) -> u64 {
        self.inner.header.config_hash
    }

    /// Returns which data the file was built over.
    pub fn source(&self) -> &SourceIdentity {
        &self.inner.header.source
    }

    /// Returns where the file was opened.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Tells whether an index was found damaged since the file was opened.
    pub fn is_damaged(&self) -> bool {
        let mut slots = self
            .inner
            .subjects
            .iter()
            .flat_map(|indexes| &indexes.slots);
        slots.any(|slot| slot.state() == State::Damaged)
    }

    /// Tells whether another file, of any path, has the same contents by its header: the directory, and
    /// with it all checksums.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.inner.header == other.inner.header
    }

    /// Checks the checksum and outer structure of everything in the file and returns what is
    /// damaged; reads it all.
    pub fn verify(&self) -> Vec<Error> {
        let subjects = self.inner.subjects.iter();
        let values = subjects.map(|indexes| ValueIndex::new(&self.inner, indexes));
        values.flat_map(|values| values.verify()).collect()
    }
}

impl Inner {
    fn new(map: Mmap, path: Arc<Path>, header: Header, directory: Directory) -> Self {
        let row_count = header.source.row_count;
        let entries = directory.subjects.iter();
        let entries = entries.flat_map(|entry| entries_of(entry, row_count));
        Self {
            map,
            path,
            header,
            entries: entries.collect(),
            subjects: directory.subjects.into_iter().map(indexes_of).collect(),
            remainders: directory.remainders,
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn row_count(&self) -> u32 {
        self.header.source.row_count
    }
}

fn header(bytes: &[u8], path: &Arc<Path>) -> Result<Header, Error> {
    Header::decode(bytes).map_err(|no| match no {
        NoHeader::Version(version) => Error::Version {
            path: path.clone(),
            version,
        },
        NoHeader::Broken(cause) => Error::File {
            path: path.clone(),
            cause: cause.into(),
        },
    })
}

fn differs(found: &SourceIdentity, wanted: &SourceIdentity) -> Option<&'static str> {
    if found.len_bytes != wanted.len_bytes {
        return Some("length");
    }
    if found.row_count != wanted.row_count {
        return Some("rows");
    }
    (found.footer_hash != wanted.footer_hash).then_some("footer")
}

fn directory(bytes: &[u8], header: &Header) -> Result<Directory, Box<str>> {
    let end = header.directory_offset.checked_add(header.directory_len);
    if end != Some(bytes.len() as u64) {
        return Err("file has another length".into());
    }
    if header.directory_len > limits::INDEX_DIRECTORY_LEN_BYTES as u64 {
        return Err("directory is too large".into());
    }
    let from = usize::try_from(header.directory_offset).unwrap_or(usize::MAX);
    let directory = bytes.get(from..).unwrap_or_default();
    if identity::hash(directory) != header.directory_hash {
        return Err("directory has another checksum".into());
    }
    Directory::decode(directory, header.directory_offset)
}

fn entries_of(entry: &SubjectEntry, row_count: u32) -> impl Iterator<Item = Entry> {
    entry.blobs.iter().map(move |blob| Entry {
        subject: entry.subject.clone(),
        kind: blob.kind,
        data_type: entry.data_type,
        len_bytes: blob.len,
        distinct_count: Some(entry.counts.distinct).filter(|count| *count != UNKNOWN),
        null_count: Some(entry.counts.nulls).filter(|count| *count != UNKNOWN),
        row_count,
    })
}

fn indexes_of(entry: SubjectEntry) -> SubjectIndexes {
    let place = |offset: u64, len: u64| -> Range<usize> {
        // Checked against the mapped length when the directory was read.
        let from = usize::try_from(offset).unwrap_or(0);
        from..from.saturating_add(usize::try_from(len).unwrap_or(0))
    };
    let slots = entry.blobs.iter();
    SubjectIndexes {
        subject: entry.subject,
        data_type: entry.data_type,
        counts: entry.counts,
        slots: slots
            .map(|blob| Slot::new(blob.kind, place(blob.offset, blob.len), blob.hash))
            .collect(),
    }
}
