//! The state of each segment of a reload.

use std::time::{Duration, Instant, SystemTime};

use growler_exec::reload::{Advance, Reloaded};

/// Where one segment of a reload is.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// Its turn has not come.
    Waiting,
    /// A worker has it.
    Running {
        /// Since when.
        since: Instant,
        /// How far.
        advance: Advance,
    },
    /// It has what its table's config wants.
    Done(Done),
    /// It serves on with the indexes that it had.
    Failed(Failed),
}

/// What a reload did to a segment.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Done {
    /// Whether anything had to be done.
    pub changed: bool,
    /// Indexes that were built.
    pub built_count: usize,
    /// Bytes of those.
    pub built_bytes: u64,
    /// Indexes that were there and stayed.
    pub kept_count: usize,
    /// Indexes that were there and are wanted no more.
    pub removed_count: usize,
    /// How long it took.
    pub elapsed: Duration,
}

/// Why a reload left a segment with the indexes that it had.
#[derive(Debug, Clone, PartialEq)]
pub struct Failed {
    /// Why.
    pub text: String,
    /// When.
    pub at: SystemTime,
    /// Whether it was given up rather than tried in vain.
    pub is_cancelled: bool,
}

impl Done {
    /// Sums up what the engine says.
    pub fn new(reloaded: &Reloaded, elapsed: Duration) -> Self {
        Self {
            changed: reloaded.changed,
            built_count: reloaded.built.len(),
            built_bytes: reloaded.built.iter().map(|index| index.bytes).sum(),
            kept_count: reloaded.kept,
            removed_count: reloaded.removed,
            elapsed,
        }
    }
}

/// The states of all segments of a reload, and their counts.
#[derive(Debug, Clone)]
pub struct Progress {
    states: Vec<State>,
    next: usize,
    running: usize,
    /// Running ones whose end was announced.
    ending: usize,
    done: usize,
    failed: usize,
    first_taken: Option<Instant>,
    ended: Option<Instant>,
}

impl Progress {
    /// Makes the progress of a reload of which nothing is done yet.
    pub fn new(segment_count: usize) -> Self {
        Self {
            states: vec![State::Waiting; segment_count],
            next: 0,
            running: 0,
            ending: 0,
            done: 0,
            failed: 0,
            first_taken: None,
            ended: None,
        }
    }

    /// Takes the next segment that waits.
    pub fn take(&mut self) -> Option<usize> {
        let idx = self.next;
        let state = self.states.get_mut(idx)?;
        let since = Instant::now();
        *state = State::Running {
            since,
            advance: Advance::default(),
        };
        self.next += 1;
        self.running += 1;
        self.first_taken.get_or_insert(since);
        Some(idx)
    }

    /// Notes how far a running segment is.
    pub fn advance(&mut self, idx: usize, to: Advance) {
        if let Some(State::Running { advance, .. }) = self.states.get_mut(idx) {
            *advance = to;
        }
    }

    /// Notes how a running segment ended.
    pub fn end(&mut self, idx: usize, state: State) {
        let Some(running @ State::Running { .. }) = self.states.get_mut(idx) else {
            return;
        };
        match &state {
            State::Done(_) => self.done += 1,
            _ => self.failed += 1,
        }
        *running = state;
        self.running -= 1;
        self.ending = self.ending.saturating_sub(1);
        self.note_end();
    }

    /// Gives up all segments that wait.
    pub fn give_up(&mut self, why: &str) {
        let failed = State::Failed(Failed {
            text: why.to_owned(),
            at: SystemTime::now(),
            is_cancelled: true,
        });
        let waiting = self.states.get_mut(self.next..).unwrap_or_default();
        self.failed += waiting.len();
        waiting.fill(failed);
        self.next = self.states.len();
        self.note_end();
    }

    fn note_end(&mut self) {
        if self.is_over() {
            self.ended.get_or_insert_with(Instant::now);
        }
    }

    /// Announces the end of a running segment; tells whether nothing is left to do after it, and after
    /// those that were announced before.
    pub fn announce_end(&mut self) -> bool {
        self.ending += 1;
        self.ending == self.running && self.next == self.states.len()
    }

    /// Tells whether nothing is left to do.
    pub fn is_over(&self) -> bool {
        self.running == 0 && self.next == self.states.len()
    }

    /// Returns the state of each segment.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Returns how many segments have what is wanted.
    pub fn done_count(&self) -> usize {
        self.done
    }

    /// Returns how many segments were left as they were.
    pub fn failed_count(&self) -> usize {
        self.failed
    }

    /// Returns how many segments workers have.
    pub fn running_count(&self) -> usize {
        self.running
    }

    /// Returns when it ended.
    pub fn ended(&self) -> Option<Instant> {
        self.ended
    }

    /// Estimates what is left, by the rows done in the time since the first segment was taken. None
    /// before the first success, for want of anything to go by.
    pub fn time_left(&self, row_counts: impl Iterator<Item = u64>) -> Option<Duration> {
        if self.is_over() {
            return Some(Duration::ZERO);
        }
        let elapsed = self.first_taken.filter(|_| self.done > 0)?.elapsed();
        let (mut done, mut left) = (0.0, 0.0);
        for (state, row_count) in self.states.iter().zip(row_counts) {
            // Every segment costs something, one without rows too.
            let rows = to_f64(row_count) + 1.0;
            let part = match state {
                State::Waiting => 0.0,
                State::Running { advance, .. } => fraction(*advance),
                State::Done(_) | State::Failed(_) => 1.0,
            };
            done += rows * part;
            left += rows * (1.0 - part);
        }
        let seconds = elapsed.as_secs_f64() * left / done;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

/// Returns how far a segment is, from 0 to 1.
pub fn fraction(advance: Advance) -> f64 {
    if advance.rows_total == 0 {
        return 0.0;
    }
    (to_f64(advance.rows_done) / to_f64(advance.rows_total)).min(1.0)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "an estimate needs no last digits"
)]
fn to_f64(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done() -> State {
        State::Done(Done::default())
    }

    fn failed() -> State {
        State::Failed(Failed {
            text: "x".to_owned(),
            at: SystemTime::now(),
            is_cancelled: false,
        })
    }

    #[test]
    fn segments_are_taken_once_and_counted_once() {
        let mut progress = Progress::new(3);
        assert_eq!(progress.time_left([1, 1, 1].into_iter()), None);
        assert_eq!([progress.take(), progress.take()], [Some(0), Some(1)]);
        progress.end(0, failed());
        assert_eq!(progress.time_left([1, 1, 1].into_iter()), None);
        progress.end(1, done());
        progress.end(1, failed());
        assert!(progress.time_left([1, 1, 1].into_iter()).is_some());
        assert!(!progress.is_over());
        assert_eq!(progress.take(), Some(2));
        progress.advance(
            2,
            Advance {
                rows_done: 1,
                rows_total: 4,
            },
        );
        assert_eq!(progress.take(), None);
        assert!(!progress.is_over());
        progress.end(2, done());
        assert!(progress.is_over() && progress.ended().is_some());
        assert_eq!((progress.done_count(), progress.failed_count()), (2, 1));
        assert_eq!(
            progress.time_left([1, 1, 1].into_iter()),
            Some(Duration::ZERO)
        );
    }

    #[test]
    fn giving_up_leaves_the_running_ones_to_end() {
        let mut progress = Progress::new(3);
        progress.take();
        progress.give_up("dropped");
        assert!(!progress.is_over());
        assert_eq!(progress.take(), None);
        progress.end(0, done());
        assert!(progress.is_over());
        assert_eq!((progress.done_count(), progress.failed_count()), (1, 2));
        let mut none = Progress::new(0);
        none.give_up("dropped");
        assert!(none.is_over() && none.ended().is_some());
    }
}
