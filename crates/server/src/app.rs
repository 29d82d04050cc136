//! What all handlers share.

use std::sync::Arc;

use crate::backend::Backend;
use crate::query::{Admission, RunningQueries};
use crate::tables::Catalog;
use crate::{Error, ServerConfig, ServerLimits};

/// The running server's parts.
pub struct App {
    /// The engine.
    pub backend: Arc<dyn Backend>,
    /// Schemas and tables.
    pub catalog: Catalog,
    /// Gate before the engine.
    pub admission: Admission,
    /// Queries that run now.
    pub running: Arc<RunningQueries>,
    /// Bounds on requests.
    pub limits: ServerLimits,
    /// Name of this server in answers.
    pub broker_id: String,
}

impl App {
    /// Loads the tables.
    ///
    /// # Errors
    /// `Unavailable` when the data directory cannot be used.
    pub fn open(
        config: &ServerConfig,
        backend: Arc<dyn Backend>,
        broker_id: String,
    ) -> Result<Self, Error> {
        Ok(Self {
            catalog: Catalog::open(config, Arc::clone(&backend))?,
            backend,
            admission: Admission::new(&config.limits),
            running: Arc::default(),
            limits: config.limits,
            broker_id,
        })
    }
}
