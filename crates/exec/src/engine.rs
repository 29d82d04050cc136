//! The engine: tables and the compute pool that queries over them share.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use growler_base::limits;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    error::Error,
    response::BrokerResponse,
    run::{CancelFlag, Progress},
    table::View,
};

/// How an engine runs queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineOptions {
    /// Threads of the compute pool; 0 means one a processor.
    pub threads: usize,
    /// Memory one query may hold, in bytes.
    pub memory_bytes: usize,
    /// Rows decoded at a time.
    pub batch_rows: usize,
    /// What `$hostName` shows.
    pub host_name: String,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            threads: 0,
            memory_bytes: limits::QUERY_MEMORY_BYTES,
            batch_rows: limits::BATCH_ROWS,
            host_name: "localhost".to_owned(),
        }
    }
}

/// What comes with a query besides its text.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Options as a request carries them: `k=v;k2=v2`. They win over those of the query.
    pub query_options: String,
    /// Id shown in the response.
    pub request_id: String,
    /// Stops the query.
    pub cancel: CancelFlag,
    /// Shows how far the query is.
    pub progress: Arc<Progress>,
}

/// The answer to one query.
#[derive(Debug, Clone)]
pub struct QueryOutcome {
    /// What a client gets; a failed query has an exception and no rows.
    pub response: BrokerResponse,
    /// Why the query failed.
    pub error: Option<Error>,
}

/// Answers SQL over registered tables; shared between threads by reference.
#[derive(Debug)]
pub struct Engine {
    pub(crate) pool: ThreadPool,
    pub(crate) options: EngineOptions,
    views: RwLock<BTreeMap<String, Arc<View>>>,
}

impl Engine {
    /// Makes an engine without tables.
    ///
    /// # Errors
    /// [`Error::Internal`] when the system gives no threads.
    pub fn new(options: EngineOptions) -> Result<Self, Error> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(options.threads)
            .thread_name(|idx| format!("growler-{idx}"))
            .build()
            .map_err(|error| Error::Internal(error.to_string()))?;
        Ok(Self { pool, options, views: RwLock::default() })
    }

    /// Makes a table, or a new state of it, known; running queries keep the old one.
    pub fn register(&self, view: View) -> Arc<View> {
        let view = Arc::new(view);
        let mut views = self.views.write().unwrap_or_else(PoisonError::into_inner);
        views.insert(view.name().to_owned(), Arc::clone(&view));
        view
    }

    /// Forgets a table; running queries go on. Returns what was known.
    pub fn remove(&self, table: &str) -> Option<Arc<View>> {
        self.views.write().unwrap_or_else(PoisonError::into_inner).remove(table)
    }

    /// Returns the names of all tables in order.
    pub fn tables(&self) -> Vec<String> {
        self.views.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// Returns the current state of a table.
    pub fn view(&self, table: &str) -> Option<Arc<View>> {
        self.views.read().unwrap_or_else(PoisonError::into_inner).get(table).cloned()
    }

    /// Answers one query. Failures are exceptions in the response.
    pub fn query(&self, sql: &str, request: &Request) -> QueryOutcome {
        let _ = (sql, request);
        let error = Error::Internal("queries are not run yet".to_owned());
        QueryOutcome { response: BrokerResponse::failed(&error), error: Some(error) }
    }
}
