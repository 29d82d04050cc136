//! Access to the files of a table: reading ranges and listing one folder.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use growler_base::limits;

use crate::location::canonical;
use crate::{Error, error::FileKind};

/// Where the files of tables are.
///
/// Paths are in the spelling of [`canonical`]. Implementations may keep what they read: the files of
/// a table never change.
pub trait Files: Send + Sync {
    /// Returns the length of a file, in bytes.
    ///
    /// # Errors
    /// `NotFound` or `Unavailable`.
    fn len_bytes(&self, path: &str) -> Result<u64, Error>;

    /// Reads a range of a file; what lies behind its end is left out.
    ///
    /// # Errors
    /// `NotFound` or `Unavailable`.
    fn read(&self, path: &str, range: Range<u64>) -> Result<Bytes, Error>;

    /// Lists the names of the files in a folder, in any order, folders left out.
    ///
    /// # Errors
    /// `NotFound` or `Unavailable`; `LimitExceeded` for more than
    /// [`limits::METADATA_FOLDER_FILES`].
    fn list(&self, folder: &str) -> Result<Vec<String>, Error>;

    /// Reads a whole file of a bounded length.
    ///
    /// # Errors
    /// `NotFound` or `Unavailable`; `LimitExceeded` for a file of more than `most` bytes.
    fn read_all(&self, path: &str, kind: FileKind, most: u64) -> Result<Bytes, Error> {
        let len = self.len_bytes(path)?;
        if len > most {
            return Err(Error::Limit {
                file: kind,
                path: path.into(),
                cause: format!("file is too long len={len} limit={most}").into(),
            });
        }
        self.read(path, 0..len)
    }

    /// Reads whole files, in the order asked; implementations may read several at a time, so callers
    /// ask for as many as they would hold at a time.
    fn read_many(&self, paths: &[&str], kind: FileKind, most: u64) -> Vec<Result<Bytes, Error>> {
        let paths = paths.iter();
        paths.map(|path| self.read_all(path, kind, most)).collect()
    }
}

/// Reads a whole file of a bounded length.
pub(crate) fn read_whole(
    files: &dyn Files,
    path: &Arc<str>,
    kind: FileKind,
    most: u64,
) -> Result<Bytes, Error> {
    files.read_all(path, kind, most)
}

/// Files of the local file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalFiles;

impl Files for LocalFiles {
    fn len_bytes(&self, path: &str) -> Result<u64, Error> {
        let metadata = std::fs::metadata(canonical(path)).map_err(unreadable(path))?;
        Ok(metadata.len())
    }

    fn read(&self, path: &str, range: Range<u64>) -> Result<Bytes, Error> {
        read_range(path, range)
            .map(Bytes::from)
            .map_err(unreadable(path))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(canonical(folder)).map_err(unreadable(folder))? {
            let entry = entry.map_err(unreadable(folder))?;
            if names.len() >= limits::METADATA_FOLDER_FILES {
                return Err(Error::Limit {
                    file: FileKind::Metadata,
                    path: folder.into(),
                    cause: format!("too many files limit={}", limits::METADATA_FOLDER_FILES).into(),
                });
            }
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if let (false, Ok(name)) = (is_folder, entry.file_name().into_string()) {
                names.push(name);
            }
        }
        Ok(names)
    }
}

fn read_range(path: &str, range: Range<u64>) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(canonical(path))?;
    file.seek(SeekFrom::Start(range.start))?;
    let mut bytes = Vec::new();
    // Grows with what is there, so a lying length costs nothing.
    file.take(range.end.saturating_sub(range.start))
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(path: &str) -> impl Fn(std::io::Error) -> Error {
    let path: Arc<str> = path.into();
    move |source| Error::Unreadable {
        path: Arc::clone(&path),
        source,
    }
}
