//! What all handlers share.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::sync::Semaphore;

use growler_table::store::Store;
use growler_table::sync::ReloadProgress;

use crate::backend::Backend;
use crate::external::{ExternalParts, Watchers};
use crate::query::{Admission, RunningQueries};
use crate::reload::{Asked, Reloads};
use crate::shadow::Verifier;
use crate::tables::external::External;
use crate::tables::{Catalog, keep};
use crate::{Error, ServerConfig, ServerLimits};

/// Admin calls that may block at a time.
const ADMIN_PLACES: usize = 16;

/// The running server's parts.
pub struct App {
    /// The engine.
    pub backend: Arc<dyn Backend>,
    /// Schemas and tables.
    pub catalog: Catalog,
    /// Reloads of tables.
    pub reloads: Arc<Reloads>,
    /// Queries asked again without indexes.
    pub shadow: Verifier,
    /// Gate before the engine.
    pub admission: Admission,
    /// Places for admin calls that block a thread, which leave most threads to queries.
    pub admin_places: Arc<Semaphore>,
    /// Queries that run now.
    pub running: Arc<RunningQueries>,
    /// Bounds on requests.
    pub limits: ServerLimits,
    /// Name of this server in answers.
    pub broker_id: String,
    /// The same, as the keeper of segments.
    pub server_id: String,
}

impl App {
    /// Loads the tables.
    ///
    /// # Errors
    /// `Unavailable` when the data directory cannot be used.
    pub fn open(
        config: &ServerConfig,
        backend: Arc<dyn Backend>,
        address: SocketAddr,
    ) -> Result<Self, Error> {
        let server_id = format!("Server_{}_{}", address.ip(), address.port());
        let store = config.data_dir.as_deref().map(keep::open).transpose()?;
        let store = store.map(Arc::new);
        let reloads = Arc::new(Reloads::start(config.indexes.workers, &backend)?);
        let external = match &store {
            Some(store) => external(config, store, &backend, &reloads)?,
            None => None,
        };
        Ok(Self {
            catalog: Catalog::open(config, Arc::clone(&backend), store, external)?,
            reloads,
            shadow: Verifier::start(config.shadow_verify, config.limits.query_time, &backend)?,
            backend,
            admission: Admission::new(&config.limits),
            admin_places: Arc::new(Semaphore::new(ADMIN_PLACES)),
            running: Arc::default(),
            limits: config.limits,
            broker_id: format!("Broker_{}_{}", address.ip(), address.port()),
            server_id,
        })
    }
}

/// Starts those who keep External Tables in step.
fn external(
    config: &ServerConfig,
    store: &Arc<Store>,
    backend: &Arc<dyn Backend>,
    reloads: &Arc<Reloads>,
) -> Result<Option<External>, Error> {
    // Weak: the engine that they publish to is the one that asks.
    let (asked, engine) = (Arc::downgrade(reloads), Arc::downgrade(backend));
    let reload = move |table: &str| {
        let (Some(reloads), Some(engine)) = (asked.upgrade(), engine.upgrade()) else {
            return;
        };
        let segments = engine.segments(table).unwrap_or_default();
        if let Err(error) = reloads.submit(table, Asked::default(), segments) {
            tracing::warn!(table, %error, "a reload was not submitted");
        }
    };
    let watched = Arc::downgrade(reloads);
    let reload_progress = move |table: &str| {
        let jobs = watched.upgrade()?.of_table(table);
        let job = jobs.last()?;
        let progress = job.progress();
        let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        Some(ReloadProgress {
            total: count(job.segments().len()),
            done: count(progress.done_count()),
            failed: count(progress.failed_count()),
        })
    };
    let tables = backend.external_tables(ExternalParts {
        store: Arc::clone(store),
        table_roots: config.table_roots.clone(),
        own: config
            .tables
            .iter()
            .map(|table| table.raw_name().to_owned())
            .collect(),
        cache_bytes: config.file_cache_bytes,
        reload: Arc::new(reload),
        reload_progress: Arc::new(reload_progress),
    })?;
    let Some(tables) = tables else {
        return Ok(None);
    };
    let watchers = Arc::new(Watchers::start(&tables)?);
    Ok(Some(External { tables, watchers }))
}
