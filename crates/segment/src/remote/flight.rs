//! One fetch of a block that several readers wait for.

use std::io;
use std::sync::{Condvar, Mutex, PoisonError};

use bytes::Bytes;

/// What a fetch came to; errors are kept in parts, as they cannot be cloned.
type Outcome = Result<Bytes, (io::ErrorKind, String)>;

/// A fetch that has begun.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    outcome: Mutex<Option<Outcome>>,
    landed: Condvar,
}

impl Flight {
    /// Tells all who wait what the fetch came to; what was told first holds.
    pub(crate) fn land(&self, outcome: Result<Bytes, &io::Error>) {
        let outcome = outcome.map_err(|error| (error.kind(), error.to_string()));
        let mut told = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        told.get_or_insert(outcome);
        drop(told);
        self.landed.notify_all();
    }

    /// Waits for the fetch, which ends: its leader lands it even when it panics.
    pub(crate) fn wait(&self) -> io::Result<Bytes> {
        let mut told = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match told.as_ref() {
                Some(Ok(bytes)) => return Ok(bytes.clone()),
                Some(Err((kind, cause))) => return Err(io::Error::new(*kind, cause.clone())),
                None => {
                    told = self
                        .landed
                        .wait(told)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}
