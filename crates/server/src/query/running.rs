//! Queries that run now, so that they can be listed and cancelled.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use growler_exec::run::CancelFlag;

/// Queries that run now, in the order in which they came.
#[derive(Debug, Default)]
pub struct RunningQueries(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    last: u64,
    queries: BTreeMap<u64, RunningQuery>,
}

#[derive(Debug, Clone)]
struct RunningQuery {
    request_id: String,
    sql: Arc<str>,
    cancel: CancelFlag,
}

/// One query's entry; dropping it, whoever does, cancels the query and takes it off the list.
#[derive(Debug)]
pub struct Entry {
    queries: Arc<RunningQueries>,
    number: u64,
    cancel: CancelFlag,
}

impl RunningQueries {
    /// Enters a query. Request ids may repeat, since clients choose them.
    pub fn enter(self: &Arc<Self>, request_id: &str, sql: &str) -> Entry {
        let cancel = CancelFlag::default();
        let (request_id, sql) = (request_id.to_owned(), Arc::from(sql));
        let query = RunningQuery {
            request_id,
            sql,
            cancel: cancel.clone(),
        };
        let mut inner = self.lock();
        inner.last += 1;
        let number = inner.last;
        inner.queries.insert(number, query);
        Entry {
            queries: Arc::clone(self),
            number,
            cancel,
        }
    }

    /// Returns request id and SQL text of each.
    pub fn list(&self) -> Vec<(String, Arc<str>)> {
        let inner = self.lock();
        inner
            .queries
            .values()
            .map(|query| (query.request_id.clone(), Arc::clone(&query.sql)))
            .collect()
    }

    /// Cancels the queries with this request id; returns how many they are.
    pub fn cancel(&self, request_id: &str) -> usize {
        let inner = self.lock();
        let asked = inner
            .queries
            .values()
            .filter(|query| query.request_id == request_id);
        asked.inspect(|query| query.cancel.cancel()).count()
    }

    /// Cancels all.
    pub fn cancel_all(&self) {
        self.lock()
            .queries
            .values()
            .for_each(|query| query.cancel.cancel());
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    /// Returns the flag that the engine looks at.
    pub fn cancel_flag(&self) -> &CancelFlag {
        &self.cancel
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.queries.lock().queries.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancels_by_request_id_and_forgets_what_ended() {
        let running = Arc::new(RunningQueries::default());
        let first = running.enter("a", "SELECT 1");
        let second = running.enter("a", "SELECT 2");
        let third = running.enter("b", "SELECT 3");
        assert_eq!(running.cancel("a"), 2);
        assert_eq!(running.cancel("nope"), 0);
        assert!(first.cancel_flag().is_cancelled() && second.cancel_flag().is_cancelled());
        assert!(!third.cancel_flag().is_cancelled());
        drop(first);
        assert_eq!(
            running.list(),
            [
                ("a".into(), "SELECT 2".into()),
                ("b".into(), "SELECT 3".into())
            ]
        );
        let flag = third.cancel_flag().clone();
        drop((second, third));
        assert!(flag.is_cancelled());
        assert!(running.list().is_empty());
    }
}
