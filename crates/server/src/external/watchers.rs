//! The threads that run what is due.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use growler_base::Interrupt;
use growler_table::config::ExternalConfig;
use growler_table::config::task::TASK;

use super::restoring::Restoring;
use super::tables::{ExternalTables, RunAsked, RunDone};
use super::task::{Task, TaskState};
use super::watched::{Begun, WatchedTables};
use crate::{Error, metrics};

/// Tables that are brought in step at a time; they mostly wait for sources, of which some are away.
const THREADS: usize = 8;
/// Longest sleep; the clock may be set meanwhile.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(5);
/// Time that a run of a dropped table has to end.
const DROP_PATIENCE: Duration = Duration::from_secs(10);

/// Keeps External Tables in step.
pub struct Watchers {
    shared: Arc<Shared>,
    tables: Arc<dyn ExternalTables>,
}

struct Shared {
    watched: Mutex<WatchedTables>,
    wake: Condvar,
    closed: AtomicBool,
    alive: AtomicUsize,
    started: AtomicUsize,
}

impl Watchers {
    /// Starts the threads.
    ///
    /// # Errors
    /// `Unavailable` when the system gives no threads.
    pub fn start(tables: &Arc<dyn ExternalTables>) -> Result<Self, Error> {
        let watchers = Self {
            shared: Arc::new(Shared {
                watched: Mutex::default(),
                wake: Condvar::new(),
                closed: AtomicBool::new(false),
                alive: AtomicUsize::new(0),
                started: AtomicUsize::new(0),
            }),
            tables: Arc::clone(tables),
        };
        for idx in 0..THREADS {
            let (shared, tables) = (Arc::clone(&watchers.shared), Arc::clone(tables));
            shared.alive.fetch_add(1, Ordering::SeqCst);
            let alive = Alive(Arc::clone(&shared));
            let work = move || {
                let _alive = alive;
                watch(&shared, tables.as_ref());
            };
            thread::Builder::new()
                .name(format!("ExternalTableSyncWatcher-{idx}"))
                .spawn(work)
                .map_err(|error| Error::Io(format!("cannot start a thread: {error}")))?;
        }
        Ok(watchers)
    }

    /// Watches a table by a config that is new: a run is due at once unless it is paused.
    pub fn follow(&self, table: &str, config: &ExternalConfig) {
        self.lock().follow(table, config, Some(now_ms()));
        self.shared.wake.notify_all();
    }

    /// Watches a table by a config that it had before the server has started, and has it served as it
    /// was. That is tried again where it fails, though the table is paused.
    pub fn go_on(&self, table: &str, config: &ExternalConfig) {
        let due = match self.tables.last_run_ms(table) {
            Some(last) => config.schedule.next_after_ms(last),
            None => Some(now_ms()),
        };
        let mut watched = self.lock();
        watched.follow(table, config, due);
        watched.restore(table, now_ms());
        drop(watched);
        self.shared.wake.notify_all();
    }

    /// Waits until it was tried to serve all tables as they were, for some time at most.
    pub fn wait_restored(&self, patience: Duration) {
        let until = Instant::now() + patience;
        while self.lock().is_restoring() && Instant::now() < until {
            thread::sleep(POLL);
        }
    }

    /// Returns what keeps a table from being served as it was before a restart.
    pub fn restoring(&self, table: &str) -> Option<Restoring> {
        self.lock().restoring(table).cloned()
    }

    /// Watches a table no more, and waits for a while until no run of it goes on.
    pub fn forget(&self, table: &str) {
        self.lock().forget(table);
        let until = Instant::now() + DROP_PATIENCE;
        while self.lock().is_running(table) {
            if Instant::now() > until {
                tracing::warn!(table, "a sync run of a dropped table goes on for a while");
                return;
            }
            thread::sleep(POLL);
        }
    }

    /// Asks for a run of a table, and returns the name of its task. `name` is the one that the client
    /// wants.
    ///
    /// # Errors
    /// `NotFound` for no External Table, `InvalidInput` for a paused one, `Conflict` when the name is
    /// taken, `Unavailable` when the server stops.
    pub fn ask(&self, table: &str, name: Option<String>) -> Result<String, Error> {
        if self.shared.closed.load(Ordering::SeqCst) {
            return Err(Error::Io("the server is stopping".to_owned()));
        }
        let mut watched = self.lock();
        match watched.is_paused(table) {
            None => return Err(no_task(table, "it is no External Table")),
            Some(true) => return Err(no_task(table, "it is paused, set 'enabled' to true")),
            Some(false) => {}
        }
        if let Some(name) = name.as_deref().filter(|name| watched.task(name).is_some()) {
            return Err(Error::Conflict(format!("Task already exists: {name}")));
        }
        let asked = watched.ask(table, name.unwrap_or_else(|| self.shared.new_name()));
        drop(watched);
        self.shared.wake.notify_all();
        asked.ok_or_else(|| no_task(table, "it is no External Table"))
    }

    /// Returns the names of all tables that are watched.
    pub fn tables(&self) -> Vec<String> {
        self.lock().names()
    }

    /// Returns a task.
    pub fn task(&self, name: &str) -> Option<Task> {
        self.lock().task(name)
    }

    /// Returns the tasks of a table, or all, the oldest first.
    pub fn tasks(&self, table: Option<&str>) -> Vec<Task> {
        self.lock().tasks(table)
    }

    /// Returns when a table's next run is due, and when its last one ended well, in milliseconds since
    /// 1970.
    pub fn times(&self, table: &str) -> Option<(Option<i64>, Option<i64>)> {
        self.lock().times(table)
    }

    /// Begins no run any more, and tells those that go on to end.
    pub fn close(&self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        self.lock().cancel_all();
        self.tables.stop();
        self.shared.wake.notify_all();
    }

    /// Waits until all threads have ended, for some time at most; tells whether so.
    pub async fn wait_ended(&self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        while self.shared.alive.load(Ordering::SeqCst) > 0 {
            if Instant::now() > until {
                return false;
            }
            tokio::time::sleep(POLL).await;
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, WatchedTables> {
        self.shared.lock()
    }
}

impl Drop for Watchers {
    fn drop(&mut self) {
        self.close();
    }
}

/// Counts a thread as alive until it has let go of everything else.
struct Alive(Arc<Shared>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.alive.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, WatchedTables> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new_name(&self) -> String {
        let number = self.started.fetch_add(1, Ordering::SeqCst);
        format!("Task_{TASK}_{}_{number}", now_ms())
    }

    /// Waits for the next run; none when there will be no other.
    fn next(&self) -> Option<Begun> {
        let mut watched = self.lock();
        loop {
            if self.closed.load(Ordering::SeqCst) {
                return None;
            }
            let now = now_ms();
            if let Some(begun) = watched.begin(now, || self.new_name()) {
                return Some(begun);
            }
            let due = watched
                .next_due_ms()
                .map(|due| due.saturating_sub(now).max(1));
            let due = due
                .and_then(|due| u64::try_from(due).ok())
                .map(Duration::from_millis);
            let sleep = due.unwrap_or(LONGEST_SLEEP).min(LONGEST_SLEEP);
            let slept = self.wake.wait_timeout(watched, sleep);
            watched = slept.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn watch(shared: &Shared, tables: &dyn ExternalTables) {
    while let Some(begun) = shared.next() {
        if begun.is_restore {
            restore(shared, tables, &begun);
            continue;
        }
        let started = Instant::now();
        let (table, task) = (begun.table.as_str(), begun.task.as_str());
        tracing::info!(table, task, "sync run begins");
        let asked = RunAsked {
            task,
            by_request: begun.by_request,
            cancel: &begun.cancel,
        };
        let run = || tables.run(table, &asked);
        let outcome = catch_unwind(AssertUnwindSafe(run))
            .unwrap_or_else(|_| Err(Error::Internal("a sync run panicked".to_owned())));
        metrics::sync_ended(table, &outcome, started.elapsed());
        let state = state(&begun, outcome);
        shared.lock().end(&begun, state, now_ms());
        // The table may be due again already.
        shared.wake.notify_all();
    }
}

/// Has a table served as it was before a restart.
fn restore(shared: &Shared, tables: &dyn ExternalTables, begun: &Begun) {
    let table = begun.table.as_str();
    let interrupt = Interrupt::new(begun.cancel.clone(), None);
    let restored = || Interrupt::within(Some(&interrupt), || tables.restore(table));
    let outcome = catch_unwind(AssertUnwindSafe(restored))
        .unwrap_or_else(|_| Err(Error::Internal("a restore panicked".to_owned())));
    if let Err(error) = &outcome {
        tracing::error!(table, %error, "table cannot be served as it was, which is tried again");
    }
    let outcome = outcome.map_err(|error| error.to_string());
    shared.lock().end_restore(begun, outcome, now_ms());
    shared.wake.notify_all();
}

fn state(begun: &Begun, outcome: Result<RunDone, Error>) -> TaskState {
    let (table, task) = (begun.table.as_str(), begun.task.as_str());
    match outcome {
        Ok(done) => {
            let RunDone { ingested, removed } = done;
            tracing::info!(table, task, ingested, removed, "sync run ended");
            TaskState::Completed
        }
        Err(error) if begun.cancel.is_cancelled() => {
            tracing::info!(table, task, %error, "sync run was given up");
            TaskState::Aborted
        }
        Err(error) => {
            tracing::error!(table, task, %error, "sync run failed, the table serves on as it was");
            TaskState::Failed(error.to_string())
        }
    }
}

fn no_task(table: &str, why: &str) -> Error {
    Error::Invalid(format!(
        "No task is generated for table: {table}, with task type: {TASK}: {why}"
    ))
}

/// Returns the time in milliseconds since 1970.
pub fn now_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
