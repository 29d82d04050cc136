//! Trying again what may go better the next time.

use std::time::Duration;

/// How often something is tried, and how long to wait in between: twice as long each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Tries in all.
    pub tries: u32,
    /// First wait.
    pub first: Duration,
    /// Longest wait.
    pub longest: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            tries: 4,
            first: Duration::from_millis(250),
            longest: Duration::from_secs(10),
        }
    }
}

impl Backoff {
    /// Does something until it succeeds, fails for good or has been tried often enough. `again` tells
    /// which failures may pass, and `wait` waits.
    ///
    /// # Errors
    /// The last failure.
    pub fn retry<T, E>(
        &self,
        mut work: impl FnMut() -> Result<T, E>,
        again: impl Fn(&E) -> bool,
        mut wait: impl FnMut(Duration),
    ) -> Result<T, E> {
        let mut delay = self.first;
        let mut tries: u32 = 1;
        loop {
            match work() {
                Err(error) if tries < self.tries && again(&error) => {
                    wait(delay);
                    delay = delay.saturating_mul(2).min(self.longest);
                    tries = tries.saturating_add(1);
                }
                done => return done,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let backoff = Backoff {
            tries: 5,
            first: Duration::from_millis(100),
            longest: Duration::from_millis(300),
        };
        let mut waits = Vec::new();
        let failed = backoff.retry(
            || Err::<(), _>(1),
            |_| true,
            |wait| waits.push(wait.as_millis()),
        );
        assert_eq!((failed, waits), (Err(1), vec![100, 200, 300, 300]));
        let mut tries = 0;
        let done = backoff.retry(
            || {
                tries += 1;
                if tries < 3 { Err(tries) } else { Ok(tries) }
            },
            |_| true,
            |_| {},
        );
        assert_eq!(done, Ok(3));
        let mut waited = false;
        let failed = backoff.retry(|| Err::<(), _>(2), |_| false, |_| waited = true);
        assert_eq!((failed, waited), (Err(2), false));
    }
}
