//! Files by location: on the local file system and in object stores.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt};

use super::failure::{io_error, is_behind_the_end, wants_credentials};
use super::options::StoreOptions;
use super::storage::{Storage, StorageVendor};
use super::store::ObjectUrl;
use crate::error::FileKind;
use crate::location::canonical;
use crate::secret::Properties;
use crate::{Error, Files, LocalFiles, blocking};

/// Credentials are renewed so long before they end.
const MARGIN: Duration = Duration::from_secs(60);
/// Files read at a time by [`Files::read_many`].
const PARALLEL_READS: usize = 16;

/// Files on the local file system and in S3, Google's and Azure's storage, by their locations; cheap to
/// clone. All calls block, and may be made from any thread.
#[derive(Clone, Default)]
pub struct ObjectFiles {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    storage: RwLock<Arc<Generation>>,
    vendor: Option<Arc<dyn StorageVendor>>,
    renewal: Mutex<()>,
}

/// Settings, and the clients made with them.
#[derive(Default)]
struct Generation {
    storage: Storage,
    stores: Mutex<HashMap<(String, String), Store>>,
}

#[derive(Clone)]
struct Store {
    client: Arc<dyn ObjectStore>,
    /// For the texts of its failures.
    properties: Arc<Properties>,
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

impl fmt::Debug for ObjectFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectFiles").finish_non_exhaustive()
    }
}

type Call<T> = Arc<
    dyn Fn(Arc<dyn ObjectStore>, Path) -> BoxFuture<'static, object_store::Result<T>> + Send + Sync,
>;

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
        let generation = Generation {
            storage,
            stores: Mutex::default(),
        };
        let shared = Shared {
            storage: RwLock::new(Arc::new(generation)),
            vendor,
            renewal: Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Takes over settings that a later load handed out.
    pub fn renew(&self, storage: Storage) {
        let mut current = self
            .shared
            .storage
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if current.storage != storage {
            *current = Arc::new(Generation {
                storage,
                stores: Mutex::default(),
            });
        }
    }

    /// Returns what is known of a file.
    ///
    /// # Errors
    /// `NotFound` or `Unavailable`.
    pub fn info(&self, location: &str) -> Result<FileInfo, Error> {
        let location = canonical(location);
        let Some(url) = object_url(&location)? else {
            let found = std::fs::metadata(&location).map_err(unreadable(&location))?;
            return Ok(FileInfo {
                len_bytes: found.len(),
                etag: None,
                modified: found.modified().ok(),
                location,
            });
        };
        let call: Call<_> = Arc::new(|store, key| Box::pin(async move { store.head(&key).await }));
        let meta = self.call(&url, &location, &call)?;
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
        let Some(url) = object_url(&location)? else {
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
        let read = self.call(&url, &location, &call)?;
        let read = read.into_iter().zip(ranges.iter());
        read.map(|(bytes, range)| whole(bytes, range).map_err(unreadable(&location)))
            .collect()
    }

    /// Makes a call to the store of an object; once more when its credentials were refused and others
    /// are to be had.
    fn call<T: Send + 'static>(
        &self,
        url: &ObjectUrl,
        location: &str,
        call: &Call<T>,
    ) -> Result<T, Error> {
        let generation = self.generation().map_err(unreadable(location))?;
        let failed = match self.call_once(&generation, url, location, call)? {
            Ok(answer) => return Ok(answer),
            Err(failed) => failed,
        };
        let (failure, properties) = failed;
        if wants_credentials(&failure)
            && let Some(renewed) = self.renewed(&generation)
        {
            let again = self.call_once(&renewed, url, location, call)?;
            return again.map_err(|(failure, properties)| {
                unreadable(location)(io_error(&failure, &properties))
            });
        }
        Err(unreadable(location)(io_error(&failure, &properties)))
    }

    fn call_once<T: Send + 'static>(
        &self,
        generation: &Generation,
        url: &ObjectUrl,
        location: &str,
        call: &Call<T>,
    ) -> Result<Result<T, (object_store::Error, Arc<Properties>)>, Error> {
        let store = generation
            .store(url, location)
            .map_err(unreadable(location))?;
        let future = call(store.client, url.key.clone());
        let answer = blocking::run(future).map_err(unreadable(location))?;
        Ok(answer.map_err(|failure| (failure, store.properties)))
    }

    /// Returns the present settings, renewed if they are about to end.
    fn generation(&self) -> io::Result<Arc<Generation>> {
        let current = self.current();
        let ends = current.storage.expires_at();
        let soon = SystemTime::now().checked_add(MARGIN);
        if ends.zip(soon).is_none_or(|(ends, soon)| ends > soon) {
            return Ok(current);
        }
        // Credentials that could not be renewed may still be good for a moment.
        Ok(self.renewed(&current).unwrap_or(current))
    }

    fn current(&self) -> Arc<Generation> {
        let current = self
            .shared
            .storage
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }

    /// Returns later settings than `old`; none when there are none. Callers that find the same settings
    /// refused wait for one renewal.
    fn renewed(&self, old: &Arc<Generation>) -> Option<Arc<Generation>> {
        let vendor = self.shared.vendor.as_ref()?;
        let _renewing = self
            .shared
            .renewal
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let current = self.current();
        if !Arc::ptr_eq(&current, old) {
            return Some(current);
        }
        match vendor.vend() {
            Ok(storage) if storage != old.storage => {
                self.renew(storage);
                Some(self.current())
            }
            Ok(_) => None,
            Err(error) => {
                tracing::warn!(%error, "storage credentials were not renewed");
                None
            }
        }
    }
}

impl Generation {
    fn store(&self, url: &ObjectUrl, location: &str) -> io::Result<Store> {
        let prefix = self.storage.prefix_for(location).to_owned();
        let key = (url.root.clone(), prefix);
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = stores.get(&key) {
            return Ok(store.clone());
        }
        let properties = Arc::new(self.storage.properties_for(location));
        let store = Store {
            client: url.connect(&StoreOptions::of(&properties))?,
            properties,
        };
        stores.insert(key, store.clone());
        Ok(store)
    }
}

impl Files for ObjectFiles {
    fn len_bytes(&self, path: &str) -> Result<u64, Error> {
        Ok(self.info(path)?.len_bytes)
    }

    fn read(&self, path: &str, range: Range<u64>) -> Result<Bytes, Error> {
        let location = canonical(path);
        let Some(url) = object_url(&location)? else {
            return LocalFiles.read(path, range);
        };
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let call: Call<_> =
            Arc::new(move |store, key| Box::pin(read_range(store, key, range.clone())));
        self.call(&url, &location, &call)
    }

    fn read_all(&self, path: &str, kind: FileKind, most: u64) -> Result<Bytes, Error> {
        let many = self.read_many(&[path], kind, most);
        many.into_iter().next().unwrap_or_else(|| Ok(Bytes::new()))
    }

    fn read_many(&self, paths: &[&str], kind: FileKind, most: u64) -> Vec<Result<Bytes, Error>> {
        let read = paths.iter().map(|path| self.start_read(path, kind, most));
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
        let Some(url) = object_url(&location)? else {
            return LocalFiles.list(folder);
        };
        let most = growler_base::limits::METADATA_FOLDER_FILES;
        let call: Call<_> = Arc::new(move |store, key| {
            Box::pin(async move {
                let listed = store.list_with_delimiter(Some(&key)).await?;
                let names = listed
                    .objects
                    .iter()
                    .filter_map(|object| object.location.filename());
                Ok(names
                    .map(str::to_owned)
                    .take(most.saturating_add(1))
                    .collect::<Vec<_>>())
            })
        });
        let names = self.call(&url, &location, &call)?;
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
    ///
    /// # Errors
    /// `NotFound` or `Unavailable`; `LimitExceeded` for more than `most`.
    pub fn list_below(&self, folder: &str, most: usize) -> Result<Vec<FileInfo>, Error> {
        let location = canonical(folder);
        let mut found = match object_url(&location)? {
            None => super::folder::list_below(&location, most)?,
            Some(url) => {
                let root = url.root.clone();
                let call: Call<_> = Arc::new(move |store, key| {
                    Box::pin(list_objects(store, key, root.clone(), most))
                });
                self.call(&url, &location, &call)?
            }
        };
        if found.len() > most {
            return Err(Error::Limit {
                file: FileKind::Metadata,
                path: location.into(),
                cause: format!("too many files limit={most}").into(),
            });
        }
        found.sort_by(|a, b| a.location.cmp(&b.location));
        Ok(found)
    }

    fn start_read(&self, path: &str, kind: FileKind, most: u64) -> Option<Reading> {
        let location = canonical(path);
        let url = object_url(&location).ok()??;
        let generation = self.generation().ok()?;
        let store = generation.store(&url, &location).ok()?;
        Some(Reading {
            store: store.client,
            key: url.key,
            location: location.into(),
            kind,
            most,
        })
    }

    fn read_alone(&self, path: &str, kind: FileKind, most: u64) -> Result<Bytes, Error> {
        let location = canonical(path);
        let Some(url) = object_url(&location)? else {
            return LocalFiles.read_all(path, kind, most);
        };
        let call: Call<_> = Arc::new(move |store, key| Box::pin(read_bounded(store, key, most)));
        let read = self.call(&url, &location, &call)?;
        read.map_err(|len| too_long(&location.into(), kind, len, most))
    }
}

/// One whole file that is read.
struct Reading {
    store: Arc<dyn ObjectStore>,
    key: Path,
    location: Arc<str>,
    kind: FileKind,
    most: u64,
}

impl Reading {
    /// Reads it; none when that must be tried again.
    async fn run(reading: Option<Self>) -> Option<Result<Bytes, Error>> {
        let reading = reading?;
        let read = read_bounded(reading.store, reading.key, reading.most)
            .await
            .ok()?;
        let (location, kind, most) = (reading.location, reading.kind, reading.most);
        Some(read.map_err(|len| too_long(&location, kind, len, most)))
    }
}

fn too_long(path: &Arc<str>, file: FileKind, len: u64, most: u64) -> Error {
    Error::Limit {
        file,
        path: Arc::clone(path),
        cause: format!("file is too long len={len} limit={most}").into(),
    }
}

/// Reads a whole object; its length when that is beyond the bound.
async fn read_bounded(
    store: Arc<dyn ObjectStore>,
    key: Path,
    most: u64,
) -> object_store::Result<Result<Bytes, u64>> {
    let found = store.get_opts(&key, GetOptions::default()).await?;
    if found.meta.size > most {
        return Ok(Err(found.meta.size));
    }
    found.bytes().await.map(Ok)
}

/// Reads a range as far as the object goes.
async fn read_range(
    store: Arc<dyn ObjectStore>,
    key: Path,
    range: Range<u64>,
) -> object_store::Result<Bytes> {
    let options = GetOptions {
        range: Some(GetRange::Bounded(range)),
        ..GetOptions::default()
    };
    match store.get_opts(&key, options).await {
        Ok(found) => found.bytes().await,
        Err(error) if is_behind_the_end(&error) => Ok(Bytes::new()),
        Err(error) => Err(error),
    }
}

async fn read_coalesced(
    store: Arc<dyn ObjectStore>,
    key: Path,
    ranges: Arc<[Range<u64>]>,
    etag: Option<String>,
) -> object_store::Result<Vec<Bytes>> {
    /// Gap that is read rather than asked around, in bytes.
    const GAP: u64 = 256 << 10;
    let fetch = |range: Range<u64>| {
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            if_match: etag.clone(),
            ..GetOptions::default()
        };
        let (store, key) = (Arc::clone(&store), key.clone());
        async move { store.get_opts(&key, options).await?.bytes().await }
    };
    object_store::coalesce_ranges(&ranges, fetch, GAP).await
}

async fn list_objects(
    store: Arc<dyn ObjectStore>,
    key: Path,
    root: String,
    most: usize,
) -> object_store::Result<Vec<FileInfo>> {
    let mut found = Vec::new();
    let mut objects = store.list(Some(&key));
    while let Some(object) = objects.next().await {
        let object = object?;
        found.push(FileInfo {
            location: format!("{root}/{}", object.location),
            len_bytes: object.size,
            etag: object.e_tag,
            modified: Some(object.last_modified.into()),
        });
        if found.len() > most {
            break;
        }
    }
    Ok(found)
}

fn whole(bytes: Bytes, range: &Range<u64>) -> io::Result<Bytes> {
    let expected = range.end.saturating_sub(range.start);
    match u64::try_from(bytes.len()) == Ok(expected) {
        true => Ok(bytes),
        false => {
            let found = bytes.len();
            let cause =
                format!("file is shorter than it should be expected={expected} found={found}");
            Err(io::Error::new(io::ErrorKind::UnexpectedEof, cause))
        }
    }
}

fn object_url(location: &str) -> Result<Option<ObjectUrl>, Error> {
    ObjectUrl::parse(location).map_err(unreadable(location))
}

fn unreadable(path: &str) -> impl Fn(io::Error) -> Error {
    let path: Arc<str> = path.into();
    move |source| Error::Unreadable {
        path: Arc::clone(&path),
        source,
    }
}
