//! All rounds, on the processors there are.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::round::{Tally, run};

/// Rounds of a plain test run.
const ROUNDS: u64 = 92;
/// Comparisons of a plain test run, at least.
const COMPARED: u64 = 100_000;

/// Stops the other workers when one has found a difference.
struct Stop<'a> {
    next: &'a AtomicU64,
    end: u64,
}

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.next.store(self.end, Ordering::Relaxed);
    }
}

#[test]
fn indexes_never_change_an_answer() {
    let setting = |name: &str| {
        let text = std::env::var(name).ok();
        text.map(|text| text.parse::<u64>().unwrap())
    };
    let seed = setting("GROWLER_INDEX_SEED").unwrap_or(1);
    let first = setting("GROWLER_INDEX_FIRST").unwrap_or(0);
    let asked = setting("GROWLER_INDEX_ROUNDS");
    let end = first + asked.unwrap_or(ROUNDS);
    let is_long = end - first > ROUNDS;
    let next = AtomicU64::new(first);
    let work = || {
        let mut tally = Tally::default();
        let _guard = Stop { next: &next, end };
        loop {
            let round = next.fetch_add(1, Ordering::Relaxed);
            if round >= end {
                return tally;
            }
            tally.add(run(seed, round, is_long));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut tally = Tally::default();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.min(4)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            match worker.join() {
                Ok(one) => tally.add(one),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    // Past the capture of test output.
    let line = format!(
        "indexes: data x layout={} index sets={} reloads={} (data, layout, index set, query, null \
         handling)={} read less={} errors={}\n",
        tally.tables, tally.index_sets, tally.reloads, tally.compared, tally.spared, tally.errors
    );
    let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
    if asked.is_none() {
        assert!(tally.compared >= COMPARED, "{tally:?}");
    }
}
