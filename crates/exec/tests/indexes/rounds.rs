//! All rounds, on the processors there are.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::round::{Tally, run};

/// Comparisons of a plain test run, at least: rounds are begun until there are as many.
const COMPARED: u64 = 100_000;
/// From so many rounds on a run is a long one.
const LONG_ROUNDS: u64 = 100;
/// After the last round of all.
const LAST: u64 = u64::MAX / 2;

/// Stops the other workers when one has found a difference.
struct Stop<'a>(&'a AtomicU64);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(LAST, Ordering::Relaxed);
        }
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
    let end = asked.map_or(LAST, |rounds| first + rounds);
    let is_long = asked.is_some_and(|rounds| rounds >= LONG_ROUNDS);
    let (next, compared) = (AtomicU64::new(first), AtomicU64::new(0));
    let work = || {
        let mut tally = Tally::default();
        let _guard = Stop(&next);
        loop {
            let round = next.fetch_add(1, Ordering::Relaxed);
            let is_enough = asked.is_none() && compared.load(Ordering::Relaxed) >= COMPARED;
            if round >= end || is_enough {
                return tally;
            }
            let one = run(seed, round, is_long);
            compared.fetch_add(one.compared, Ordering::Relaxed);
            tally.add(one);
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
