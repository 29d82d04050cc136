//! The threads that reload segments.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::progress::{Done, State};
use super::queue::Queue;
use super::{Job, status};
use crate::backend::Backend;
use crate::{Error, metrics};

/// Steps that the threads' priority is below that of queries (19 is the lowest).
#[cfg(target_os = "linux")]
const BELOW_QUERIES: i32 = 10;

/// Starts so many threads; they end when the queue is closed. Returns the count of those that are
/// alive, which they keep.
///
/// # Errors
/// `Unavailable` when the system gives no thread.
pub fn start(
    count: usize,
    queue: &Arc<Queue>,
    backend: &Arc<dyn Backend>,
) -> Result<Arc<AtomicUsize>, Error> {
    let alive = Arc::new(AtomicUsize::new(0));
    for idx in 0..count {
        let (queue, backend, place) = (
            Arc::clone(queue),
            Arc::clone(backend),
            Alive::enter(Arc::clone(&alive)),
        );
        let work = move || {
            let _place = place;
            lower_priority();
            while let Some((job, idx)) = queue.next() {
                reload(&job, idx, backend.as_ref());
                queue.take_ended().iter().for_each(status::log_end);
            }
        };
        let started = thread::Builder::new()
            .name(format!("reload-{idx}"))
            .spawn(work);
        started.map_err(|error| Error::Io(format!("cannot start a thread: {error}")))?;
    }
    Ok(alive)
}

/// Counts a thread until it ends, however it does.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn enter(count: Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(BELOW_QUERIES) {
        tracing::debug!(%error, "the priority of a thread stays");
    }
}

/// Reloads one segment; whatever happens, its end is noted.
fn reload(job: &Arc<Job>, idx: usize, backend: &dyn Backend) {
    let run = AssertUnwindSafe(|| job.run(idx, backend));
    let outcome: Result<Done, Error> = catch_unwind(run)
        .unwrap_or_else(|_| Err(Error::Internal("the reload of a segment broke".to_owned())));
    let state = job.end(idx, outcome);
    metrics::segment_reloaded(&state);
    let segment = job.segments().get(idx).map_or("", |target| &target.name);
    match state {
        State::Failed(failed) if !failed.is_cancelled => tracing::error!(
            job = job.id,
            table = job.table,
            segment,
            error = failed.text,
            "a segment was not reloaded, it serves on with the indexes it had"
        ),
        State::Done(done) if done.changed => tracing::info!(
            job = job.id,
            table = job.table,
            segment,
            built = done.built_count,
            bytes = done.built_bytes,
            removed = done.removed_count,
            seconds = done.elapsed.as_secs_f64(),
            "a segment was reloaded"
        ),
        _ => {}
    }
}
