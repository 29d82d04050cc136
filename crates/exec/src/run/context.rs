//! What every worker of a query checks per batch.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use std::time::{Duration, Instant};

use growler_base::{CancelFlag, Interrupt};

use crate::{
    error::Error,
    run::{MemoryBudget, Progress, Times},
};

/// Limits of one running query.
#[derive(Debug)]
pub struct Context {
    /// Memory it may hold.
    pub budget: MemoryBudget,
    /// What an observer may watch.
    pub progress: Arc<Progress>,
    /// Where its time goes.
    pub times: Arc<Times>,
    /// Rows decoded at a time.
    pub batch_rows: usize,
    cancel: CancelFlag,
    interrupt: Interrupt,
    started: Instant,
    timeout: Duration,
    enough: AtomicBool,
}

impl Context {
    /// Starts the clock of a query.
    pub fn new(
        budget: MemoryBudget,
        progress: Arc<Progress>,
        cancel: CancelFlag,
        timeout: Duration,
        batch_rows: usize,
    ) -> Self {
        let (started, enough) = (Instant::now(), AtomicBool::new(false));
        let interrupt = Interrupt::new(cancel.clone(), started.checked_add(timeout));
        Self {
            budget,
            progress,
            times: Arc::default(),
            batch_rows,
            cancel,
            interrupt,
            started,
            timeout,
            enough,
        }
    }

    /// Does the query's work under what ends its waits: what it fetches is given up at its deadline or
    /// flag. What came of work that was cut short so is no answer.
    ///
    /// # Errors
    /// [`Error::Cancelled`] or [`Error::Timeout`]; those of the work.
    pub fn interruptible<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let done = Interrupt::within(Some(&self.interrupt), work);
        match self.interrupt.is_met() {
            true => Err(self.check().err().unwrap_or_else(|| self.timed_out())),
            false => done,
        }
    }

    /// Checks the cancel flag and the deadline.
    ///
    /// # Errors
    /// [`Error::Cancelled`] or [`Error::Timeout`].
    pub fn check(&self) -> Result<(), Error> {
        if self.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        if self.started.elapsed() > self.timeout {
            return Err(self.timed_out());
        }
        Ok(())
    }

    fn timed_out(&self) -> Error {
        Error::Timeout(u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX))
    }

    /// Returns the time since the query started.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Tells the workers that no further row matters.
    pub fn set_enough(&self) {
        self.enough.store(true, Ordering::Relaxed);
    }

    /// Makes the limits of a look-up that the query needs before it starts: the same clock, times, flag
    /// and budget, but no part in what an observer watches.
    pub fn aside(&self) -> Self {
        Self {
            budget: self.budget.clone(),
            progress: Arc::default(),
            times: Arc::clone(&self.times),
            batch_rows: self.batch_rows,
            cancel: self.cancel.clone(),
            interrupt: self.interrupt.clone(),
            started: self.started,
            timeout: self.timeout,
            enough: AtomicBool::new(false),
        }
    }

    /// Tells whether no further row matters.
    pub fn is_enough(&self) -> bool {
        self.enough.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(cancel: &CancelFlag, timeout: Duration) -> Context {
        let budget = MemoryBudget::new(1);
        Context::new(budget, Arc::default(), cancel.clone(), timeout, 1)
    }

    #[test]
    fn stops_at_the_flag_and_at_the_deadline() {
        let cancel = CancelFlag::default();
        let running = context(&cancel, Duration::from_secs(3600));
        assert_eq!(running.check(), Ok(()));
        cancel.cancel();
        assert_eq!(running.check(), Err(Error::Cancelled));
        let late = context(&CancelFlag::default(), Duration::ZERO);
        while late.elapsed().is_zero() {}
        assert_eq!(late.check(), Err(Error::Timeout(0)));
    }
}
