//! What ends the waiting of one piece of work before its answer is there: a flag, and a deadline.
//!
//! Whoever does work says so for its thread ([`Interrupt::within`]), and hands it on to the threads that
//! help ([`Interrupt::current`]); whoever waits far below looks at [`Interrupt::current`]. So nothing in
//! between has to know of it. A thread has at most one, and loses it where the work on it ends: work of
//! others that comes to the same thread is not touched.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

thread_local! {
    static CURRENT: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

/// How long a wait goes on, at most, before it looks at its interrupt again.
const STEP: Duration = Duration::from_millis(20);

/// Tells work to stop; clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Tells whether the work was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What ends the waiting of one piece of work; clones are one and the same.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    cancel: CancelFlag,
    deadline: Option<Instant>,
    /// Whether something was left undone because of it.
    met: CancelFlag,
}

/// A wait was ended before the answer was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Interrupted {
    /// The flag was raised.
    #[error("cancelled while waiting for data")]
    Cancelled,
    /// The deadline passed.
    #[error("deadline passed while waiting for data")]
    Late,
}

impl Interrupt {
    /// Makes an interrupt; without a deadline the flag alone counts.
    pub fn new(cancel: CancelFlag, deadline: Option<Instant>) -> Self {
        Self {
            cancel,
            deadline,
            met: CancelFlag::default(),
        }
    }

    /// Returns the one of the work that this thread does now.
    pub fn current() -> Option<Self> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Does work on this thread under an interrupt, or under none.
    pub fn within<T>(interrupt: Option<&Self>, work: impl FnOnce() -> T) -> T {
        let _restored = Restored(CURRENT.replace(interrupt.cloned()));
        work()
    }

    /// Tells waiting to end.
    ///
    /// # Errors
    /// The flag is raised, or the deadline has passed. The work has met its interrupt then.
    pub fn check(&self) -> Result<(), Interrupted> {
        let found = if self.cancel.is_cancelled() {
            Interrupted::Cancelled
        } else if self.deadline.is_some_and(|at| Instant::now() >= at) {
            Interrupted::Late
        } else {
            return Ok(());
        };
        self.met.cancel();
        Err(found)
    }

    /// Tells whether a wait was ended: what the work came to is not to be relied on.
    pub fn is_met(&self) -> bool {
        self.met.is_cancelled()
    }

    /// Returns how long to wait before [`Self::check`] is asked again.
    pub fn step(&self) -> Duration {
        let left = self
            .deadline
            .map(|at| at.saturating_duration_since(Instant::now()));
        // A wait of no time at all would spin.
        left.map_or(STEP, |left| left.clamp(Duration::from_millis(1), STEP))
    }
}

/// Puts back what a thread had before, also where the work panics.
struct Restored(Option<Interrupt>);

impl Drop for Restored {
    fn drop(&mut self) {
        CURRENT.replace(self.0.take());
    }
}

impl From<Interrupted> for std::io::Error {
    fn from(interrupted: Interrupted) -> Self {
        // Not `Interrupted`: that one is an invitation to try again.
        Self::new(std::io::ErrorKind::TimedOut, interrupted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_for_one_thread_and_one_piece_of_work() {
        let outer = Interrupt::new(CancelFlag::default(), None);
        let inner = Interrupt::new(CancelFlag::default(), None);
        let is_cancelled = || Interrupt::current().map(|current| current.check().is_err());
        Interrupt::within(Some(&outer), || {
            Interrupt::within(Some(&inner), || {
                inner.cancel.cancel();
                assert_eq!(is_cancelled(), Some(true));
                let helper = std::thread::spawn(|| Interrupt::current().is_none());
                assert!(helper.join().unwrap());
                Interrupt::within(None, || assert_eq!(is_cancelled(), None));
            });
            assert_eq!(is_cancelled(), Some(false));
            let panicked = std::panic::catch_unwind(|| {
                Interrupt::within(None, || panic!("expected by the test"));
            });
            assert!(panicked.is_err());
            assert_eq!(is_cancelled(), Some(false));
        });
        assert_eq!(is_cancelled(), None);
        assert_eq!((inner.is_met(), outer.is_met()), (true, false));
    }

    #[test]
    fn the_flag_and_the_deadline_end_a_wait() {
        let flag = CancelFlag::default();
        let later = Instant::now().checked_add(Duration::from_secs(3600));
        let running = Interrupt::new(flag.clone(), later);
        assert_eq!(running.check(), Ok(()));
        assert_eq!(running.step(), STEP);
        flag.cancel();
        assert_eq!(running.check(), Err(Interrupted::Cancelled));
        let late = Interrupt::new(CancelFlag::default(), Some(Instant::now()));
        assert_eq!(late.check(), Err(Interrupted::Late));
        assert!(late.step() > Duration::ZERO);
    }
}
