//! Time, as runs see it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Tells the time, and waits.
pub trait Clock: Send + Sync {
    /// Returns the time, in milliseconds since 1970.
    fn now_ms(&self) -> i64;

    /// Waits.
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
        std::thread::sleep(duration);
    }
}
