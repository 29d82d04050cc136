//! All segments of a table, some at a time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use growler_exec::reload::{Error, IndexPlan, IndexStore, ReloadOptions, Reloaded, reload_segment};
use growler_exec::table::View;

use crate::index::progress::Bar;

/// What became of one segment.
pub type Outcome = Result<Reloaded, Error>;

/// A build of all segments.
#[derive(Debug)]
pub struct Build<'a> {
    /// The table.
    pub view: &'a View,
    /// What it wants.
    pub plan: &'a IndexPlan,
    /// Where indexes lie.
    pub store: &'a IndexStore,
    /// Memory of one segment's build, and the flag that stops all.
    pub options: &'a ReloadOptions,
}

impl Build<'_> {
    /// Builds every segment; one that fails does not stop the others.
    pub fn run(&self, threads: Option<usize>) -> Vec<Outcome> {
        let count = self.view.segments().len();
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or(cores).clamp(1, count.max(1));
        let bar = Arc::new(Bar::new(self.view));
        let next = AtomicUsize::new(0);
        let outcomes = Mutex::new(Vec::with_capacity(count));
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let idx = next.fetch_add(1, Ordering::Relaxed);
                        if idx >= count {
                            break;
                        }
                        let outcome = self.segment(idx, &bar);
                        let mut outcomes = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
                        outcomes.push((idx, outcome));
                    }
                });
            }
        });
        bar.finish();
        let mut outcomes = outcomes
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        outcomes.sort_unstable_by_key(|(idx, _)| *idx);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    fn segment(&self, idx: usize, bar: &Arc<Bar>) -> Outcome {
        let watched = Arc::clone(bar);
        let options = ReloadOptions {
            progress: Some(Arc::new(move |advance| watched.advance(idx, advance))),
            ..self.options.clone()
        };
        let outcome = reload_segment(self.view, idx, self.plan, self.store, &options);
        bar.done(idx);
        outcome
    }
}
