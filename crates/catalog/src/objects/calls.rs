//! Calls to the stores of objects, with credentials that are renewed.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use futures_util::future::BoxFuture;
use object_store::aws::AwsCredential;
use object_store::path::Path;

use super::failure::{io_error, wants_credentials};
use super::options::StoreOptions;
use super::storage::{Storage, StorageVendor};
use super::store::{Bucket, ObjectUrl};
use crate::aws::Signer;
use crate::secret::Properties;
use crate::{Error, blocking};

/// Credentials are renewed so long before they end.
const MARGIN: Duration = Duration::from_secs(60);
/// The vendor is left alone so long after it answered or failed: not every read that is refused may ask it.
const PAUSE: Duration = Duration::from_secs(30);

/// The stores that settings lead to.
#[derive(Default)]
pub(crate) struct Stores {
    /// Where the stores are, going by the settings at the beginning: it does not change.
    place: String,
    storage: RwLock<Arc<Generation>>,
    vendor: Option<Arc<dyn StorageVendor>>,
    /// Whether a vendor or a load has handed out settings yet.
    handed_out: AtomicBool,
    renewal: Mutex<Option<Vended>>,
}

/// How the vendor was asked last.
struct Vended {
    ended: Instant,
    failure: Option<String>,
}

/// Settings, and the clients made with them.
#[derive(Default)]
pub(crate) struct Generation {
    storage: Storage,
    stores: Mutex<HashMap<(String, String), Store>>,
}

#[derive(Clone)]
pub(crate) struct Store {
    pub(crate) client: Arc<dyn Bucket>,
    /// Who assumes a role for it, if anybody.
    signer: Option<Signer>,
    /// For the texts of its failures.
    properties: Arc<Properties>,
}

/// A call that failed.
struct Failed {
    failure: object_store::Error,
    /// The keys of a role that it was made with.
    used: Option<Arc<AwsCredential>>,
    store: Store,
}

/// What is asked of a store about one object.
pub(crate) type Call<T> =
    Arc<dyn Fn(Arc<dyn Bucket>, Path) -> BoxFuture<'static, object_store::Result<T>> + Send + Sync>;

impl Stores {
    pub(crate) fn new(storage: Storage, vendor: Option<Arc<dyn StorageVendor>>) -> Self {
        let place = storage.place();
        let generation = Generation {
            storage,
            stores: Mutex::default(),
        };
        Self {
            place,
            storage: RwLock::new(Arc::new(generation)),
            vendor,
            handed_out: AtomicBool::new(false),
            renewal: Mutex::default(),
        }
    }

    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// Takes over settings that a later load handed out.
    pub(crate) fn renew(&self, storage: Storage) {
        self.handed_out.store(true, Ordering::Release);
        let mut current = self.storage.write().unwrap_or_else(PoisonError::into_inner);
        if current.storage != storage {
            *current = Arc::new(Generation {
                storage,
                stores: Mutex::default(),
            });
        }
    }

    /// Makes a call to the store of an object; once more when its credentials were refused and others
    /// are to be had.
    pub(crate) fn call<T: Send + 'static>(
        self: &Arc<Self>,
        url: &ObjectUrl,
        location: &str,
        call: &Call<T>,
    ) -> Result<T, Error> {
        let generation = self.generation().map_err(unreadable(location))?;
        let failed = match self.call_once(&generation, url, location, call)? {
            Ok(answer) => return Ok(answer),
            Err(failed) => failed,
        };
        if wants_credentials(&failed.failure)
            && let Some(renewed) = self.renewed_for(&generation, &failed)
        {
            let again = self.call_once(&renewed, url, location, call)?;
            return again.map_err(|failed| unreadable(location)(failed.io_error()));
        }
        Err(unreadable(location)(failed.io_error()))
    }

    /// Returns settings that may be let in where others were refused: later ones, or the same with new
    /// keys of a role.
    fn renewed_for(
        self: &Arc<Self>,
        generation: &Arc<Generation>,
        failed: &Failed,
    ) -> Option<Arc<Generation>> {
        let Some(signer) = failed.store.signer.clone() else {
            return self.renewed(generation).ok().flatten();
        };
        let refused = failed.used.clone()?;
        let other = blocking::run(async move { signer.instead_of(&refused).await });
        other.ok()?.ok()?.map(|_| Arc::clone(generation))
    }

    fn call_once<T: Send + 'static>(
        &self,
        generation: &Generation,
        url: &ObjectUrl,
        location: &str,
        call: &Call<T>,
    ) -> Result<Result<T, Failed>, Error> {
        let store = generation
            .store(url, location)
            .map_err(unreadable(location))?;
        let future = call(Arc::clone(&store.client), url.key.clone());
        let signer = store.signer.clone();
        let answer = blocking::run(async move {
            // Others may renew the keys while this call is under way: what it begins with counts.
            let used = match signer {
                Some(signer) => Some(signer.current().await.map_err(|failure| (failure, None))?),
                None => None,
            };
            future.await.map_err(|failure| (failure, used))
        });
        let answer = answer.map_err(unreadable(location))?;
        Ok(answer.map_err(|(failure, used)| Failed {
            failure,
            used,
            store,
        }))
    }

    /// Returns the present settings, renewed if they are about to end; those of the vendor when none but
    /// bare ones are there, as after a start.
    pub(crate) fn generation(self: &Arc<Self>) -> io::Result<Arc<Generation>> {
        let current = self.current();
        if self.vendor.is_some()
            && !self.handed_out.load(Ordering::Acquire)
            && !current.storage.has_credentials()
        {
            return Ok(self.renewed(&current)?.unwrap_or(current));
        }
        let ends = current.storage.expires_at();
        let soon = SystemTime::now().checked_add(MARGIN);
        if ends.zip(soon).is_none_or(|(ends, soon)| ends > soon) {
            return Ok(current);
        }
        // Credentials that could not be renewed may still be good for a moment.
        Ok(self.renewed(&current).ok().flatten().unwrap_or(current))
    }

    fn current(&self) -> Arc<Generation> {
        let current = self.storage.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }

    /// Returns later settings than `old`; none when there are none. Callers that find the same settings
    /// refused wait for one renewal, and go by what it came to: none of theirs ends it by its interrupt.
    fn renewed(self: &Arc<Self>, old: &Arc<Generation>) -> io::Result<Option<Arc<Generation>>> {
        let Some(vendor) = self.vendor.clone() else {
            return Ok(None);
        };
        let (stores, old) = (Arc::clone(self), Arc::clone(old));
        blocking::apart(move || stores.vended(vendor.as_ref(), &old))?
    }

    fn vended(
        &self,
        vendor: &dyn StorageVendor,
        old: &Arc<Generation>,
    ) -> io::Result<Option<Arc<Generation>>> {
        let mut last = self.renewal.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.current();
        if !Arc::ptr_eq(&current, old) {
            return Ok(Some(current));
        }
        if last.as_ref().is_none_or(Vended::is_past) {
            let failure = match vendor.vend() {
                Ok(storage) => {
                    self.renew(storage);
                    None
                }
                Err(error) => {
                    tracing::warn!(%error, "storage credentials were not renewed");
                    Some(error.to_string())
                }
            };
            let ended = Instant::now();
            *last = Some(Vended { ended, failure });
        }
        if let Some(failure) = last.as_ref().and_then(|last| last.failure.as_ref()) {
            let cause = format!("catalog hands out no storage credentials: {failure}");
            return Err(io::Error::other(cause));
        }
        let current = self.current();
        Ok((!Arc::ptr_eq(&current, old)).then_some(current))
    }
}

impl Failed {
    fn io_error(&self) -> io::Error {
        io_error(&self.failure, &self.store.properties)
    }
}

impl Vended {
    fn is_past(&self) -> bool {
        self.ended.elapsed() >= PAUSE
    }
}

impl Generation {
    pub(crate) fn store(&self, url: &ObjectUrl, location: &str) -> io::Result<Store> {
        let prefix = self.storage.prefix_for(location).to_owned();
        let key = (url.root.clone(), prefix);
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = stores.get(&key) {
            return Ok(store.clone());
        }
        let properties = Arc::new(self.storage.properties_for(location));
        let (client, signer) = url.connect(&StoreOptions::of(&properties))?;
        let store = Store {
            client,
            signer,
            properties,
        };
        stores.insert(key, store.clone());
        Ok(store)
    }
}

pub(crate) fn unreadable(path: &str) -> impl Fn(io::Error) -> Error {
    let path: Arc<str> = path.into();
    move |source| Error::Unreadable {
        path: Arc::clone(&path),
        source,
    }
}
