//! All reloads of a server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::memory::Memory;
use super::queue::Queue;
use super::{Asked, Job, status, workers};
use crate::Error;
use crate::backend::{Backend, SegmentInfo};

/// Time that a segment's build has to notice that its table is gone.
const DROP_PATIENCE: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(5);

/// All reloads of a server: those that wait, that run, and that are remembered.
pub struct Reloads {
    queue: Arc<Queue>,
    memory: Mutex<Memory>,
    alive: Arc<AtomicUsize>,
}

impl Reloads {
    /// Starts the workers.
    ///
    /// # Errors
    /// `Unavailable` when the system gives no threads.
    pub fn start(worker_count: usize, backend: &Arc<dyn Backend>) -> Result<Self, Error> {
        let queue = Arc::new(Queue::default());
        let alive = workers::start(worker_count, &queue, backend)?;
        Ok(Self {
            queue,
            memory: Mutex::default(),
            alive,
        })
    }

    /// Takes a job on; it runs when its turn comes.
    ///
    /// # Errors
    /// `Unavailable` when the server stops, `LimitExceeded` when too many wait.
    pub fn submit(
        &self,
        table: &str,
        asked: Asked,
        segments: Vec<SegmentInfo>,
    ) -> Result<Arc<Job>, Error> {
        let job = Arc::new(Job::new(table.to_owned(), asked, segments));
        // Known before it runs: its id may be asked for at once.
        self.lock().add(Arc::clone(&job));
        if let Err(error) = self.queue.add(Arc::clone(&job)) {
            self.lock().remove(&job.id);
            return Err(error);
        }
        tracing::info!(
            job = job.id,
            table,
            segments = job.segments().len(),
            "reload was asked for"
        );
        Ok(job)
    }

    /// Finds a job by its id.
    pub fn find(&self, id: &str) -> Option<Arc<Job>> {
        self.lock().find(id)
    }

    /// Returns the jobs of a table that are remembered, the oldest first.
    pub fn of_table(&self, table: &str) -> Vec<Arc<Job>> {
        self.lock().of_table(table)
    }

    /// Ends the reloads of a table that was dropped, and waits until nothing of it is written.
    pub fn drop_table(&self, table: &str) {
        self.cancel("the table was dropped", |job| job.table == table);
        if !self.queue.wait_idle(table, DROP_PATIENCE) {
            tracing::warn!(table, "a reload of a dropped table goes on for a while");
        }
    }

    /// Ends all reloads and takes no more.
    pub fn close(&self) {
        self.queue.close();
        self.cancel("the server is stopping", |_| true);
    }

    /// Waits until all workers have ended, for some time at most; tells whether so.
    pub async fn wait_ended(&self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        while self.alive.load(Ordering::SeqCst) > 0 {
            if Instant::now() > until {
                return false;
            }
            tokio::time::sleep(POLL).await;
        }
        true
    }

    /// Returns how many segments are being reloaded.
    pub fn running_count(&self) -> usize {
        self.queue.running_count()
    }

    fn cancel(&self, why: &str, which: impl Fn(&Job) -> bool) {
        for job in self.queue.unfinished() {
            if which(&job) {
                job.cancel(why);
            }
        }
        self.queue.take_ended().iter().for_each(status::log_end);
    }

    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reloads {
    fn drop(&mut self) {
        self.close();
    }
}
