//! One fetch of a block that several readers wait for.

use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use growler_base::{Interrupt, Interrupted};

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

    /// Waits for the fetch, which ends: whoever was to land it does so even when that panics. The caller's
    /// interrupt ends its own wait, and nobody else's.
    ///
    /// # Errors
    /// The outer one when the wait was interrupted.
    pub(crate) fn wait(&self) -> Result<io::Result<Bytes>, Interrupted> {
        let interrupt = Interrupt::current();
        let mut told = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match told.as_ref() {
                Some(Ok(bytes)) => return Ok(Ok(bytes.clone())),
                Some(Err((kind, cause))) => return Ok(Err(io::Error::new(*kind, cause.clone()))),
                None => told = self.waited(told, interrupt.as_ref())?,
            }
        }
    }

    fn waited<'f>(
        &'f self,
        told: MutexGuard<'f, Option<Outcome>>,
        interrupt: Option<&Interrupt>,
    ) -> Result<MutexGuard<'f, Option<Outcome>>, Interrupted> {
        let Some(interrupt) = interrupt else {
            let told = self.landed.wait(told);
            return Ok(told.unwrap_or_else(PoisonError::into_inner));
        };
        interrupt.check()?;
        let told = self.landed.wait_timeout(told, interrupt.step());
        Ok(told.unwrap_or_else(PoisonError::into_inner).0)
    }
}
