//! Which segment is next.
//!
//! Of each table one job is active at a time, the oldest; active jobs take turns, so that a large
//! table does not keep small ones waiting.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use growler_base::limits;

use super::Job;
use crate::Error;

/// The jobs that are not over, and who waits for them.
#[derive(Default)]
pub struct Queue {
    inner: Mutex<Inner>,
    /// Something to do, or nothing any more.
    changed: Condvar,
}

#[derive(Default)]
struct Inner {
    waiting: VecDeque<Arc<Job>>,
    active: VecDeque<Arc<Job>>,
    is_closed: bool,
}

impl Queue {
    /// Adds a job.
    ///
    /// # Errors
    /// `Unavailable` when the server stops, `LimitExceeded` when there are too many.
    pub fn add(&self, job: Arc<Job>) -> Result<(), Error> {
        let mut inner = self.lock();
        if inner.is_closed {
            return Err(Error::Io("the server is stopping".to_owned()));
        }
        let unfinished = inner.waiting.len() + inner.active.len();
        let others = inner.segment_count();
        // One reload of a table as large as may be is taken on when there is nothing else.
        let too_large =
            unfinished > 0 && others + job.segments().len() > limits::RELOAD_SEGMENTS_UNFINISHED;
        if too_large || unfinished >= limits::RELOADS_UNFINISHED {
            return Err(Error::Busy(format!(
                "too many reloads wait, try again later: unfinished={unfinished} segments={others}"
            )));
        }
        inner.waiting.push_back(job);
        self.changed.notify_all();
        Ok(())
    }

    /// Takes the next segment, waiting for one. None once the queue is closed.
    pub fn next(&self) -> Option<(Arc<Job>, usize)> {
        let mut inner = self.lock();
        loop {
            if inner.is_closed {
                return None;
            }
            inner.activate();
            if let Some(taken) = inner.take() {
                return Some(taken);
            }
            inner = self
                .changed
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes the jobs off that are over.
    pub fn take_ended(&self) -> Vec<Arc<Job>> {
        let mut inner = self.lock();
        let mut ended = Vec::new();
        let Inner {
            waiting, active, ..
        } = &mut *inner;
        for jobs in [active, waiting] {
            jobs.retain(|job| {
                let is_over = job.is_over();
                if is_over {
                    ended.push(Arc::clone(job));
                }
                !is_over
            });
        }
        if !ended.is_empty() {
            self.changed.notify_all();
        }
        ended
    }

    /// Returns the jobs that are not over, in the order in which they are worked at.
    pub fn unfinished(&self) -> Vec<Arc<Job>> {
        let inner = self.lock();
        inner.active.iter().chain(&inner.waiting).cloned().collect()
    }

    /// Waits until no worker has a segment of a table, for some time at most; tells whether so.
    pub fn wait_idle(&self, table: &str, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut inner = self.lock();
        loop {
            let is_busy = |job: &Arc<Job>| job.table == table && job.running_count() > 0;
            if !inner.active.iter().any(is_busy) {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.changed.wait_timeout(inner, left);
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Gives out nothing any more.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Returns how many segments workers have.
    pub fn running_count(&self) -> usize {
        let inner = self.lock();
        inner.active.iter().map(|job| job.running_count()).sum()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Returns how many segments the jobs have that are not over.
    fn segment_count(&self) -> usize {
        let jobs = self.active.iter().chain(&self.waiting);
        jobs.map(|job| job.segments().len()).sum()
    }

    /// Makes each waiting job active whose table has no active one.
    fn activate(&mut self) {
        let mut still_waiting = VecDeque::with_capacity(self.waiting.len());
        for job in self.waiting.drain(..) {
            if self.active.iter().any(|active| active.table == job.table) {
                still_waiting.push_back(job);
            } else {
                self.active.push_back(job);
            }
        }
        self.waiting = still_waiting;
    }

    fn take(&mut self) -> Option<(Arc<Job>, usize)> {
        for _ in 0..self.active.len() {
            let job = self.active.pop_front()?;
            self.active.push_back(Arc::clone(&job));
            if let Some(idx) = job.take() {
                return Some((job, idx));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::SegmentInfo;
    use crate::reload::Asked;
    use crate::reload::progress::Done;

    fn job(table: &str, segment_count: usize) -> Arc<Job> {
        let segments = (0..segment_count).map(|idx| SegmentInfo {
            name: idx.to_string(),
            path: idx.to_string().into(),
            row_count: 1,
        });
        Arc::new(Job::new(
            table.to_owned(),
            Asked::default(),
            segments.collect(),
        ))
    }

    fn end(queue: &Queue, (job, idx): (Arc<Job>, usize)) -> usize {
        job.end(idx, Ok(Done::default()));
        queue.take_ended().len()
    }

    #[test]
    fn tables_take_turns_and_jobs_of_one_do_not_meet() -> Result<(), Error> {
        let queue = Queue::default();
        let (first, second, other) = (job("a", 2), job("a", 1), job("b", 1));
        for job in [&first, &second, &other] {
            queue.add(Arc::clone(job))?;
        }
        let next = || queue.next().unwrap();
        let taken = [next(), next(), next()];
        let tables: Vec<&str> = taken.iter().map(|(job, _)| job.table.as_str()).collect();
        assert_eq!(tables, ["a", "b", "a"]);
        let [one, two, three] = taken;
        assert_eq!(end(&queue, one), 0);
        assert_eq!(end(&queue, two), 1);
        assert!(!queue.wait_idle("a", Duration::ZERO));
        assert!(queue.wait_idle("b", Duration::ZERO));
        assert_eq!(queue.running_count(), 1);
        assert_eq!(second.running_count(), 0, "begun while the first runs");
        assert_eq!(end(&queue, three), 1);
        let last = next();
        assert_eq!(last.0.id, second.id);
        assert_eq!(end(&queue, last), 1);
        assert!(queue.unfinished().is_empty());
        queue.close();
        assert!(queue.next().is_none());
        assert!(queue.add(job("a", 1)).is_err());
        Ok(())
    }

    #[test]
    fn cancelled_jobs_make_room_for_the_next() -> Result<(), Error> {
        let queue = Queue::default();
        let (first, second) = (job("a", 3), job("a", 1));
        queue.add(Arc::clone(&first))?;
        queue.add(Arc::clone(&second))?;
        let taken = queue.next().unwrap();
        first.cancel("the table was dropped");
        assert!(queue.take_ended().is_empty());
        assert_eq!(end(&queue, taken), 1);
        assert_eq!(queue.next().unwrap().0.id, second.id);
        Ok(())
    }

    #[test]
    fn only_so_many_segments_wait() -> Result<(), Error> {
        let queue = Queue::default();
        let many = limits::RELOAD_SEGMENTS_UNFINISHED + 1;
        let large = job("a", many);
        queue.add(Arc::clone(&large))?;
        assert!(matches!(queue.add(job("b", 1)), Err(Error::Busy(_))));
        large.cancel("test");
        queue.take_ended();
        queue.add(job("a", 1))?;
        queue.add(job("b", many - 2))?;
        assert!(matches!(queue.add(job("c", 1)), Err(Error::Busy(_))));
        Ok(())
    }

    #[test]
    fn only_so_many_jobs_wait() -> Result<(), Error> {
        let queue = Queue::default();
        for _ in 0..limits::RELOADS_UNFINISHED {
            queue.add(job("a", 1))?;
        }
        assert!(matches!(queue.add(job("b", 1)), Err(Error::Busy(_))));
        Ok(())
    }
}
