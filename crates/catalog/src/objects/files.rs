//! Files by location: on the local file system and in object stores.

use std::cell::LazyCell;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::{ObjectMeta, ObjectStoreExt};

use super::calls::{Call, Generation, Stores, unreadable};
use super::listing::{self, OddKeys};
use super::reads::{Reading, read_bounded, read_coalesced, read_range, too_long, whole};
use super::roots::Roots;
use super::storage::{Storage, StorageVendor};
use super::store::ObjectUrl;
use crate::error::FileKind;
use crate::location::canonical;
use crate::{Error, Files, LocalFiles, blocking};

/// Files read at a time by [`Files::read_many`].
const PARALLEL_READS: usize = 16;

/// Files on the local file system and in S3, Google's and Azure's storage, by their locations; cheap to
/// clone. All calls block, and may be made from any thread.
#[derive(Clone, Default)]
pub struct ObjectFiles {
    stores: Arc<Stores>,
    /// Where local files may be; anywhere where there are none.
    roots: Option<Roots>,
}

/// What is known of a file without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileInfo {
    /// Its location, in canonical spelling.
    pub location: String,
    /// Its length, in bytes.
    pub len_bytes: u64,
    /// Tells one version of an object from the next; stores may not have one.
    pub etag: Option<String>,
    /// When it was last written.
    pub modified: Option<SystemTime>,
}

/// What a folder has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listed {
    /// Its files.
    pub files: Vec<FileInfo>,
    /// What it has beside them.
    pub left_out: OddKeys,
}

impl FileInfo {
    /// Returns what tells this version of the file from others: its tag, else when it was written.
    pub fn version(&self) -> Option<String> {
        let modified = || {
            let since = self.modified?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
            Some(since.as_nanos().to_string())
        };
        self.etag.clone().or_else(modified)
    }
}

impl fmt::Debug for ObjectFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectFiles").finish_non_exhaustive()
    }
}

impl ObjectFiles {
    /// Makes the files that settings lead to. Local files need none.
    pub fn new(storage: impl Into<Storage>) -> Self {
        Self::made(storage.into(), None)
    }

    /// Makes files whose credentials are renewed by a vendor, before they end and when they are refused.
    pub fn vended(storage: Storage, vendor: Arc<dyn StorageVendor>) -> Self {
        Self::made(storage, Some(vendor))
    }

    fn made(storage: Storage, vendor: Option<Arc<dyn StorageVendor>>) -> Self {
        Self {
            stores: Arc::new(Stores::new(storage, vendor)),
            roots: None,
        }
    }

    /// Returns the files without local ones outside of some folders, links resolved: what a catalog or a
    /// manifest names is foreign.
    #[must_use]
    pub fn within(self, folders: &[PathBuf]) -> Self {
        Self {
            roots: Some(Roots::new(folders)),
            ..self
        }
    }

    /// Checks that a location may be read, if it is a local one.
    ///
    /// # Errors
    /// `Unavailable` for one outside of the folders that are allowed.
    pub fn check_allowed(&self, location: &str) -> Result<(), Error> {
        self.object_url(&canonical(location)).map(|_| ())
    }

    /// Returns the address of an object; none for a local file, which may be read then.
    fn object_url(&self, location: &str) -> Result<Option<ObjectUrl>, Error> {
        let url = ObjectUrl::parse(location).map_err(unreadable(location))?;
        if let (None, Some(roots)) = (&url, &self.roots) {
            roots.check(location).map_err(unreadable(location))?;
        }
        Ok(url)
    }

    /// Takes over settings that a later load handed out.
    pub fn renew(&self, storage: Storage) {
        self.stores.renew(storage);
    }

    /// Returns what tells its stores from those of others, as far as its settings do: two stores may have
    /// objects of one location.
    pub fn place(&self) -> &str {
        self.stores.place()
    }

    /// Returns what is known of a file.
    ///
    /// # Errors
    /// `NotFound` or `Unavailable`.
    pub fn info(&self, location: &str) -> Result<FileInfo, Error> {
        let location = canonical(location);
        let Some(url) = self.object_url(&location)? else {
            let found = std::fs::metadata(&location).map_err(unreadable(&location))?;
            return Ok(FileInfo {
                len_bytes: found.len(),
                etag: None,
                modified: found.modified().ok(),
                location,
            });
        };
        let call: Call<_> = Arc::new(|store, key| Box::pin(async move { store.head(&key).await }));
        let meta = self.stores.call(&url, &location, &call)?;
        Ok(FileInfo {
            location,
            len_bytes: meta.size,
            etag: meta.e_tag,
            modified: Some(meta.last_modified.into()),
        })
    }

    /// Reads ranges of a file, several at a time; ranges that lie close together in one request.
    ///
    /// # Errors
    /// `NotFound` or `Unavailable`; `Corrupt` when the file is shorter, or, where an `etag` is given,
    /// another than that.
    pub fn read_ranges(
        &self,
        location: &str,
        ranges: &[Range<u64>],
        etag: Option<&str>,
    ) -> Result<Vec<Bytes>, Error> {
        let location = canonical(location);
        let Some(url) = self.object_url(&location)? else {
            let read = ranges.iter().map(|range| {
                let bytes = LocalFiles.read(&location, range.clone())?;
                whole(bytes, range).map_err(unreadable(&location))
            });
            return read.collect();
        };
        let (ranges, etag) = (Arc::<[_]>::from(ranges), etag.map(str::to_owned));
        let asked = Arc::clone(&ranges);
        let call: Call<_> = Arc::new(move |store, key| {
            Box::pin(read_coalesced(store, key, Arc::clone(&asked), etag.clone()))
        });
        let read = self.stores.call(&url, &location, &call)?;
        let read = read.into_iter().zip(ranges.iter());
        read.map(|(bytes, range)| whole(bytes, range).map_err(unreadable(&location)))
            .collect()
    }
}

impl ObjectFiles {
    /// Reads ranges as [`Self::read_ranges`] does, but elsewhere and to the end, whatever becomes of the
    /// caller; hands what came of it over, or drops `then` where the reading broke off.
    pub fn deliver_ranges(
        &self,
        location: String,
        ranges: Vec<Range<u64>>,
        etag: Option<String>,
        then: impl FnOnce(Result<Vec<Bytes>, Error>) + Send + 'static,
    ) {
        let files = self.clone();
        let read = move || then(files.read_ranges(&location, &ranges, etag.as_deref()));
        if let Err(error) = blocking::detach(read) {
            tracing::warn!(%error, "files cannot be fetched");
        }
    }
}

impl Files for ObjectFiles {
    fn len_bytes(&self, path: &str) -> Result<u64, Error> {
        Ok(self.info(path)?.len_bytes)
    }

    fn read(&self, path: &str, range: Range<u64>) -> Result<Bytes, Error> {
        let location = canonical(path);
        let Some(url) = self.object_url(&location)? else {
            return LocalFiles.read(path, range);
        };
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let call: Call<_> =
            Arc::new(move |store, key| Box::pin(read_range(store, key, range.clone())));
        self.stores.call(&url, &location, &call)
    }

    fn read_all(&self, path: &str, kind: FileKind, most: u64) -> Result<Bytes, Error> {
        let many = self.read_many(&[path], kind, most);
        many.into_iter().next().unwrap_or_else(|| Ok(Bytes::new()))
    }

    fn read_many(&self, paths: &[&str], kind: FileKind, most: u64) -> Vec<Result<Bytes, Error>> {
        // Asked for once, and not at all where all files are local.
        let generation = LazyCell::new(|| self.stores.generation().ok());
        let read = paths.iter().map(|path| {
            let url = self.object_url(&canonical(path)).ok()??;
            start_read(generation.as_deref()?, url, path, kind, most)
        });
        let read: Vec<_> = read.collect();
        let all = futures_util::stream::iter(read.into_iter().map(Reading::run));
        let all = all.buffered(PARALLEL_READS).collect::<Vec<_>>();
        let found = blocking::run(all).unwrap_or_default();
        let again = |(path, found): (&&str, Option<Result<Bytes, Error>>)| {
            // Local, refused or lost: one by one, with new credentials where there are some.
            found.unwrap_or_else(|| self.read_alone(path, kind, most))
        };
        let missing = std::iter::repeat_with(|| None);
        paths
            .iter()
            .zip(found.into_iter().chain(missing))
            .map(again)
            .collect()
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, Error> {
        let location = canonical(folder);
        let Some(url) = self.object_url(&location)? else {
            return LocalFiles.list(folder);
        };
        let most = growler_base::limits::METADATA_FOLDER_FILES;
        let call: Call<_> =
            Arc::new(move |store, key| Box::pin(listing::list(store, key, false, most)));
        let listed = self.stores.call(&url, &location, &call)?;
        warn_of(&listed.odd, &location);
        let names = listed.found.iter();
        let names = names.filter_map(|object| object.location.filename());
        let names: Vec<String> = names.map(str::to_owned).collect();
        match names.len() > most {
            true => Err(Error::Limit {
                file: FileKind::Metadata,
                path: location.into(),
                cause: format!("too many files limit={most}").into(),
            }),
            false => Ok(names),
        }
    }
}

impl ObjectFiles {
    /// Lists all files below a folder, those of folders in it included, in the order of their locations.
    /// Keys of a store that cannot be read as such are left out.
    ///
    /// # Errors
    /// `NotFound` or `Unavailable`; `LimitExceeded` for more than `most`.
    pub fn list_below(&self, folder: &str, most: usize) -> Result<Listed, Error> {
        let location = canonical(folder);
        let mut listed = match self.object_url(&location)? {
            None => Listed {
                files: super::folder::list_below(&location, most)?,
                left_out: OddKeys::default(),
            },
            Some(url) => {
                let call: Call<_> =
                    Arc::new(move |store, key| Box::pin(listing::list(store, key, true, most)));
                let listed = self.stores.call(&url, &location, &call)?;
                warn_of(&listed.odd, &location);
                let files = listed.found.into_iter();
                Listed {
                    files: files.map(|object| file_info(&url.root, object)).collect(),
                    left_out: listed.odd,
                }
            }
        };
        if listed.files.len() > most {
            return Err(Error::Limit {
                file: FileKind::Metadata,
                path: location.into(),
                cause: format!("too many files limit={most}").into(),
            });
        }
        listed.files.sort_by(|a, b| a.location.cmp(&b.location));
        Ok(listed)
    }

    fn read_alone(&self, path: &str, kind: FileKind, most: u64) -> Result<Bytes, Error> {
        let location = canonical(path);
        let Some(url) = self.object_url(&location)? else {
            return LocalFiles.read_all(path, kind, most);
        };
        let call: Call<_> = Arc::new(move |store, key| Box::pin(read_bounded(store, key, most)));
        let read = self.stores.call(&url, &location, &call)?;
        read.map_err(|len| too_long(&location.into(), kind, len, most))
    }
}

fn file_info(root: &str, object: ObjectMeta) -> FileInfo {
    FileInfo {
        location: format!("{root}/{}", object.location),
        len_bytes: object.size,
        etag: object.e_tag,
        modified: Some(object.last_modified.into()),
    }
}

fn warn_of(odd: &OddKeys, location: &str) {
    if let Some(first) = &odd.first {
        tracing::warn!(
            location,
            count = odd.count,
            first,
            "objects are left out of a listing: rename those whose keys have empty or dotted steps"
        );
    }
}

fn start_read(
    generation: &Generation,
    url: ObjectUrl,
    path: &str,
    kind: FileKind,
    most: u64,
) -> Option<Reading> {
    let location = canonical(path);
    let store = generation.store(&url, &location).ok()?;
    Some(Reading {
        store: store.client,
        key: url.key,
        location: location.into(),
        kind,
        most,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_files_outside_of_the_roots_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(root.join("a"), "abc").unwrap();
        std::fs::write(folder.path().join("secret"), "abc").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path().join("secret"), root.join("link")).unwrap();
        let files = ObjectFiles::default().within(std::slice::from_ref(&root));
        for (name, allowed) in [("a", true), ("../secret", false), ("link", false)] {
            let path = format!("file://{}/{name}", root.display());
            let found = [
                files.info(&path).is_ok(),
                files.check_allowed(&path).is_ok(),
                files.read(&path, 0..3).is_ok(),
                files
                    .read_ranges(&path, std::slice::from_ref(&(0..3)), None)
                    .is_ok(),
                files.read_all(&path, FileKind::Metadata, 9).is_ok(),
            ];
            assert_eq!(found, [allowed; 5], "{path}");
        }
        assert!(files.list(folder.path().to_str().unwrap()).is_err());
        assert!(
            files
                .list_below(folder.path().to_str().unwrap(), 9)
                .is_err()
        );
    }
}
