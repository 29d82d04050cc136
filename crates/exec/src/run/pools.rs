//! The threads that queries run on.
//!
//! Queries over local files share one pool, of one thread a processor. A thread that reads a remote file
//! waits most of the time, and its store may not answer at all: it would keep all others from theirs.
//! So a query over remote files has a pool of its own, and leaves it to the next one.

use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Error;

/// Most pools that are kept while no query runs on them.
const IDLE: usize = 8;

/// The pools of an engine.
#[derive(Debug)]
pub struct Pools {
    shared: ThreadPool,
    idle: Mutex<Vec<ThreadPool>>,
}

/// The pool of one query.
#[derive(Debug)]
pub struct QueryPool<'p> {
    pools: &'p Pools,
    /// None for the shared one.
    own: Option<ThreadPool>,
}

impl Pools {
    /// Makes the shared pool, of so many threads; 0 means one a processor.
    ///
    /// # Errors
    /// [`Error::Internal`] when the system gives no threads.
    pub fn new(threads: usize) -> Result<Self, Error> {
        Ok(Self {
            shared: pool(threads, "growler")?,
            idle: Mutex::default(),
        })
    }

    /// Returns the pool for one query.
    ///
    /// # Errors
    /// [`Error::Internal`] when the system gives no threads.
    pub fn of_query(&self, is_remote: bool) -> Result<QueryPool<'_>, Error> {
        let own = match is_remote {
            true => Some(self.own()?),
            false => None,
        };
        Ok(QueryPool { pools: self, own })
    }

    fn own(&self) -> Result<ThreadPool, Error> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle.pop();
        drop(idle);
        match kept {
            Some(kept) => Ok(kept),
            None => pool(self.shared.current_num_threads(), "growler-remote"),
        }
    }
}

impl Deref for QueryPool<'_> {
    type Target = ThreadPool;

    fn deref(&self) -> &ThreadPool {
        self.own.as_ref().unwrap_or(&self.pools.shared)
    }
}

impl Drop for QueryPool<'_> {
    fn drop(&mut self) {
        let mut idle = self
            .pools
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.extend(self.own.take());
        }
    }
}

fn pool(threads: usize, name: &'static str) -> Result<ThreadPool, Error> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |idx| format!("{name}-{idx}"))
        .build()
        .map_err(|error| Error::Internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_over_remote_files_have_threads_of_their_own() -> Result<(), Error> {
        let pools = Pools::new(2)?;
        let name = |pool: &ThreadPool| {
            pool.install(|| std::thread::current().name().unwrap_or_default().to_owned())
        };
        let shared = pools.of_query(false)?;
        assert!(!name(&shared).contains("remote"));
        let (one, other) = (pools.of_query(true)?, pools.of_query(true)?);
        assert!(name(&one).starts_with("growler-remote-"));
        assert_eq!(one.current_num_threads(), 2);
        let kept = || pools.idle.lock().map_or(0, |idle| idle.len());
        assert_eq!(kept(), 0);
        drop(one);
        drop(other);
        assert_eq!(kept(), 2);
        drop(pools.of_query(true)?);
        assert_eq!(kept(), 2, "a pool is used again");
        Ok(())
    }
}
