//! The writer of one file.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use growler_base::limits;
use growler_schema::DataType;
use tempfile::NamedTempFile;

use super::{BlobWriter, publish, temporary_file};
use crate::format::{ALIGNMENT, BlobPlace, Counts, Directory, HEADER_LEN, Header, SubjectEntry};
use crate::{Entry, Error, Kind, Remainder, SegmentIndexes, SourceIdentity, Subject, identity};

/// Bytes that are gathered before they go to the file.
const BUFFER: usize = 256 << 10;

/// Writes the indexes of one segment to a temporary file, and renames it when all are in.
///
/// Dropped before [`Self::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct IndexWriter {
    out: BufWriter<NamedTempFile>,
    offset: u64,
    folder: PathBuf,
    name: String,
    source: SourceIdentity,
    config_hash: u64,
    subjects: BTreeMap<Subject, SubjectEntry>,
    remainders: Vec<Remainder>,
    /// Whether the place in the file is not known any more.
    is_broken: bool,
}

impl IndexWriter {
    /// Begins a file that will be `folder/name`; the folder is made when it is not there.
    ///
    /// # Errors
    /// Unavailable.
    pub fn create(
        folder: &Path,
        name: &str,
        source: SourceIdentity,
        config_hash: u64,
    ) -> Result<Self, Error> {
        let failed = |source| Error::io("create", folder, source);
        let file = temporary_file(folder, name).map_err(failed)?;
        let mut out = BufWriter::with_capacity(BUFFER, file);
        // Overwritten in the end: until then the file is no index file.
        out.write_all(&[0; HEADER_LEN]).map_err(failed)?;
        Ok(Self {
            out,
            offset: HEADER_LEN as u64,
            folder: folder.to_owned(),
            name: name.to_owned(),
            source,
            config_hash,
            subjects: BTreeMap::new(),
            remainders: Vec::new(),
            is_broken: false,
        })
    }

    /// Returns the folder that the file will be in; a good place to spill to.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the rows of the segment that the file is about.
    pub fn row_count(&self) -> u32 {
        self.source.row_count
    }

    /// Copies one index of another file over the same data, its checksum checked.
    ///
    /// Indexes of one subject belong together: copy all that stay, or build all anew.
    ///
    /// # Errors
    /// Corrupt when it is damaged; conflict when it is of other data; internal when it is there
    /// already; unavailable.
    pub fn copy_from(&mut self, from: &SegmentIndexes, entry: &Entry) -> Result<(), Error> {
        if *from.source() != self.source {
            return Err(Error::OtherSource {
                path: from.path().into(),
                differs: "source",
            });
        }
        let Some(subject) = from.of_subject(&entry.subject) else {
            return Err(Error::Absent { kind: entry.kind });
        };
        let bytes = subject.blob(entry.kind)?;
        self.begin_subject(
            &entry.subject,
            subject.data_type(),
            subject.subject_counts(),
        )?;
        self.put(&entry.subject, entry.kind, |out| out.write_all(bytes))?;
        Ok(())
    }

    /// Records what was indexed of the untyped keys of a VARIANT column.
    pub fn add_remainder(&mut self, remainder: Remainder) {
        self.remainders.push(remainder);
    }

    /// Returns how many bytes were written so far.
    pub fn written_bytes(&self) -> u64 {
        self.offset
    }

    /// Begins a subject; the same again when its indexes come one by one.
    pub(crate) fn begin_subject(
        &mut self,
        subject: &Subject,
        data_type: DataType,
        counts: Counts,
    ) -> Result<(), Error> {
        let path_len = subject.path.as_ref().map_or(0, |path| path.len());
        if subject.column.len().max(path_len) > limits::INDEX_NAME_LEN_BYTES {
            return Err(Error::limit(format!("name is too long: subject={subject}")));
        }
        if self.subjects.len() >= limits::INDEX_SUBJECTS {
            return Err(Error::limit("too many columns and keys in one index file"));
        }
        let entry = self
            .subjects
            .entry(subject.clone())
            .or_insert_with(|| SubjectEntry {
                subject: subject.clone(),
                data_type,
                counts,
                blobs: Vec::new(),
            });
        if entry.data_type != data_type || entry.counts != counts {
            return Err(Error::internal(format!(
                "indexes of two builds: subject={subject}"
            )));
        }
        Ok(())
    }

    /// Corrects the counts of a subject that was begun.
    pub(crate) fn set_counts(&mut self, subject: &Subject, counts: Counts) {
        if let Some(entry) = self.subjects.get_mut(subject) {
            entry.counts = counts;
        }
    }

    /// Writes one index of a subject that was begun, and returns its length.
    pub(crate) fn put(
        &mut self,
        subject: &Subject,
        kind: Kind,
        write: impl FnOnce(&mut BlobWriter<'_, BufWriter<NamedTempFile>>) -> io::Result<()>,
    ) -> Result<u64, Error> {
        self.put_with(subject, kind, |out| {
            write(out).map_err(|source| Error::io("write", Path::new("temporary"), source))
        })
    }

    /// As [`Self::put`], for writers with errors of their own.
    pub(crate) fn put_with(
        &mut self,
        subject: &Subject,
        kind: Kind,
        write: impl FnOnce(&mut BlobWriter<'_, BufWriter<NamedTempFile>>) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        let is_there = |entry: &SubjectEntry| entry.blobs.iter().any(|blob| blob.kind == kind);
        if self.subjects.get(subject).is_none_or(is_there) {
            return Err(Error::internal(format!(
                "index written twice: subject={subject} kind={kind}"
            )));
        }
        self.align()?;
        let mut blob = BlobWriter::new(&mut self.out);
        let written = write(&mut blob);
        let (len, hash) = blob.finish();
        if let Err(error) = written {
            // What was written of it is overwritten by what comes next.
            let rewound = self.out.seek(SeekFrom::Start(self.offset));
            self.is_broken |= rewound.is_err();
            return Err(error);
        }
        let place = BlobPlace {
            kind,
            offset: self.offset,
            len,
            hash,
        };
        self.offset += len;
        if let Some(entry) = self.subjects.get_mut(subject) {
            entry.blobs.push(place);
        }
        Ok(len)
    }

    fn align(&mut self) -> Result<(), Error> {
        let padding = self.offset.next_multiple_of(ALIGNMENT) - self.offset;
        let zeros = [0; 64];
        let zeros = zeros.get(..usize::try_from(padding).unwrap_or(0));
        self.out
            .write_all(zeros.unwrap_or_default())
            .map_err(|source| Error::io("write", &self.path(), source))?;
        self.offset += padding;
        Ok(())
    }

    fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Writes the directory, makes everything durable and renames the file into place.
    ///
    /// # Errors
    /// Unavailable; limit exceeded.
    pub fn finish(mut self) -> Result<(), Error> {
        if self.is_broken {
            return Err(Error::internal("index file could not be written before"));
        }
        let directory = Directory {
            subjects: std::mem::take(&mut self.subjects).into_values().collect(),
            remainders: std::mem::take(&mut self.remainders),
        };
        let bytes = directory.encode();
        if bytes.len() > limits::INDEX_DIRECTORY_LEN_BYTES {
            return Err(Error::limit("directory of an index file is too large"));
        }
        let header = Header {
            source: self.source,
            config_hash: self.config_hash,
            directory_offset: self.offset,
            directory_len: bytes.len() as u64,
            directory_hash: identity::hash(&bytes),
        };
        let len = header.directory_offset + header.directory_len;
        let path = self.path();
        let failed = |source| Error::io("write", &path, source);
        let mut out = self.out;
        out.write_all(&bytes).map_err(failed)?;
        out.seek(SeekFrom::Start(0)).map_err(failed)?;
        out.write_all(&header.encode()).map_err(failed)?;
        let file = out
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        file.as_file().set_len(len).map_err(failed)?;
        publish(file, &self.folder, &self.name).map_err(failed)
    }
}
