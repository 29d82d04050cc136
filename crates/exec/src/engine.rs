//! The engine: tables and the compute pools that queries over them run on.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use growler_base::limits;
use rayon::ThreadPool;

use crate::{
    error::Error,
    options::QueryOptions,
    plan::{Plan, evaluate::evaluate_only, slots::non_object_root},
    response::BrokerResponse,
    run::{
        CancelFlag, Context, MemoryBudget, Pools, Progress, Window,
        query::{Answer, Runner},
    },
    sql,
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
    pools: Pools,
    options: EngineOptions,
    views: RwLock<BTreeMap<String, Arc<View>>>,
}

impl Engine {
    /// Makes an engine without tables.
    ///
    /// # Errors
    /// [`Error::Internal`] when the system gives no threads.
    pub fn new(options: EngineOptions) -> Result<Self, Error> {
        let pools = Pools::new(options.threads)?;
        Ok(Self {
            pools,
            options,
            views: RwLock::default(),
        })
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
        self.views
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(table)
    }

    /// Returns the names of all tables in order.
    pub fn tables(&self) -> Vec<String> {
        self.views
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .keys()
            .cloned()
            .collect()
    }

    /// Returns the current state of a table.
    pub fn view(&self, table: &str) -> Option<Arc<View>> {
        self.views
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(table)
            .cloned()
    }

    /// Answers one query. Failures are exceptions in the response.
    ///
    /// # Cancellation
    /// The query stops at its next batch once `request.cancel` is set, or its deadline has passed; what
    /// it waits for of a remote file is given up.
    pub fn query(&self, sql: &str, request: &Request) -> QueryOutcome {
        let started = Instant::now();
        let mut asked = Asked::default();
        let answered = self.answer(sql, request, &mut asked);
        let (mut response, error) = match answered {
            Ok(response) => (response, None),
            Err(error) => (BrokerResponse::failed(&error), Some(error)),
        };
        response.request_id.clone_from(&request.request_id);
        response.client_request_id = asked.client_query_id;
        response.broker_id.clone_from(&self.options.host_name);
        response.tables_queried = asked.tables;
        response.time_used_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        QueryOutcome { response, error }
    }

    fn answer(
        &self,
        sql: &str,
        request: &Request,
        asked: &mut Asked,
    ) -> Result<BrokerResponse, Error> {
        let query = sql::parse(sql)?;
        let options = QueryOptions::try_new(&query.options, &request.query_options)?;
        asked.client_query_id.clone_from(&options.client_query_id);
        let Some(table) = &query.table else {
            return evaluate_only(&query, &options);
        };
        asked.tables.push(table.clone());
        let view = self
            .view(table)
            .ok_or_else(|| Error::UnknownTable(table.clone()))?;
        let context = self.context(request, &options);
        let pool = self.pools.of_query(view.is_remote())?;
        context.interruptible(|| {
            let mut plan = Plan::compile(&query, &view, &options, now_ms())?;
            let runner = self.runner(&view, &pool, &context, &options);
            runner.settle_absent_keys(&mut plan)?;
            if query.explain {
                return runner.explain(&plan, &query, &options);
            }
            let Answer { table, statistics } = runner.run(&plan)?;
            let result_table = (!options.drop_results).then_some(table);
            Ok(BrokerResponse {
                result_table,
                statistics,
                ..BrokerResponse::default()
            })
        })
    }

    fn context(&self, request: &Request, options: &QueryOptions) -> Context {
        Context::new(
            MemoryBudget::new(self.options.memory_bytes),
            Arc::clone(&request.progress),
            request.cancel.clone(),
            Duration::from_millis(options.timeout_ms),
            self.options.batch_rows.max(1),
        )
    }

    fn runner<'q>(
        &'q self,
        view: &'q View,
        pool: &'q ThreadPool,
        context: &'q Context,
        options: &'q QueryOptions,
    ) -> Runner<'q> {
        let threads = pool.current_num_threads();
        // Twice as many, so that no thread waits for the fold of a slow morsel.
        let window = match options.max_execution_threads {
            Some(most) if most < threads => most,
            _ => threads * 2,
        };
        Runner {
            view,
            pool,
            context,
            window: Window(window),
            skip_indexes: &options.skip_indexes,
            root: non_object_root(options.variant_non_object_root_null),
            host_name: &self.options.host_name,
            group_limit: options.num_groups_limit,
            distinct_rows: options.max_rows_in_distinct,
        }
    }
}

/// What of a query is known even when it fails.
#[derive(Debug, Default)]
struct Asked {
    tables: Vec<String>,
    client_query_id: Option<String>,
}

/// Returns the time in milliseconds since 1970, UTC.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
