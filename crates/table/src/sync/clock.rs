//! Time, as runs see it.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use growler_base::Interrupt;

/// Tells the time, and waits.
pub trait Clock: Send + Sync {
    /// Returns the time, in milliseconds since 1970.
    fn now_ms(&self) -> i64;

    /// Waits, or until the caller's interrupt.
    fn sleep(&self, duration: Duration);
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| {
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        })
    }

    fn sleep(&self, duration: Duration) {
        let Some(interrupt) = Interrupt::current() else {
            std::thread::sleep(duration);
            return;
        };
        let started = Instant::now();
        while interrupt.check().is_ok() {
            let left = duration.saturating_sub(started.elapsed());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(interrupt.step()));
        }
    }
}
