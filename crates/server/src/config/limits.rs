//! Bounds on what clients may make the server do.

use std::thread;
use std::time::Duration;

use growler_base::limits;
use serde::Deserialize;

use crate::Error;

/// Bounds on what clients may make the server do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// Queries that run at a time; others wait.
    pub concurrent_queries: usize,
    /// Queries that wait at a time; others are refused.
    pub queued_queries: usize,
    /// Time a query waits before it is refused.
    pub queue_timeout: Duration,
    /// Time after which a query is cancelled whatever its `timeoutMs` says.
    pub query_time: Duration,
    /// Time in which a request's body must have arrived, in which one that is no query must be
    /// answered, and in which a client must take something of its answer.
    pub request_time: Duration,
    /// Time in which a request's line and headers must have arrived; a connection on which no
    /// request begins in that time is closed.
    pub header_time: Duration,
    /// Connections that are open at a time; others wait in the system's queue.
    pub connections: usize,
    /// Largest request body.
    pub body_bytes: usize,
    /// Time that running queries have to end when the server is stopped; then they are cancelled.
    pub drain_time: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(4, usize::from);
        Self {
            concurrent_queries: cores.saturating_mul(2).max(4),
            queued_queries: 256,
            queue_timeout: Duration::from_millis(limits::QUERY_TIMEOUT_MS),
            query_time: Duration::from_secs(600),
            request_time: Duration::from_secs(60),
            header_time: Duration::from_secs(30),
            connections: 512,
            body_bytes: limits::HTTP_BODY_BYTES,
            drain_time: Duration::from_secs(10),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct LimitsJson {
    max_concurrent_queries: Option<usize>,
    max_queued_queries: Option<usize>,
    queue_timeout_ms: Option<u64>,
    max_query_time_ms: Option<u64>,
    request_timeout_ms: Option<u64>,
    header_timeout_ms: Option<u64>,
    max_connections: Option<usize>,
    max_request_bytes: Option<usize>,
    shutdown_grace_ms: Option<u64>,
}

impl LimitsJson {
    pub(super) fn limits(&self) -> Result<ServerLimits, Error> {
        let usual = ServerLimits::default();
        let time = |asked: Option<u64>, usual| asked.map_or(usual, Duration::from_millis);
        let limits = ServerLimits {
            concurrent_queries: self
                .max_concurrent_queries
                .unwrap_or(usual.concurrent_queries),
            queued_queries: self.max_queued_queries.unwrap_or(usual.queued_queries),
            queue_timeout: time(self.queue_timeout_ms, usual.queue_timeout),
            query_time: time(self.max_query_time_ms, usual.query_time),
            request_time: time(self.request_timeout_ms, usual.request_time),
            header_time: time(self.header_timeout_ms, usual.header_time),
            connections: self.max_connections.unwrap_or(usual.connections),
            body_bytes: self.max_request_bytes.unwrap_or(usual.body_bytes),
            drain_time: time(self.shutdown_grace_ms, usual.drain_time),
        };
        within(
            "maxConcurrentQueries",
            limits.concurrent_queries,
            MOST_QUERIES,
        )?;
        within("maxConnections", limits.connections, MOST_CONNECTIONS)?;
        Ok(limits)
    }
}

/// Checks a number that must not be zero.
pub(super) fn within(name: &str, found: usize, most: usize) -> Result<usize, Error> {
    if found == 0 || found > most {
        return Err(Error::Config(format!(
            "{name} must be from 1 to {most}: found={found}"
        )));
    }
    Ok(found)
}

/// Most queries that may run at a time: each occupies a thread of the blocking pool, which has 512.
const MOST_QUERIES: usize = 400;
/// Most connections that may be open at a time.
const MOST_CONNECTIONS: usize = 1 << 20;
