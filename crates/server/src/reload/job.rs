//! One reload: what was asked, and how far it is.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Instant, SystemTime};

use growler_exec::reload::Advance;
use growler_exec::run::CancelFlag;
use uuid::Uuid;

use super::progress::{Done, Failed, Progress, State};
use crate::Error;
use crate::backend::{Backend, ReloadControl, SegmentInfo, TableReload};

/// What a client asked for, as the status shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asked {
    /// The one segment.
    pub segment: Option<String>,
    /// `forceDownload`: build everything anew.
    pub rebuild: bool,
    /// `targetInstance`.
    pub instance: Option<String>,
    /// `instanceToSegmentsMap`, as it came.
    pub instance_to_segments: Option<String>,
}

/// One reload.
pub struct Job {
    /// Its id.
    pub id: String,
    /// Table, without `_OFFLINE`.
    pub table: String,
    /// What was asked.
    pub asked: Asked,
    /// When.
    pub submitted: SystemTime,
    /// When, on the clock that never goes back.
    pub since: Instant,
    segments: Vec<Target>,
    progress: Mutex<Progress>,
    cancel: CancelFlag,
    why_cancelled: OnceLock<String>,
    /// Config and files of the moment at which the first segment was taken, while there is work.
    pinned: Mutex<Option<Pinned>>,
}

type Pinned = Result<Arc<dyn TableReload>, Error>;

/// A segment of a reload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// Its file, which tells it from others of the same name.
    pub path: PathBuf,
    /// Its rows, as a measure of the work.
    pub row_count: u64,
}

impl Job {
    /// Makes a job that waits.
    pub fn new(table: String, asked: Asked, segments: Vec<SegmentInfo>) -> Self {
        let segments: Vec<Target> = segments
            .into_iter()
            .map(|segment| Target {
                name: segment.name,
                path: segment.path,
                row_count: segment.row_count,
            })
            .collect();
        Self {
            id: Uuid::new_v4().to_string(),
            table,
            asked,
            submitted: SystemTime::now(),
            since: Instant::now(),
            progress: Mutex::new(Progress::new(segments.len())),
            segments,
            cancel: CancelFlag::default(),
            why_cancelled: OnceLock::new(),
            pinned: Mutex::default(),
        }
    }

    /// Returns the segments in order.
    pub fn segments(&self) -> &[Target] {
        &self.segments
    }

    /// Returns where each segment is.
    pub fn progress(&self) -> Progress {
        self.lock().clone()
    }

    /// Tells whether nothing is left to do.
    pub fn is_over(&self) -> bool {
        self.lock().is_over()
    }

    /// Returns how many segments workers have.
    pub fn running_count(&self) -> usize {
        self.lock().running_count()
    }

    /// Takes the next segment that waits.
    pub fn take(&self) -> Option<usize> {
        self.lock().take()
    }

    /// Stops the job; the segments that workers have end soon, the others are given up.
    pub fn cancel(&self, why: &str) {
        let why = self
            .why_cancelled
            .get_or_init(|| format!("reload was cancelled: {why}"));
        self.cancel.cancel();
        self.lock().give_up(why);
        self.unpin_if_over();
    }

    /// Reloads a segment that was taken.
    pub fn run(self: &Arc<Self>, idx: usize, backend: &dyn Backend) -> Result<Done, Error> {
        let started = Instant::now();
        let target = self
            .segments
            .get(idx)
            .ok_or_else(|| Error::Internal(format!("no such segment: idx={idx}")))?;
        let pinned = self.pin(backend)?;
        let job = Arc::clone(self);
        let control = ReloadControl {
            rebuild: self.asked.rebuild,
            cancel: self.cancel.clone(),
            progress: Arc::new(move |advance: Advance| job.lock().advance(idx, advance)),
        };
        let reloaded = pinned.reload(&target.path, &control)?;
        Ok(Done::new(&reloaded, started.elapsed()))
    }

    /// Notes how a segment that was taken ended.
    pub fn end(&self, idx: usize, outcome: Result<Done, Error>) -> State {
        let state = match outcome {
            Ok(done) => State::Done(done),
            Err(error) => {
                let why_cancelled = self.why_cancelled.get();
                State::Failed(Failed {
                    text: why_cancelled.cloned().unwrap_or_else(|| error.to_string()),
                    at: SystemTime::now(),
                    is_cancelled: why_cancelled.is_some(),
                })
            }
        };
        let is_last = self.lock().announce_end();
        if is_last && self.is_of_all() && self.why_cancelled.get().is_none() {
            self.sweep();
        }
        self.lock().end(idx, state.clone());
        self.unpin_if_over();
        state
    }

    /// Tells whether all segments of the table were asked for.
    fn is_of_all(&self) -> bool {
        self.asked.segment.is_none() && self.asked.instance_to_segments.is_none()
    }

    fn sweep(&self) {
        let pinned = self.lock_pinned().clone();
        if let Some(Ok(pinned)) = pinned {
            pinned.sweep();
        }
    }

    /// Lets go of config and files: whoever remembers the job must not keep them.
    fn unpin_if_over(&self) {
        if self.is_over() {
            *self.lock_pinned() = None;
        }
    }

    fn pin(&self, backend: &dyn Backend) -> Pinned {
        let mut pinned = self.lock_pinned();
        pinned
            .get_or_insert_with(|| backend.begin_reload(&self.table))
            .clone()
    }

    fn lock_pinned(&self) -> MutexGuard<'_, Option<Pinned>> {
        self.pinned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_is_over_pins_nothing() {
        let segments = ["a", "b"].map(|name| SegmentInfo {
            name: name.to_owned(),
            path: name.into(),
            row_count: 1,
        });
        let job = Job::new("t".to_owned(), Asked::default(), segments.into());
        job.take();
        *job.lock_pinned() = Some(Err(Error::Internal("x".to_owned())));
        job.end(0, Ok(Done::default()));
        assert!(job.lock_pinned().is_some(), "there is work left");
        job.cancel("the table was dropped");
        assert!(job.lock_pinned().is_none());
    }
}
