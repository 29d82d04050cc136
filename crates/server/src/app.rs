//! What all handlers share.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::backend::Backend;
use crate::query::{Admission, RunningQueries};
use crate::reload::Reloads;
use crate::shadow::Verifier;
use crate::tables::Catalog;
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
    pub reloads: Reloads,
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
        Ok(Self {
            catalog: Catalog::open(config, Arc::clone(&backend))?,
            reloads: Reloads::start(config.indexes.workers, &backend)?,
            shadow: Verifier::start(config.shadow_verify, config.limits.query_time, &backend)?,
            backend,
            admission: Admission::new(&config.limits),
            admin_places: Arc::new(Semaphore::new(ADMIN_PLACES)),
            running: Arc::default(),
            limits: config.limits,
            broker_id: format!("Broker_{}_{}", address.ip(), address.port()),
            server_id: format!("Server_{}_{}", address.ip(), address.port()),
        })
    }
}
