//! Where the time of one running query goes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

/// Time that the threads of a query have spent; all of them add to it.
#[derive(Debug, Default)]
pub struct Times {
    cpu_ns: AtomicU64,
    reduce_ns: AtomicU64,
}

impl Times {
    /// Does a thread's work and counts its CPU time; such work must not nest.
    ///
    /// Counts nothing where the system does not tell.
    pub fn cpu<T>(&self, work: impl FnOnce() -> T) -> T {
        let started = ThreadTime::try_now();
        let done = work();
        if let Ok(Ok(spent)) = started.map(|started| started.try_elapsed()) {
            add(&self.cpu_ns, spent);
        }
        done
    }

    /// Does a part of the merge of partial results, which is the work of one thread, and counts the
    /// time it takes; such work must not nest.
    pub fn reduce<T>(&self, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let done = work();
        add(&self.reduce_ns, started.elapsed());
        done
    }

    /// Returns the CPU time so far in nanoseconds.
    pub fn cpu_ns(&self) -> u64 {
        self.cpu_ns.load(Ordering::Relaxed)
    }

    /// Returns the time of the merge so far in milliseconds.
    pub fn reduce_ms(&self) -> u64 {
        self.reduce_ns.load(Ordering::Relaxed) / 1_000_000
    }
}

fn add(total: &AtomicU64, spent: Duration) {
    let spent = u64::try_from(spent.as_nanos()).unwrap_or(u64::MAX);
    total.fetch_add(spent, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_costs_no_cpu_time() {
        let times = Times::default();
        let wait = Duration::from_millis(30);
        times.reduce(|| times.cpu(|| std::thread::sleep(wait)));
        assert!(times.reduce_ms() >= 30);
        assert!(times.cpu_ns() < 25_000_000, "{}", times.cpu_ns());
        let turns =
            times.cpu(|| (0..1_000_000_u64).fold(0, |sum, turn| std::hint::black_box(sum ^ turn)));
        std::hint::black_box(turns);
        assert!(times.cpu_ns() > 0);
    }
}
