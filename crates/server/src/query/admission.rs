//! Who may run now, who waits, who is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::ServerLimits;

/// Gate before the engine: so many run, so many wait, the others are refused at once.
#[derive(Debug)]
pub struct Admission {
    running: Arc<Semaphore>,
    places: usize,
    waiting: AtomicUsize,
    most_waiting: usize,
    patience: Duration,
    is_closed: AtomicBool,
}

/// Why a query was not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The server is stopping.
    ShuttingDown,
    /// As many queries wait as may.
    TooMany,
    /// It waited as long as it may.
    WaitedTooLong,
}

/// A place among the running queries, given back when dropped.
#[derive(Debug)]
pub struct Place(#[expect(dead_code, reason = "held for its drop")] OwnedSemaphorePermit);

impl Admission {
    /// Opens the gate.
    pub fn new(limits: &ServerLimits) -> Self {
        Self {
            running: Arc::new(Semaphore::new(limits.concurrent_queries)),
            places: limits.concurrent_queries,
            waiting: AtomicUsize::new(0),
            most_waiting: limits.queued_queries,
            patience: limits.queue_timeout,
            is_closed: AtomicBool::new(false),
        }
    }

    /// Takes a place, waiting for one where that is allowed.
    ///
    /// # Errors
    /// Why there is none.
    ///
    /// # Cancellation
    /// Dropping the future gives up the place in the queue.
    pub async fn enter(&self) -> Result<Place, Refusal> {
        if self.is_closed() {
            return Err(Refusal::ShuttingDown);
        }
        if let Ok(permit) = Arc::clone(&self.running).try_acquire_owned() {
            return Ok(Place(permit));
        }
        let _waiting = Waiting::enter(&self.waiting, self.most_waiting).ok_or(Refusal::TooMany)?;
        let permit = Arc::clone(&self.running).acquire_owned();
        match tokio::time::timeout(self.patience, permit).await {
            Ok(Ok(permit)) if !self.is_closed() => Ok(Place(permit)),
            Ok(_) => Err(Refusal::ShuttingDown),
            Err(_) => Err(Refusal::WaitedTooLong),
        }
    }

    /// Lets nobody in any more; those who wait are refused.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.running.close();
    }

    /// Tells whether nobody is let in any more.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Returns how many queries have a place.
    pub fn running_count(&self) -> usize {
        self.places.saturating_sub(self.running.available_permits())
    }

    /// Returns how many queries wait for one.
    pub fn waiting_count(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }
}

struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn enter(count: &'a AtomicUsize, most: usize) -> Option<Self> {
        let one_more = |waiting| (waiting < most).then_some(waiting + 1);
        count
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more)
            .ok()?;
        Some(Self(count))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admission(queued: usize, patience: Duration) -> Admission {
        Admission::new(&ServerLimits {
            concurrent_queries: 1,
            queued_queries: queued,
            queue_timeout: patience,
            ..ServerLimits::default()
        })
    }

    #[tokio::test]
    async fn refuses_when_the_queue_is_full_or_slow() {
        let full = admission(0, Duration::from_secs(3600));
        let place = full.enter().await.unwrap();
        assert_eq!(full.running_count(), 1);
        assert_eq!(full.enter().await.unwrap_err(), Refusal::TooMany);
        drop(place);
        assert!(full.enter().await.is_ok());

        let slow = admission(1, Duration::ZERO);
        let _place = slow.enter().await.unwrap();
        assert_eq!(slow.enter().await.unwrap_err(), Refusal::WaitedTooLong);
        assert_eq!(slow.waiting_count(), 0);
    }

    #[tokio::test]
    async fn refuses_all_once_closed() {
        let gate = Arc::new(admission(1, Duration::from_secs(3600)));
        let place = gate.enter().await.unwrap();
        let waiting = tokio::spawn({
            let gate = Arc::clone(&gate);
            async move { gate.enter().await.map(|_| ()) }
        });
        while gate.waiting_count() == 0 {
            tokio::task::yield_now().await;
        }
        gate.close();
        assert_eq!(waiting.await.unwrap(), Err(Refusal::ShuttingDown));
        assert_eq!(gate.enter().await.unwrap_err(), Refusal::ShuttingDown);
        assert_eq!(gate.running_count(), 1);
        drop(place);
    }
}
